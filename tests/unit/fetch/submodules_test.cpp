#include "fetch/submodules.h"

#include "lab.h"

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using ::testing::HasSubstr;

class SubmodulesTest : public CheckoutTest {
 protected:
  SubmodulesTest() {
    sub_.write("s.txt", "sub");
    pinned_ = sub_.commit("first");
    sub_.write("s.txt", "later");
    sub_.commit("second");
    lab_.write("a.txt", "one");
    lab_.commit();
  }
  Error failure(const std::string& commit) {
    const auto result = run(lab_, commit);
    EXPECT_FALSE(result);
    EXPECT_FALSE(fs::exists(out()));
    return result ? Error{} : result.error();
  }

  Lab sub_{processes_, folder_.path() / "sub"};
  Lab lab_{processes_, folder_.path() / "lab"};
  std::string pinned_;
};

TEST_F(SubmodulesTest, ARelativeUrlOfALocalLabIsAFolderBesideIt) {
  const std::string commit = lab_.pin("libs/sub", "../sub", pinned_);
  const auto result = run(lab_, commit);
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result->submodules.size(), 1u);
  EXPECT_EQ(result->submodules[0].path, "libs/sub");
  EXPECT_EQ(result->submodules[0].url, sub_.folder().string());
  EXPECT_EQ(result->submodules[0].commit, pinned_);
  EXPECT_EQ(text("libs/sub/s.txt"), "sub");
  EXPECT_EQ(git_out({"status", "--porcelain"}), "");
  EXPECT_EQ(git_out({"-C", "libs/sub", "rev-parse", "HEAD"}), pinned_);
  EXPECT_EQ(result->files, 3u);  // a.txt, .gitmodules, s.txt
}

TEST_F(SubmodulesTest, SubmodulesOfSubmodulesComeAlong) {
  Lab middle(processes_, folder_.path() / "middle");
  middle.write("m.txt", "middle");
  middle.commit();
  const std::string middle_commit = middle.pin("inner", "./../sub", pinned_);
  const auto result = run(lab_, lab_.pin("outer", "../middle", middle_commit));
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result->submodules.size(), 2u);
  EXPECT_EQ(result->submodules[0].path, "outer");
  EXPECT_EQ(result->submodules[1].path, "outer/inner");
  EXPECT_EQ(text("outer/inner/s.txt"), "sub");
}

TEST_F(SubmodulesTest, ARepositoryThatHoldsItselfEnds) {
  // A commit cannot pin itself, so each level pins the one before.
  std::string commit = pinned_;
  for (int level = 0; level < kDeepestSubmodule + 2; ++level)
    commit = sub_.pin("again", "../sub", commit);
  const Error error = failure(lab_.pin("deep", "../sub", commit));
  EXPECT_EQ(error.code, "source.submodule");
  EXPECT_THAT(error.message, HasSubstr("repositories deep"));
}

TEST_F(SubmodulesTest, ASubstituteIsTakenForItsUrl) {
  const std::string commit = lab_.pin("sub", "https://github.invalid/lab/sub.git", pinned_);
  auto checkout = request(lab_.folder().string(), commit);
  checkout.substitutes = {{"https://github.invalid/lab/other", "/nowhere"},
                          {"https://github.invalid/lab/sub/", sub_.folder()}};
  const auto result = run(checkout);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(text("sub/s.txt"), "sub");
  EXPECT_EQ(result->submodules.at(0).url, "https://github.invalid/lab/sub.git");
}

TEST_F(SubmodulesTest, ARelativeUrlOfASubstitutedLabKeepsItsName) {
  const std::string commit = lab_.pin("sub", "../sub", pinned_);
  auto checkout = request("https://github.invalid/lab/tones", commit);
  checkout.substitute = lab_.folder();
  checkout.substitutes = {{"https://github.invalid/lab/sub", sub_.folder()}};
  const auto result = run(checkout);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->submodules.at(0).url, "https://github.invalid/lab/sub");
}

TEST_F(SubmodulesTest, CanBeLeftOut) {
  auto checkout = request(lab_.folder().string(), lab_.pin("sub", "https://github.invalid/x/y", pinned_));
  checkout.submodules = false;
  const auto result = run(checkout);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_TRUE(result->submodules.empty());
  EXPECT_FALSE(fs::exists(out() / "sub" / "s.txt"));
}

TEST_F(SubmodulesTest, UpdateNoneLeavesItEmptyAsGitDoes) {
  lab_.git({"config", "-f", ".gitmodules", "submodule.sub.update", "none"});
  const auto result = run(lab_, lab_.pin("sub", "https://github.invalid/x/y", pinned_));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_TRUE(result->submodules.empty());
}

TEST_F(SubmodulesTest, AGitlinkThatNothingExplainsIsAnError) {
  lab_.git({"update-index", "--add", "--cacheinfo", "160000," + pinned_ + ",vendored"});
  const Error error = failure(lab_.commit_index());
  EXPECT_EQ(error.code, "source.submodule");
  EXPECT_THAT(error.message, HasSubstr("vendored"));
  EXPECT_THAT(error.advice, HasSubstr("repository.submodules: false"));
}

TEST_F(SubmodulesTest, AnUnknownCommitNamesTheSubmodule) {
  const Error error = failure(lab_.pin("sub", "../sub", std::string(40, 'b')));
  EXPECT_EQ(error.code, "source.commit-unknown");
  EXPECT_THAT(error.message, HasSubstr("the submodule sub: "));
}

TEST_F(SubmodulesTest, LocalPathsAndOtherSchemesAreRefused) {
  for (const std::string& url :
       {sub_.folder().string(), "file://" + sub_.folder().string(), std::string("http://github.invalid/x/y"),
        std::string("git://h/x"), std::string("ext::sh -c id"), std::string("ssh://-oProxyCommand=id/x"),
        std::string("--upload-pack=id"), std::string("sub")}) {
    const Error error = failure(lab_.pin("sub", url, pinned_));
    EXPECT_TRUE(error.code == "source.submodule" || error.code == "source.refused")
        << url << ": " << error.text();
  }
}

TEST_F(SubmodulesTest, HostileGitmodulesAreRefused) {
  const std::string sections[] = {
      "[submodule \"x\"]\n\tpath = ../../escape\n\turl = ../sub\n",
      "[submodule \"x\"]\n\tpath = /tmp/escape\n\turl = ../sub\n",
      "[submodule \"x\"]\n\tpath = .git/hooks\n\turl = ../sub\n",
      "[submodule \"x\"]\n\tpath = a/.GIT/hooks\n\turl = ../sub\n",
      "[submodule \"x\"]\n\tpath = \"a\\nb\"\n\turl = ../sub\n",
      "[include]\n\tpath = /etc/passwd\n",
      "[a] b = c\n[ INCLUDEIF \"gitdir:/\"]\n\tpath = /etc/passwd\n",
  };
  lab_.pin("sub", "../sub", pinned_);
  for (const auto& section : sections) {
    lab_.write(".gitmodules", section + "[submodule \"sub\"]\n\tpath = sub\n\turl = ../sub\n");
    lab_.git({"add", ".gitmodules"});
    const Error error = failure(lab_.commit_index());
    EXPECT_EQ(error.code, "source.refused") << section << error.text();
  }
  lab_.write(".gitmodules", "[submodule \"sub\n\tpath");
  lab_.git({"add", ".gitmodules"});
  EXPECT_EQ(failure(lab_.commit_index()).code, "source.submodule");

  fs::remove(lab_.folder() / ".gitmodules");
  fs::create_symlink("a.txt", lab_.folder() / ".gitmodules");
  lab_.git({"add", ".gitmodules"});
  EXPECT_EQ(failure(lab_.commit_index()).code, "source.refused");
}

}  // namespace
}  // namespace mpsgate
