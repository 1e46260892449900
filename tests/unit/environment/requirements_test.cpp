#include "environment/requirements.h"

#include "base/files.h"

#include <random>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Requirement::Kind;

std::vector<std::string> texts(const std::vector<Requirement>& requirements) {
  std::vector<std::string> found;
  for (const auto& requirement : requirements)
    found.push_back(requirement.text);
  return found;
}

TEST(Requirement, HasANameAPinExtrasAndAMarker) {
  const auto requirement =
      parse_requirement("Foo_Bar.baz[train, plots] == 1.2.0 ; python_version < '3.12'", {});
  EXPECT_EQ(requirement.kind, Kind::package);
  EXPECT_EQ(requirement.name, "foo-bar-baz");
  EXPECT_EQ(requirement.pinned, "1.2.0");
  EXPECT_EQ(requirement.extras, "train, plots");
  EXPECT_EQ(requirement.marker, "python_version < '3.12'");
}

TEST(Requirement, IsPinnedOnlyByAnExactVersion) {
  for (const char* text : {"torch==2.1", "torch===2.1", "torch (==2.1)", "torch==2.1;python_version>'3'"})
    EXPECT_EQ(parse_requirement(text, {}).pinned, "2.1") << text;
  for (const char* text :
       {"torch", "torch>=2.1", "torch==2.*", "torch>=2,==2.1", "torch~=2.1", "torch==2.1,<3"})
    EXPECT_EQ(parse_requirement(text, {}).pinned, "") << text;
}

TEST(Requirement, KnowsUrlsPathsAndOptions) {
  for (const auto& [text, kind, name] :
       {std::tuple{"foo @ https://h/foo-1.0.whl", Kind::url, "foo"},
        {"foo@https://h/foo-1.0.whl", Kind::url, "foo"},
        {"git+https://h/lab/ops.git@main#egg=My_Ops", Kind::url, "my-ops"},
        {"-e git+https://h/lab/ops.git#egg=ops&subdirectory=a", Kind::url, "ops"},
        {"https://h/foo-1.0.tar.gz", Kind::url, ""},
        {".", Kind::local, ""},
        {"./ops", Kind::local, ""},
        {"-e .[train]", Kind::local, ""},
        {"--editable=./ops", Kind::local, ""},
        {"wheels/foo-1.0-py3-none-any.whl", Kind::local, ""},
        {"file:ops", Kind::local, ""},
        {"--extra-index-url https://h/simple", Kind::option, ""},
        {"-f https://h/links.html", Kind::option, ""},
        {"--pre", Kind::option, ""}}) {
    const auto requirement = parse_requirement(text, {});
    EXPECT_EQ(requirement.kind, kind) << text;
    EXPECT_EQ(requirement.name, name) << text;
  }
}

TEST(Requirement, PathsAreThoseOfTheCheckout) {
  EXPECT_EQ(parse_requirement("-e ../ops[x]", {}, "requirements").path, "ops");
  EXPECT_EQ(parse_requirement("-e ../ops[x]", {}, "requirements").extras, "x");
  EXPECT_EQ(parse_requirement("./a/../b", {}).path, "b");
}

TEST(Requirement, AnEditableRepositoryIsTakenAsItIs) {
  EXPECT_EQ(parse_requirement("-e git+https://h/ops.git#egg=ops", {}).text, "git+https://h/ops.git#egg=ops");
}

TEST(Requirement, LosesItsHashesAndSaysSo) {
  const auto requirement = parse_requirement("six==1.16.0 --hash=sha256:aa --hash=sha256:bb", {});
  EXPECT_EQ(requirement.text, "six==1.16.0");
  EXPECT_TRUE(requirement.hashed);
}

TEST(Requirement, TakesAnyText) {
  std::mt19937 random(11);
  const std::string alphabet = "ab-_.[]=<>~!;@#/:\\'\" \t019\x01\xC3\xFF";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto length = random() % 20; length > 0; --length)
      text += alphabet[random() % alphabet.size()];
    const auto requirement = parse_requirement(text, {});
    EXPECT_EQ(normalised_name(requirement.name), requirement.name) << text;
  }
}

class RequirementsFile : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder_.path() / name, text));
  }
  TemporaryFolder folder_;
};

TEST_F(RequirementsFile, LosesCommentsAndJoinsContinuedLines) {
  write("r.txt",
        "\xEF\xBB\xBF# all of it\r\n\r\nsix==1.16.0  # why\r\nfoo @ https://h/x#egg=foo\r\nnumpy \\\r\n  "
        ">=1.0, \\\n "
        " <2\n   \n");
  const auto found = read_requirements(folder_.path(), "r.txt");
  ASSERT_TRUE(found);
  EXPECT_THAT(texts(*found), ElementsAre("six==1.16.0", "foo @ https://h/x#egg=foo", "numpy   >=1.0,   <2"));
  EXPECT_EQ(found->back().place, (Place{"r.txt", 5, 0}));
}

TEST_F(RequirementsFile, FollowsOthersOnceEachFromWhereTheyLie) {
  write("requirements/train.txt", "-r base.txt\n--requirement=../more.txt\n-c held.txt\nc\n");
  write("requirements/base.txt", "a\n-r train.txt\n");
  write("more.txt", "b\n-rrequirements/base.txt");
  write("requirements/held.txt", "numpy==1.26.4\n");
  const auto found = read_requirements(folder_.path(), "requirements/train.txt");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_THAT(texts(*found), ElementsAre("a", "b", "numpy==1.26.4", "c"));
  EXPECT_TRUE((*found)[2].constraint);
  EXPECT_FALSE((*found)[3].constraint);
}

TEST_F(RequirementsFile, MissingOrOutsideIsSaidWithThePlaceThatNamesIt) {
  write("r.txt", "six\n-r nowhere.txt\n");
  const auto missing = read_requirements(folder_.path(), "r.txt");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "environment.file-missing");
  EXPECT_EQ(missing.error().place, (Place{"r.txt", 2, 0}));
  write("r.txt", "-r ../../../../../../../etc/hostname\n");
  const auto outside = read_requirements(folder_.path(), "r.txt");
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, "environment.file-missing");
  fs::create_symlink("/etc/hostname", folder_.path() / "link.txt");
  EXPECT_FALSE(read_requirements(folder_.path(), "link.txt"));
}

TEST_F(RequirementsFile, ThatUnfoldsWithoutEndIsRefused) {
  std::string many;
  for (int i = 0; i < 6000; ++i)
    many += "p" + std::to_string(i) + "\n";
  write("many.txt", many);
  const auto found = read_requirements(folder_.path(), "many.txt");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "environment.file-invalid");
  for (int i = 0; i < 40; ++i)
    write("deep" + std::to_string(i), "-r deep" + std::to_string(i + 1) + "\n");
  const auto deep = read_requirements(folder_.path(), "deep0");
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, "environment.file-invalid");
}

TEST_F(RequirementsFile, OfAnotherKindIsRefusedWithAdvice) {
  write("pyproject.toml", "[project]\n");
  const auto found = read_requirements(folder_.path(), "pyproject.toml");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "environment.file-invalid");
  EXPECT_THAT(found.error().advice, HasSubstr("install: ."));
}

TEST_F(RequirementsFile, NeverContinuesBeyondItsEnd) {
  write("r.txt", "six\t--hash=sha256:aa\nidna \\");
  const auto found = read_requirements(folder_.path(), "r.txt");
  ASSERT_TRUE(found);
  EXPECT_THAT(texts(*found), ElementsAre("six", "idna"));
}

TEST_F(RequirementsFile, OfConstraintsInstallsNoFolder) {
  write("r.txt", "-c held.txt\n./ops\n");
  write("held.txt", "./other\n");
  const auto found = read_requirements(folder_.path(), "r.txt");
  ASSERT_TRUE(found);
  EXPECT_FALSE((*found)[0].installs_folder());
  EXPECT_TRUE((*found)[1].installs_folder());
}

TEST_F(RequirementsFile, InAnyBytesIsReadOrRefused) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (auto length = random() % 400; length > 0; --length)
      text += static_cast<char>(random() % 4 ? "ab=-r \n\\#"[random() % 9] : random() % 256);
    write("r.txt", text);
    const auto found = read_requirements(folder_.path(), "r.txt");
    EXPECT_TRUE(found || found.error().code.starts_with("environment.file-"));
  }
}

class WantedPackagesOf : public RequirementsFile {
 protected:
  WantedPackages wanted() {
    auto result = wanted_packages(environment_, folder_.path());
    EXPECT_TRUE(result);
    return *result;
  }
  Protocol::Environment environment_;
};

TEST_F(WantedPackagesOf, AProtocolAreReplacedDroppedAndAdded) {
  write("r.txt", "torch==2.0.1+cu118\nflash_attn\nnumpy\n");
  environment_.files = {"r.txt"};
  environment_.replace["torch"] = {"torch==2.13.0", "the lab pins a CUDA build"};
  environment_.drop["flash-attn"] = "training only";
  environment_.packages = {"six==1.16.0"};
  const auto found = wanted();
  EXPECT_THAT(texts(found.requirements), ElementsAre("numpy", "torch==2.13.0", "six==1.16.0"));
  EXPECT_TRUE(found.requirements[0].of_lab);
  EXPECT_FALSE(found.requirements[1].of_lab);
  EXPECT_FALSE(found.requirements[2].of_lab);
  ASSERT_EQ(found.rewrites.size(), 2u);
  EXPECT_EQ(found.rewrites[0].from, "torch==2.0.1+cu118");
  EXPECT_EQ(found.rewrites[0].to, "torch==2.13.0");
  EXPECT_EQ(found.rewrites[0].because, "the lab pins a CUDA build");
  EXPECT_EQ(found.rewrites[1].to, "");
  EXPECT_TRUE(found.unused.empty());
}

TEST_F(WantedPackagesOf, AProtocolAreHeldAlsoWhereOnlyAnotherPackageAsks) {
  write("r.txt", "timm==1.0.3\n");
  environment_.files = {"r.txt"};
  environment_.replace["torch"] = {"torch==2.13.0", "timm needs one"};
  environment_.drop["apex"] = "not needed";
  const auto found = wanted();
  EXPECT_THAT(texts(found.requirements), ElementsAre("timm==1.0.3", "torch==2.13.0"));
  ASSERT_EQ(found.rewrites.size(), 1u);
  EXPECT_THAT(found.rewrites[0].from, HasSubstr("torch"));
  EXPECT_THAT(found.unused, ElementsAre("apex"));
}

TEST_F(WantedPackagesOf, AProtocolAReplacementIsTakenOnce) {
  write("r.txt", "torch==1.13; python_version<'3.9'\ntorch==2.0; python_version>='3.9'\n");
  environment_.files = {"r.txt"};
  environment_.replace["torch"] = {"torch==2.13.0", "newer"};
  const auto found = wanted();
  EXPECT_THAT(texts(found.requirements), ElementsAre("torch==2.13.0"));
  EXPECT_EQ(found.rewrites.size(), 2u);
}

TEST_F(WantedPackagesOf, ALabsIndexIsNotTakenAndNoCredentialIsRepeated) {
  write("r.txt", "--extra-index-url https://user:hidden@h/simple\n--pre\nsix --hash=sha256:aa\n");
  environment_.files = {"r.txt"};
  const auto found = wanted();
  EXPECT_TRUE(found.own_index);
  EXPECT_THAT(texts(found.requirements), ElementsAre("--pre", "six"));
  ASSERT_EQ(found.rewrites.size(), 2u);
  EXPECT_EQ(found.rewrites[0].from, "--extra-index-url https://***@h/simple");
  EXPECT_THAT(found.rewrites[1].from, HasSubstr("1 requirement with hashes"));
}

}  // namespace
}  // namespace mpsgate
