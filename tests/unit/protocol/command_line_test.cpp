#include "protocol/command_line.h"

#include "protocol/protocol.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLine, SplitsByQuotesOnly) {
  EXPECT_EQ(split_command("python a.py --x 1").value(), (Words{"python", "a.py", "--x", "1"}));
  EXPECT_EQ(split_command("  a  'b c' \"d \\\"e\\\"\" f''g ").value(), (Words{"a", "b c", "d \"e\"", "fg"}));
  EXPECT_EQ(split_command("''").value(), (Words{""}));
  EXPECT_EQ(split_command("a\\ b $HOME `x` ; rm *").value(),
            (Words{"a\\", "b", "$HOME", "`x`", ";", "rm", "*"}));
  EXPECT_TRUE(split_command("  ")->empty());
  EXPECT_EQ(split_command("ab 'c").error().place.column, 4);
}

TEST(CommandLine, FindsPlaceholders) {
  const auto parts = split_word("--out={out}/x{{1}}").value();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].text, "out");
  EXPECT_TRUE(parts[1].placeholder);
  EXPECT_EQ(parts[2].text, "/x{1}");
  for (const char* bad : {"{out", "a}", "{a{b}}", "{{{"})
    EXPECT_FALSE(split_word(bad)) << bad;
}

TEST(CommandLine, Expands) {
  Placeholders placeholders;
  placeholders.words = {{"device", "mps"}, {"out", "/o"}};
  placeholders.device_args = {"--device", "mps"};
  EXPECT_EQ(expand({"python", "{device_args}", "--o={out}/f", "{{x}}", "{device}"}, placeholders),
            (Words{"python", "--device", "mps", "--o=/o/f", "{x}", "mps"}));
  placeholders.device_args = {};
  EXPECT_EQ(expand({"a", "{device_args}", "b"}, placeholders), (Words{"a", "b"}));
}

}  // namespace
}  // namespace mpsgate
