#include "environment/key.h"

#include "base/files.h"

#include <set>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::IsEmpty;

class Key : public testing::Test {
 protected:
  Key() {
    request_.wanted = &wanted_;
    request_.tree = "tree-1";
    request_.own = {{"HOME", home_.path().string()}, {"XDG_CONFIG_DIRS", (home_.path() / "shared").string()}};
    plan_.interpreter = {"/p/python3.11", "3.11.7", "x86_64", "linux-x86_64", "cp311", "23.2.1", ""};
    plan_.requirements = {parse_requirement("six==1.16.0", {})};
  }
  std::string key() const { return content_key(request_, plan_); }

  TemporaryFolder home_;
  Protocol::Environment wanted_;
  EnvironmentRequest request_;
  BuildPlan plan_;
};

TEST_F(Key, IsTheSameForTheSame) {
  EXPECT_EQ(key(), key());
  EXPECT_EQ(key().size(), 32u);
}

TEST_F(Key, ChangesWithEachThingThatDecides) {
  const std::string before = key();
  std::set<std::string> keys = {before};
  const auto differs = [&](auto change) {
    const EnvironmentRequest request = request_;
    const BuildPlan plan = plan_;
    change();
    EXPECT_TRUE(keys.insert(key()).second);
    request_ = request;
    plan_ = plan;
  };
  differs([&] { plan_.requirements.push_back(parse_requirement("idna", {})); });
  differs([&] { plan_.requirements[0].text = "six==1.17.0"; });
  differs([&] { plan_.requirements[0].constraint = true; });
  differs([&] { plan_.rewrites.push_back({"a", "b", "c"}); });
  differs([&] { plan_.torch.constraints = {"torch==2.13.0"}; });
  differs([&] { plan_.interpreter.version = "3.11.8"; });
  differs([&] { plan_.interpreter.path = "/q/python3.11"; });
  differs([&] { plan_.interpreter.architecture = "arm64"; });
  differs([&] { plan_.interpreter.platform = "macosx-14.0-arm64"; });
  differs([&] { plan_.interpreter.pip = "26.3"; });
  differs([&] { request_.own["PIP_INDEX_URL"] = "https://h/simple"; });
  differs([&] { request_.own["PIP_INDEX_URL"] = "https://i/simple"; });
  differs([&] { plan_.install = "."; });
  differs([&] { plan_.requirements.push_back(parse_requirement("-e .", {})); });
  EXPECT_EQ(key(), before);
}

TEST_F(Key, HasTheTreeOnlyWhereTheLabsOwnCodeIsInstalled) {
  const std::string before = key();
  request_.tree = "tree-2";
  EXPECT_EQ(key(), before);
  plan_.install = ".";
  const std::string with = key();
  request_.tree = "tree-3";
  EXPECT_NE(key(), with);
}

TEST_F(Key, HasNoCredentialNorAnythingThatDecidesNothing) {
  request_.own["PIP_INDEX_URL"] = "https://me:one@h/simple";
  const std::string before = key();
  request_.own["PIP_INDEX_URL"] = "https://me:two@h/simple";
  request_.own["PIP_CACHE_DIR"] = "/elsewhere";
  request_.own["EDITOR"] = "vi";
  EXPECT_EQ(key(), before);
}

TEST_F(Key, FollowsConfigurationAndTheConstraintsItNames) {
  const std::string without = key();
  const fs::path file = home_.path() / ".config/pip/pip.conf";
  const fs::path held = home_.path() / "held.txt";
  ASSERT_TRUE(write_file(held, "numpy<2\n"));
  ASSERT_TRUE(write_file(
      file, "[global]\nconstraint = " + held.string() + "\nindex-url = https://me:one@h/simple\n"));
  const std::string with = key();
  EXPECT_NE(with, without);
  ASSERT_TRUE(write_file(held, "numpy<3\n"));
  const std::string held_otherwise = key();
  EXPECT_NE(held_otherwise, with);
  ASSERT_TRUE(write_file(
      file, "[global]\nconstraint = " + held.string() + "\nindex-url = https://me:two@h/simple\n"));
  EXPECT_EQ(key(), held_otherwise);
  request_.own["PIP_CONSTRAINT"] = held.string();
  EXPECT_NE(key(), held_otherwise);
}

TEST_F(Key, ConfigurationFilesAreThoseOfPip) {
  const fs::path shared = home_.path() / "shared/pip/pip.conf", user = home_.path() / ".config/pip/pip.conf";
  ASSERT_TRUE(write_file(shared, ""));
  ASSERT_TRUE(write_file(user, ""));
  EXPECT_THAT(pip_configuration_files(request_.own, "/p/bin/python"), testing::IsSupersetOf({shared, user}));
  request_.own["PIP_CONFIG_FILE"] = "/dev/null";
  EXPECT_THAT(pip_configuration_files(request_.own, "/p/bin/python"), IsEmpty());
}

}  // namespace
}  // namespace mpsgate
