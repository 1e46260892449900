#include "environment/version.h"

#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Version, SpellsEqualVersionsOnce) {
  for (const auto& [given, canonical] : {std::pair{"1.0", "1"},
                                         {"1.0.0", "1"},
                                         {"v1.16.0", "1.16"},
                                         {"0.0", "0"},
                                         {"01.002", "1.2"},
                                         {"1.0-Alpha.1", "1a1"},
                                         {"1.0a1", "1a1"},
                                         {"1.0.c3", "1rc3"},
                                         {"1.0preview", "1rc0"},
                                         {"1.0-1", "1.post1"},
                                         {"1.0.post1", "1.post1"},
                                         {"1.0.rev1", "1.post1"},
                                         {"1.0.dev", "1.dev0"},
                                         {"2!1.0", "2!1"},
                                         {"0!1.0", "1"},
                                         {"2.13.0+CPU", "2.13+cpu"},
                                         {"1.0+ubuntu-1", "1+ubuntu.1"},
                                         {"1.0b2.post345.dev456", "1b2.post345.dev456"}})
    EXPECT_EQ(canonical_version(given), canonical) << given;
}

TEST(Version, KeepsWhatIsNoVersion) {
  for (const auto& [given, kept] : {std::pair{"", ""},
                                    {" Latest ", "latest"},
                                    {"1.0.x", "1.0.x"},
                                    {"1..2", "1..2"},
                                    {"1.0zeta1", "1.0zeta1"}})
    EXPECT_EQ(canonical_version(given), kept) << given;
}

TEST(Version, TellsDifferentOnesApart) {
  EXPECT_NE(canonical_version("1.1"), canonical_version("1.10"));
  EXPECT_NE(canonical_version("1.0"), canonical_version("1.0.post0"));
  EXPECT_NE(canonical_version("2.0"), canonical_version("2.0+cpu"));
}

TEST(Version, ItsPublicPartHasNoBuild) {
  EXPECT_EQ(public_version("2.0.1+cu118"), "2.0.1");
  EXPECT_EQ(public_version("2.0.1"), "2.0.1");
}

TEST(Version, SpecifiersAllowOrNot) {
  for (const auto& [specifier, version] : {std::pair{"<=2.14.1", "2.13.0"},
                                           {"<=2.14.1", "2.14.1"},
                                           {">=1,!=1.5", "1.6"},
                                           {"==2.*", "2.7"},
                                           {"==2.0", "2"},
                                           {"~=1.4", "1.9"},
                                           {"~=1.4.2", "1.4.9"},
                                           {" > 1 , < 3 ", "2.9"}})
    EXPECT_TRUE(allows(specifier, version)) << specifier << " " << version;
  for (const auto& [specifier, version] : {std::pair{"<=2.14.1", "2.14.2"},
                                           {"<=2.14.1", "9999"},
                                           {">=1,!=1.5", "1.5.0"},
                                           {"==2.0.*", "2.5"},
                                           {"~=1.4", "2.0"},
                                           {"~=1.4.2", "1.5"},
                                           {"<3", "3.0"},
                                           {"", "1"},
                                           {"garbage", "1"},
                                           {"==", "1"}})
    EXPECT_FALSE(allows(specifier, version)) << specifier << " " << version;
}

TEST(Version, TakesAnyText) {
  std::mt19937 random(7);
  const std::string alphabet = "0123456789.+-_!abcdevprostx \xC3\xFF";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto length = random() % 12; length > 0; --length)
      text += alphabet[random() % alphabet.size()];
    const std::string once = canonical_version(text);
    EXPECT_EQ(canonical_version(once), once) << text;
    (void)allows(text, once);
  }
}

}  // namespace
}  // namespace mpsgate
