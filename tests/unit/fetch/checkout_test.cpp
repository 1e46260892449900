#include "lab.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpsgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CheckoutTest, TakesTheExactCommitAndNotTheTip) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  const std::string first = lab.commit("first");
  lab.write("a.txt", "two");
  lab.write("b.txt", "later");
  const std::string second = lab.commit("second");

  const auto old = run(lab, first);
  ASSERT_TRUE(old) << old.error().text();
  EXPECT_EQ(old->commit, first);
  EXPECT_EQ(old->tree, lab.git({"rev-parse", first + "^{tree}"}));
  EXPECT_EQ(old->files, 1u);
  EXPECT_EQ(old->bytes, 3u);
  EXPECT_THAT(old->libgit2, ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(text("a.txt"), "one");
  EXPECT_FALSE(fs::exists(out() / "b.txt"));
  EXPECT_EQ(git_out({"rev-parse", "HEAD"}), first);
  EXPECT_EQ(git_out({"status", "--porcelain"}), "");

  ASSERT_TRUE(remove_tree(out()));
  const auto tip = run(lab, second);
  ASSERT_TRUE(tip) << tip.error().text();
  EXPECT_EQ(text("a.txt"), "two");
  EXPECT_NE(tip->tree, old->tree);
}

TEST_F(CheckoutTest, APartAloneIsCheckedOut) {
  Lab lab(processes_, folder_.path() / "lab");
  for (const char* path :
       {"src/a.py", "src/deep/b.py", "srcs/c.py", "README.md", "data/big.bin", "odd [1]*.txt"})
    lab.write(path, path);
  const std::string commit = lab.commit();
  Checkout sparse = request(lab.folder().string(), commit);
  sparse.sparse = {"src", "README.md", "odd [1]*.txt"};
  const auto checked_out = run(sparse);
  ASSERT_TRUE(checked_out) << checked_out.error().text();
  EXPECT_EQ(checked_out->files, 4u);
  EXPECT_EQ(checked_out->tree, lab.git({"rev-parse", commit + "^{tree}"})) << "of the whole commit";
  EXPECT_EQ(text("src/deep/b.py"), "src/deep/b.py");
  EXPECT_EQ(text("README.md"), "README.md");
  EXPECT_EQ(text("odd [1]*.txt"), "odd [1]*.txt");
  EXPECT_FALSE(fs::exists(out() / "srcs"));
  EXPECT_FALSE(fs::exists(out() / "data"));
  EXPECT_EQ(git_out({"status", "--porcelain"}), "") << "git knows what was left out on purpose";
  EXPECT_EQ(git_out({"ls-files", "-t", "data"}), "S data/big.bin");

  ASSERT_TRUE(remove_tree(out()));
  sparse.sparse = {"src/absent"};
  const auto absent = run(sparse);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, "source.sparse-unknown");
  EXPECT_THAT(absent.error().message, HasSubstr("src/absent"));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(CheckoutTest, OfAPartOnlyItsSubmodulesComeAlong) {
  Lab inner(processes_, folder_.path() / "inner");
  inner.write("x.py", "x");
  const std::string pinned = inner.commit();
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("src/a.py", "a");
  lab.commit();
  lab.pin("src/vendor", inner.folder().string(), pinned);
  const std::string commit = lab.pin("other", inner.folder().string(), pinned);
  Checkout sparse = request(lab.folder().string(), commit);
  sparse.substitutes = {{inner.folder().string(), inner.folder()}};
  sparse.sparse = {"src"};
  const auto checked_out = run(sparse);
  ASSERT_TRUE(checked_out) << checked_out.error().text();
  EXPECT_EQ(text("src/vendor/x.py"), "x");
  EXPECT_FALSE(fs::exists(out() / "other" / "x.py"));
}

TEST_F(CheckoutTest, ItsCopiesAnswerGit) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  lab.commit("first");
  lab.git({"tag", "v1.2"});
  lab.git({"tag", "-a", "v1.3", "-m", "annotated"});
  lab.write("a.txt", "two");
  const std::string commit = lab.commit("second");
  ASSERT_TRUE(run(lab, commit));

  ASSERT_TRUE(copy_tree(out(), folder_.path() / "copy"));
  ASSERT_TRUE(remove_tree(out()));
  const auto git = [&](std::vector<std::string> arguments) {
    return Lab::git_in(processes_, folder_.path() / "copy", std::move(arguments));
  };
  EXPECT_EQ(git({"log", "--format=%s"}), "second\nfirst");
  EXPECT_EQ(git({"status", "--porcelain"}), "");
  EXPECT_EQ(git({"describe", "--tags", "--match", "v1.2"}), "v1.2-1-g" + commit.substr(0, 7));
  EXPECT_EQ(git({"describe"}), "v1.3-1-g" + commit.substr(0, 7));
  EXPECT_EQ(git({"fsck", "--no-progress"}), "");
}

TEST_F(CheckoutTest, CopiesNoObject) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  ASSERT_TRUE(run(lab, lab.commit()));
  for (const auto& entry : fs::recursive_directory_iterator(out() / ".git" / "objects")) {
    if (entry.is_regular_file()) {
      EXPECT_EQ(entry.path().filename(), "alternates");
    }
  }
}

TEST_F(CheckoutTest, KeepsModesLinksAndBytes) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("run.sh", "#!/bin/sh\n");
  lab.write("plain.txt", "x");
  lab.write("a:b.txt", "colon");
  lab.write("dos.txt", "a\r\nb\r\n");
  lab.write("naïve 中 name/ü.txt", "u");
  fs::permissions(lab.folder() / "run.sh",
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  fs::create_symlink("plain.txt", lab.folder() / "link");
  fs::create_symlink("/etc/outside", lab.folder() / "outside");
  fs::create_symlink("nowhere", lab.folder() / "dangling");
  // Settings of the person must not change the bytes.
  ASSERT_TRUE(write_file(folder_.path() / ".gitconfig",
                         "[core]\n\tautocrlf = true\n\tsymlinks = false\n\tfilemode = false\n"
                         "[init]\n\tdefaultBranch = ..bad..\n\ttemplateDir = /nonexistent\n"));
  const auto result = run(lab, lab.commit());
  ASSERT_TRUE(result) << result.error().text();

  const auto mode = [&](const char* path) {
    struct stat state {};
    EXPECT_EQ(::lstat((out() / path).c_str(), &state), 0) << path;
    return state.st_mode;
  };
  EXPECT_TRUE(mode("run.sh") & S_IXUSR);
  EXPECT_FALSE(mode("plain.txt") & S_IXUSR);
  EXPECT_TRUE(S_ISLNK(mode("link")));
  EXPECT_EQ(fs::read_symlink(out() / "outside"), "/etc/outside");
  EXPECT_EQ(fs::read_symlink(out() / "dangling"), "nowhere");
  EXPECT_EQ(text("dos.txt"), "a\r\nb\r\n");
  EXPECT_EQ(text("naïve 中 name/ü.txt"), "u");
  EXPECT_EQ(result->files, 8u);
}

TEST_F(CheckoutTest, ReadsEveryFormOfLocalRepository) {
  Lab lab(processes_, folder_.path() / "lab with space");
  lab.write("a.txt", "one");
  lab.commit("first");
  lab.write("a.txt", "two");
  const std::string commit = lab.commit("second");
  const fs::path bare = folder_.path() / "bare.git";
  const fs::path shallow = folder_.path() / "shallow";
  const fs::path packed = folder_.path() / "packed.git";
  const fs::path borrower = folder_.path() / "borrower";
  lab.git({"clone", "-q", "--bare", ".", bare.string()});
  lab.git({"clone", "-q", "--depth", "1", "file://" + lab.folder().string(), shallow.string()});
  lab.git({"clone", "-q", "--shared", ".", borrower.string()});
  lab.git({"clone", "-q", "--mirror", ".", packed.string()});
  Lab::git_in(processes_, packed, {"gc", "-q"});
  lab.git({"worktree", "add", "-q", "--detach", (folder_.path() / "worktree").string()});

  const std::string spaced = "file://" + replace_all(lab.folder().string(), " ", "%20");
  for (const std::string& url :
       {lab.folder().string(), spaced, bare.string(), shallow.string(), packed.string(), borrower.string(),
        (folder_.path() / "worktree").string()}) {
    SCOPED_TRACE(url);
    const auto result = run(request(url, commit));
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(text("a.txt"), "two");
    EXPECT_THAT(git_out({"log", "--format=%s"}), HasSubstr("second"));
    EXPECT_EQ(git_out({"status", "--porcelain"}), "");
    ASSERT_TRUE(remove_tree(out()));
  }
}

TEST_F(CheckoutTest, ASubstituteStandsInForAServerThatIsNeverAsked) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  auto checkout = request("https://github.invalid/lab/tones", lab.commit());
  checkout.substitute = lab.folder();
  const auto result = run(checkout);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(text("a.txt"), "one");
}

TEST_F(CheckoutTest, CertificatesDoNotMatterToADisk) {
  Lab lab(processes_, folder_.path() / "lab");
  own_["SSL_CERT_FILE"] = "/nonexistent/certificates.pem";
  EXPECT_TRUE(run(lab, lab.commit_index()));
}

TEST_F(CheckoutTest, AnUnknownCommitIsToldAndNothingIsLeft) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  lab.commit();
  const auto result = run(lab, std::string(40, 'a'));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.commit-unknown");
  EXPECT_THAT(result.error().message, HasSubstr(std::string(40, 'a')));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(CheckoutTest, OnlyTheIdOfACommitIsACommit) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  lab.commit();
  lab.git({"tag", "-a", "v1", "-m", "v1"});
  for (const char* name : {"HEAD^{tree}", "HEAD:a.txt", "v1"}) {
    const auto result = run(lab, lab.git({"rev-parse", name}));
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().code, "source.commit-unknown");
    EXPECT_THAT(result.error().message, HasSubstr("not a commit"));
  }
  for (const std::string& id : {std::string("main"), std::string(), std::string(39, 'a'),
                                std::string(41, 'a'), std::string(40, 'g'), "HEAD" + std::string(36, ' ')}) {
    const auto result = run(lab, id);
    ASSERT_FALSE(result) << id;
    EXPECT_EQ(result.error().code, "source.refused") << id;
  }
}

TEST_F(CheckoutTest, MissingObjectsAreListed) {
  Lab lab(processes_, folder_.path() / "lab");
  for (int i = 0; i < 30; ++i)
    lab.write("data/" + std::to_string(i) + ".txt", "content " + std::to_string(i));
  lab.write("kept.txt", "kept");
  lab.write("gone/deep/x.txt", "folder");
  const std::string commit = lab.commit();
  const auto forget = [&](const std::string& name) {
    const std::string id = lab.git({"rev-parse", name});
    ASSERT_TRUE(fs::remove(lab.folder() / ".git" / "objects" / id.substr(0, 2) / id.substr(2)));
  };
  forget("HEAD:data/7.txt");
  forget("HEAD:gone/deep");
  auto result = run(lab, commit);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.objects-missing");
  EXPECT_THAT(result.error().message, HasSubstr("lacks 2 files or folders"));
  EXPECT_THAT(result.error().message, HasSubstr("data/7.txt"));
  EXPECT_THAT(result.error().message, HasSubstr("gone/deep/"));
  EXPECT_THAT(result.error().message, Not(HasSubstr("kept.txt")));
  EXPECT_THAT(result.error().advice, HasSubstr("--source"));
  EXPECT_FALSE(fs::exists(out()));

  for (int i = 0; i < 30; ++i) {
    if (i != 7) forget("HEAD:data/" + std::to_string(i) + ".txt");
  }
  result = run(lab, commit);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("lacks 31 files or folders"));
  EXPECT_THAT(result.error().message, HasSubstr(", …"));
}

TEST_F(CheckoutTest, APartialCloneIsOpenedAndItsGapsAreListed) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  lab.git({"config", "uploadpack.allowFilter", "true"});
  const std::string commit = lab.commit();
  const fs::path partial = folder_.path() / "partial";
  lab.git({"clone", "-q", "--no-checkout", "--filter=blob:none", "file://" + lab.folder().string(),
           partial.string()});
  const auto result = run(request(partial.string(), commit));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.objects-missing") << result.error().text();
  EXPECT_THAT(result.error().message, HasSubstr("a.txt"));
}

TEST_F(CheckoutTest, ADamagedObjectIsNotTheLabs) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  lab.write("b.txt", "two");
  const std::string commit = lab.commit();
  const std::string a = lab.git({"rev-parse", "HEAD:a.txt"});
  const std::string b = lab.git({"rev-parse", "HEAD:b.txt"});
  const auto file = [&](const std::string& id) {
    return lab.folder() / ".git" / "objects" / id.substr(0, 2) / id.substr(2);
  };
  // The content of another object under its name.
  fs::remove(file(a));
  fs::copy_file(file(b), file(a));
  auto result = run(lab, commit);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.objects-missing") << result.error().text();
  fs::remove(file(a));
  std::ofstream(file(a)) << "not zlib";
  result = run(lab, commit);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.objects-missing") << result.error().text();
}

TEST_F(CheckoutTest, LfsPointersAreListed) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, 'a') + "\nsize 1234567\n";
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("weights/model.pt", pointer);
  lab.write("clips/a.wav", pointer);
  lab.write("about.md", "A pointer begins with " + pointer);
  lab.write("long.txt", pointer + std::string(2000, 'x'));
  fs::create_symlink("weights/model.pt", lab.folder() / "model.pt");
  const auto result = run(lab, lab.commit());
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(result->lfs_pointers, ElementsAre("clips/a.wav", "weights/model.pt"));
}

TEST_F(CheckoutTest, SaysWhatIsWrongWithTheSource) {
  const std::string commit(40, 'a');
  auto result = run(request((folder_.path() / "absent").string(), commit));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable");
  EXPECT_THAT(result.error().message, HasSubstr("absent"));

  ASSERT_TRUE(write_file(folder_.path() / "plain" / "a.txt", "x"));
  result = run(request((folder_.path() / "plain").string(), commit));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.refused");
  EXPECT_THAT(result.error().message, HasSubstr("not a git repository"));

  for (const char* url :
       {"ftp://host/x", "git://host/x", "ext::sh -c id", "https://", "-x", "https://h\\@e/x"}) {
    result = run(request(url, commit));
    ASSERT_FALSE(result) << url;
    EXPECT_EQ(result.error().code, "source.refused") << url << ": " << result.error().text();
  }
}

TEST_F(CheckoutTest, RefusesAFolderThatExistsAndLeavesIt) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  const std::string commit = lab.commit();
  ASSERT_TRUE(write_file(out() / "mine.txt", "mine"));
  const auto result = run(lab, commit);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.refused");
  EXPECT_EQ(text("mine.txt"), "mine");
}

TEST_F(CheckoutTest, ATreeThatUnfoldsWithoutEndIsRefused) {
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("seed", "x");
  lab.git({"add", "-A"});
  std::string tree = lab.git({"write-tree"});
  // Each level holds the one below ten times: 10^12 files of fourteen objects.
  for (int level = 0; level < 12; ++level) {
    ProcessRequest request;
    request.argv = {"git", "mktree"};
    request.directory = lab.folder();
    request.environment = {{"PATH", own_variables().at("PATH")}};
    for (const char c : std::string("abcdefghij"))
      request.input += "040000 tree " + tree + "\t" + c + "\n";
    tree = std::string(trim(processes_.run(request).out.text()));
    ASSERT_EQ(tree.size(), 40u);
  }
  const std::string commit = lab.git({"commit-tree", tree, "-m", "bomb"});
  const auto result = run(lab, commit);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.refused");
  EXPECT_THAT(result.error().message, HasSubstr("more than 1000000 files and folders"));
}

/// Trees that git itself would never write.
class HostileTreeTest : public CheckoutTest {
 protected:
  struct Entry {
    std::string mode, name, id;
  };
  std::string object(const char* type, const std::string& bytes) {
    ProcessRequest request;
    request.argv = {"git", "hash-object", "-t", type, "--literally", "-w", "--stdin"};
    request.directory = lab_.folder();
    request.environment = {{"PATH", own_variables().at("PATH")}};
    request.input = bytes;
    return std::string(trim(processes_.run(request).out.text()));
  }
  std::string tree(const std::vector<Entry>& entries) {
    std::string bytes;
    for (const auto& entry : entries) {
      bytes += entry.mode + " " + entry.name + std::string(1, '\0');
      for (std::size_t i = 0; i < 40; i += 2) {
        bytes += static_cast<char>(std::stoi(entry.id.substr(i, 2), nullptr, 16));
      }
    }
    return object("tree", bytes);
  }
  Error failure(const std::string& tree_id) {
    const auto result = run(lab_, lab_.git({"commit-tree", tree_id, "-m", "hostile"}));
    EXPECT_FALSE(result);
    EXPECT_FALSE(fs::exists(out()));
    return result ? Error{} : result.error();
  }

  Lab lab_{processes_, folder_.path() / "lab"};
};

TEST_F(HostileTreeTest, NamesThatLeaveOrReachIntoGitAreRefused) {
  const std::string file = object("blob", "evil");
  const std::string inner = tree({{"100644", "evil", file}});
  for (const char* name : {"..", ".", ".git", ".GIT", ".git ", "git~1", "a/b", "../evil", "/tmp/evil"}) {
    for (const auto& entry : {Entry{"100644", name, file}, Entry{"40000", name, inner}}) {
      const Error error = failure(tree({entry}));
      EXPECT_EQ(error.code, "source.refused") << name << ": " << error.text();
    }
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "evil"));
}

TEST_F(HostileTreeTest, AFileBehindALinkIsNotWrittenThroughIt) {
  const fs::path outside = folder_.path() / "outside";
  ASSERT_TRUE(make_folder(outside));
  const std::string link = object("blob", outside.string());
  const std::string inner = tree({{"100644", "evil", object("blob", "evil")}});
  // Both orders, and the spelling that collides where case does not count.
  for (const auto& hostile : {tree({{"120000", "a", link}, {"40000", "a", inner}}),
                              tree({{"40000", "a", inner}, {"120000", "a", link}}),
                              tree({{"120000", "a", link}, {"100644", "a/evil", object("blob", "evil")}}),
                              tree({{"120000", "A", link}, {"40000", "a", inner}})}) {
    (void)run(lab_, lab_.git({"commit-tree", hostile, "-m", "hostile"}));
    EXPECT_FALSE(fs::exists(outside / "evil"));
    ASSERT_TRUE(remove_tree(out()));
  }
}

TEST_F(CheckoutTest, ARepositoryOfAnotherUserNeedsTrust) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  Lab lab(processes_, folder_.path() / "lab");
  lab.write("a.txt", "one");
  const std::string commit = lab.commit();
  for (const auto& entry : fs::recursive_directory_iterator(lab.folder())) {
    ASSERT_EQ(::lchown(entry.path().c_str(), 12345, 12345), 0);
  }
  ASSERT_EQ(::lchown(lab.folder().c_str(), 12345, 12345), 0);

  auto result = run(lab, commit);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.refused");
  EXPECT_THAT(result.error().message, HasSubstr("user id 12345"));
  EXPECT_THAT(result.error().advice, HasSubstr("git config --global --add safe.directory"));
  EXPECT_THAT(result.error().advice, HasSubstr(lab.folder().string()));

  ASSERT_TRUE(
      write_file(folder_.path() / ".gitconfig", "[safe]\n\tdirectory = " + lab.folder().string() + "\n"));
  result = run(lab, commit);
  EXPECT_TRUE(result) << result.error().text();
}

TEST_F(CheckoutTest, AnEmptyCommitIsAnEmptyFolder) {
  Lab lab(processes_, folder_.path() / "lab");
  const auto result = run(lab, lab.commit_index());
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->files, 0u);
  EXPECT_EQ(git_out({"status", "--porcelain"}), "");
}

}  // namespace
}  // namespace mpsgate
