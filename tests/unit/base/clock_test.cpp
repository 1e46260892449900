#include "base/clock.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Clock, WritesUtcWithMilliseconds) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(1'796'114'769'123), "2026-12-01T08:46:09.123Z");
  EXPECT_EQ(utc_date(1'796'114'769'123), "2026-12-01");
}

TEST(Clock, ReadsWhatItWrites) {
  for (const std::int64_t ms : {0LL, 951'782'400'000LL, 1'796'114'769'123LL, 4'102'444'799'999LL}) {
    EXPECT_EQ(utc_ms(utc_text(ms)), ms);
  }
  EXPECT_EQ(utc_ms("yesterday"), -1);
  EXPECT_EQ(utc_ms("2026-12-01T08:46:09.123+01:00"), -1);
}

TEST(Clock, SecondsNeverGoBack) {
  const SystemClock clock;
  const double first = clock.seconds();
  EXPECT_GE(clock.seconds(), first);
  EXPECT_GT(clock.now_ms(), 1'700'000'000'000);
}

}  // namespace
}  // namespace mpsgate
