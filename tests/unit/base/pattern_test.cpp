#include "base/pattern.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Pattern, GivesTheFirstGroup) {
  const auto pattern = Pattern::compile("WER ([0-9.]+)");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->groups(), 1);
  const auto match = pattern->first_match("epoch 1: WER 0.25, WER 0.5");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->group, "0.25");
  EXPECT_EQ(match->rest, ", WER 0.5");
  EXPECT_FALSE(pattern->first_match("no metric"));
}

TEST(Pattern, RefusesWhatIsNone) {
  const auto pattern = Pattern::compile("a(");
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().code, "pattern.invalid");
  EXPECT_FALSE(Pattern::compile("(?=a)b"));
}

/// A backtracking engine would not end in the age of the universe.
TEST(Pattern, TakesLinearTime) {
  const auto pattern = Pattern::compile("^(a+)+$");
  EXPECT_FALSE(pattern->first_match(std::string(100'000, 'a') + "b"));
}

}  // namespace
}  // namespace mpsgate
