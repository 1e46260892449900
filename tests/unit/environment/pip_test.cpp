#include "environment/pip.h"

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(Pip, InstallsOfflineIntoTheTarget) {
  const Pip pip{"/p/python", "23.2.1", "/p/site/pip", "/e/bin/python"};
  EXPECT_THAT(pip.install({"/w"}, {"six==1"}),
              ElementsAre("/p/python", "-m", "pip", "--python", "/e/bin/python", "install", "--no-deps",
                          "--no-index", "--find-links", "/w", "six==1"));
}

TEST(Pip, BeforeItsPythonOptionIsRunByTheTarget) {
  for (const char* old : {"22.2.2", "21.3", "9.0.1"}) {
    const auto argv = Pip{"/p/python", old, "/p/site/pip", "/e/bin/python"}.install({}, {});
    EXPECT_EQ(argv[0], "/e/bin/python") << old;
    EXPECT_EQ(argv[1], "/p/site/pip") << old;
    EXPECT_THAT(argv, Contains("--ignore-installed")) << old;
  }
  EXPECT_EQ((Pip{"/p/python", "22.3", "", "/e/bin/python"}.install({}, {}))[0], "/p/python");
}

TEST(Pip, SeesTheMachinesSettingsOnlyWhileItDownloads) {
  const Variables own = {{"PIP_EXTRA_INDEX_URL", "https://u:secret@h/simple"},
                         {"HTTPS_PROXY", "http://u:secret@proxy"},
                         {"PIP_TARGET", "/elsewhere"},
                         {"PIP_REQUIRE_VIRTUALENV", "1"},
                         {"SSL_CERT_FILE", "/c"},
                         {"LAB_TOKEN", "secret"},
                         {"PATH", "/opt/git/bin:/usr/bin"},
                         {"HOME", "/home/me"}};
  const auto online = download_variables(own, "/scratch");
  EXPECT_EQ(online.at("PIP_EXTRA_INDEX_URL"), "https://u:secret@h/simple");
  EXPECT_EQ(online.at("HTTPS_PROXY"), "http://u:secret@proxy");
  EXPECT_EQ(online.at("PATH"), "/opt/git/bin:/usr/bin");
  EXPECT_EQ(online.at("PIP_REQUIRE_VIRTUALENV"), "0");
  EXPECT_FALSE(online.contains("PIP_TARGET"));
  EXPECT_FALSE(online.contains("LAB_TOKEN"));
  const auto offline = offline_variables(own, "/scratch");
  for (const auto& [name, value] : offline)
    EXPECT_EQ(value.find("secret"), std::string::npos) << name;
  EXPECT_EQ(offline.at("PIP_CONFIG_FILE"), "/dev/null");
  EXPECT_EQ(offline.at("PIP_NO_INDEX"), "1");
  EXPECT_EQ(offline.at("HOME"), "/scratch");
  EXPECT_FALSE(offline.contains("HTTPS_PROXY"));
}

}  // namespace
}  // namespace mpsgate
