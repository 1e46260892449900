#include "base/units.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Units, Seconds) {
  EXPECT_EQ(parse_seconds("90 s"), 90);
  EXPECT_EQ(parse_seconds("10 min"), 600);
  EXPECT_EQ(parse_seconds("2h"), 7200);
  EXPECT_EQ(parse_seconds("250 ms"), 0.25);
  EXPECT_EQ(parse_seconds("30 d"), 30 * 86400);
  EXPECT_FALSE(parse_seconds("1e300 s")) << "a thousand years are enough";
  for (const char* bad : {"90", "s", "-1 s", "1 sec", "", "1 s s", "010 s", "1e999 s"})
    EXPECT_FALSE(parse_seconds(bad)) << bad;
}

TEST(Units, Bytes) {
  EXPECT_EQ(parse_bytes("12 GiB"), 12ull << 30);
  EXPECT_EQ(parse_bytes("1.5 KiB"), 1536u);
  EXPECT_EQ(parse_bytes("5 GB"), 5'000'000'000u);
  EXPECT_EQ(parse_bytes("100 B"), 100u);
  for (const char* bad : {"12", "12 gib", "-1 B", "1e300 TiB"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
}

TEST(Units, SizesWereRounded) {
  const auto holds = [](const char* text, std::uint64_t bytes) {
    return parse_size_band(text)->holds(bytes);
  };
  EXPECT_TRUE(holds("100 B", 100));
  EXPECT_FALSE(holds("100 B", 101));
  EXPECT_TRUE(holds("48 MiB", 48u << 20) && holds("48 MiB", (48u << 20) + 524'288));
  EXPECT_FALSE(holds("48 MiB", (48u << 20) + 524'289 + 1));
  EXPECT_TRUE(holds("1.5 GB", 1'549'999'999));
  EXPECT_FALSE(holds("1.50 GB", 1'549'999'999));
  EXPECT_TRUE(holds("0 MiB", 0));
  EXPECT_FALSE(parse_size_band("48"));
}

TEST(Units, Dates) {
  EXPECT_TRUE(is_date("2027-03-01") && is_date("2028-02-29"));
  for (const char* bad :
       {"2027-02-29", "2027-13-01", "2027-3-1", "2027-03-1x", "", "2027/03/01", "-027-03-01"})
    EXPECT_FALSE(is_date(bad)) << bad;
}

TEST(Units, Numbers) {
  EXPECT_EQ(parse_points("0.5 points"), 0.5);
  EXPECT_FALSE(parse_points("0.5 %"));
  EXPECT_EQ(parse_percent("26 %"), 26);
  EXPECT_FALSE(parse_percent("26"));
  EXPECT_EQ(parse_number("1e-4"), 1e-4);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  for (const char* bad : {"010", "0x10", "nan", ".inf", "1_000", "1e", "", "1 2"})
    EXPECT_FALSE(parse_number(bad)) << bad;
  EXPECT_EQ(parse_integer("42"), 42);
  for (const char* bad : {"4.0", "1e3", "007", "9999999999999999999", "-"})
    EXPECT_FALSE(parse_integer(bad)) << bad;
}

}  // namespace
}  // namespace mpsgate
