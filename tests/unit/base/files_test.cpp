#include "base/files.h"

#include "base/hash.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
namespace mpsgate {
namespace {

class Files : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((here() / name).parent_path());
    std::ofstream(here() / name) << text;
  }
  const fs::path& here() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(Files, WritesAndReads) {
  ASSERT_TRUE(write_file(here() / "a" / "b.txt", "text"));
  EXPECT_EQ(read_file(here() / "a" / "b.txt").value(), "text");
  ASSERT_TRUE(write_file(here() / "a" / "b.txt", "new"));
  EXPECT_EQ(read_file(here() / "a" / "b.txt").value(), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(here() / "a"), fs::directory_iterator()), 1)
      << "a temporary file is left";
}

TEST_F(Files, RefusesWhatIsTooLargeOrMissing) {
  put("big", std::string(100, 'x'));
  EXPECT_EQ(read_file(here() / "big", 99).error().code, "file.too-large");
  EXPECT_TRUE(read_file(here() / "big", 100));
  EXPECT_EQ(read_file(here() / "none").error().code, "file.unreadable");
  EXPECT_EQ(read_file(here()).error().code, "file.unreadable");
}

TEST_F(Files, WritesToNoFolderThatIsAFile) {
  put("file", "");
  EXPECT_EQ(write_file(here() / "file" / "x", "").error().code, "file.unwritable");
}

TEST_F(Files, CopiesModesTimesAndLinks) {
  put("from/run.sh", "#!/bin/sh");
  fs::permissions(here() / "from/run.sh", fs::perms(0755));
  put("from/deep/er/file", "x");
  fs::create_symlink("../run.sh", here() / "from/deep/link");
  fs::create_symlink("nowhere", here() / "from/broken");
  put("from/.git/HEAD", "ref: refs/heads/main");
  const auto time = fs::last_write_time(here() / "from/run.sh") - std::chrono::hours(5);
  fs::last_write_time(here() / "from/run.sh", time);

  ASSERT_TRUE(copy_tree(here() / "from", here() / "to"));
  EXPECT_EQ(fs::status(here() / "to/run.sh").permissions(), fs::perms(0755));
  EXPECT_EQ(fs::last_write_time(here() / "to/run.sh"), time);
  EXPECT_EQ(fs::read_symlink(here() / "to/deep/link"), "../run.sh");
  EXPECT_TRUE(fs::is_symlink(here() / "to/broken"));
  EXPECT_EQ(read_file(here() / "to/.git/HEAD").value(), "ref: refs/heads/main");
  EXPECT_FALSE(copy_tree(here() / "from", here() / "to")) << "an existing target is never merged into";
}

TEST_F(Files, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((here() / "pipe").c_str(), 0600), 0);
  const auto text = read_file(here() / "pipe");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, "file.unreadable");
}

TEST_F(Files, AHoleStaysAHole) {
  put("from", "begin");
  fs::resize_file(here() / "from", 1ull << 30);
  ASSERT_TRUE(copy_tree(here() / "from", here() / "to"));
  struct stat state {};
  ASSERT_EQ(::stat((here() / "to").c_str(), &state), 0);
  EXPECT_EQ(state.st_size, 1 << 30);
  EXPECT_LT(state.st_blocks * 512, 4 << 20);
  put("small", std::string(3, '\0') + "x" + std::string(300'000, '\0') + "y");
  ASSERT_TRUE(copy_tree(here() / "small", here() / "again"));
  EXPECT_EQ(sha256_of_file(here() / "again").value(), sha256_of_file(here() / "small").value());
}

TEST_F(Files, CopiesReadOnlyFiles) {
  put("from/locked", "x");
  fs::permissions(here() / "from/locked", fs::perms(0444));
  ASSERT_TRUE(copy_tree(here() / "from", here() / "to"));
  EXPECT_EQ(fs::status(here() / "to/locked").permissions(), fs::perms(0444));
}

TEST_F(Files, RemovesReadOnlyTrees) {
  put("tree/inner/file", "x");
  fs::permissions(here() / "tree/inner", fs::perms(0555));
  ASSERT_TRUE(remove_tree(here() / "tree"));
  EXPECT_FALSE(fs::exists(here() / "tree"));
  EXPECT_TRUE(remove_tree(here() / "never-there"));
}

TEST_F(Files, RemovingALinkKeepsItsTarget) {
  put("kept/file", "x");
  fs::create_directory_symlink(here() / "kept", here() / "link");
  ASSERT_TRUE(remove_tree(here() / "link"));
  EXPECT_TRUE(fs::exists(here() / "kept/file"));
}

TEST_F(Files, ListsFilesWithoutGit) {
  put("a/b.txt", "12345");
  put(".git/config", "");
  fs::create_symlink("b.txt", here() / "a/link");
  const auto files = list_files(here());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files.at("a/b.txt").size, 5u);
  EXPECT_TRUE(files.contains("a/link"));
}

TEST_F(Files, AStateTellsARewriteFromAnUntouchedFile) {
  put("f", "one");
  const auto before = list_files(here()).at("f");
  EXPECT_EQ(list_files(here()).at("f"), before);
  ASSERT_TRUE(write_file(here() / "f", "one"));
  EXPECT_NE(list_files(here()).at("f"), before);
}

TEST_F(Files, HashOfAFolderIsOfItsNamesAndContents) {
  put("x/a", "1");
  put("x/b", "2");
  put("y/a", "1");
  put("y/b", "2");
  EXPECT_EQ(sha256_of_folder(here() / "x").value(), sha256_of_folder(here() / "y").value());
  put("y/b", "3");
  EXPECT_NE(sha256_of_folder(here() / "x").value(), sha256_of_folder(here() / "y").value());
}

TEST_F(Files, PathsStayInside) {
  put("root/sub/file", "");
  put("outside", "");
  fs::create_symlink(here() / "outside", here() / "root/escape");
  const fs::path root = here() / "root";
  EXPECT_EQ(path_inside(root, root / "sub", "file").value(), root / "sub/file");
  EXPECT_EQ(path_inside(root, root / "sub", "../new").value(), root / "new");
  for (const char* bad : {"../../outside", "/etc/passwd", "../escape", "../.."}) {
    const auto path = path_inside(root, root / "sub", bad);
    ASSERT_FALSE(path) << bad;
    EXPECT_EQ(path.error().code, "path.outside");
  }
}

TEST_F(Files, TheRootHoldsGitOrTheMarker) {
  put("repo/.git/HEAD", "");
  put("repo/a/b/p.yaml", "");
  EXPECT_EQ(root_of(here() / "repo/a/b/p.yaml"), here() / "repo");
  put("tree/.mpsgate-root", "");
  put("tree/protocols/p.yaml", "");
  EXPECT_EQ(root_of(here() / "tree/protocols/p.yaml"), here() / "tree");
}

TEST_F(Files, TheCacheFollowsItsVariables) {
  ::setenv("MPSGATE_CACHE", "/somewhere/else", 1);
  EXPECT_EQ(cache_folder(), "/somewhere/else");
  ::unsetenv("MPSGATE_CACHE");
#ifndef __APPLE__
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(cache_folder(), "/xdg/mpsgate");
  ::unsetenv("XDG_CACHE_HOME");
#endif
  EXPECT_TRUE(fs::exists(executable_path()));
}

}  // namespace
}  // namespace mpsgate
