#include "base/pattern.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Pattern, GivesTheFirstGroup) {
  const auto pattern = Pattern::compile("WER ([0-9.]+)");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->groups(), 1);
  EXPECT_EQ(pattern->first_group("epoch 1: WER 0.25, WER 0.5"), "0.25");
  EXPECT_FALSE(pattern->first_group("no metric"));
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
  EXPECT_FALSE(pattern->first_group(std::string(100'000, 'a') + "b"));
}

}  // namespace
}  // namespace mpsgate
