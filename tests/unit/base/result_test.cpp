#include "base/result.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

Result<int> half(int n) {
  if (n % 2) return fail("odd", "the number is odd", "give an even one", {"numbers.txt", n, 2});
  return n / 2;
}

Result<int> quarter(int n) {
  MPSGATE_ASSIGN(const int first, half(n));
  MPSGATE_TRY(half(first));
  return half(first);
}

TEST(ResultType, ErrorsPassThrough) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().code, "odd");
  EXPECT_EQ(quarter(5).error().text(), "numbers.txt:5:2: the number is odd (give an even one)");
}

TEST(ResultType, PlacesLeaveOutWhatIsUnknown) {
  EXPECT_EQ(Place{}.text(), "");
  EXPECT_EQ((Place{"f", 0, 4}.text()), "f");
  EXPECT_EQ((Place{"f", 3, 0}.text()), "f:3");
}

}  // namespace
}  // namespace mpsgate
