#include "fetch/rate.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Rate, IsThatOfTheLastSeconds) {
  Rate rate;
  EXPECT_EQ(rate.add(10, 0), 0) << "nothing to compare with";
  EXPECT_EQ(rate.add(12, 2000), 1000);
  EXPECT_EQ(rate.add(14, 2000), 500);
  EXPECT_EQ(rate.add(19, 2000), 0) << "stalled for as long as it looks back";
}

TEST(Rate, ASlowTransferStillHasOne) {
  Rate rate;
  rate.add(0, 0);
  EXPECT_EQ(rate.add(100, 1000), 10) << "two sights are always kept";
}

TEST(Rate, BeginsAgainWithTheTransfer) {
  Rate rate;
  rate.add(0, 0);
  rate.add(1, 5000);
  EXPECT_EQ(rate.add(2, 100), 0) << "from zero";
  EXPECT_EQ(rate.add(3, 300), 200);
  EXPECT_EQ(rate.add(3, 300), 200) << "at the same moment";
}

}  // namespace
}  // namespace mpsgate
