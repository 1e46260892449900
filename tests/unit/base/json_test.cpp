#include "base/json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(JsonText, KeepsOrderAndSurvivesBrokenText) {
  const Json json = {{"z", 1}, {"a", "\xff"}};
  EXPECT_EQ(dump_json(json), "{\"z\":1,\"a\":\"\xEF\xBF\xBD\"}");
}

TEST(JsonText, RefusesWhatIsNoJson) {
  EXPECT_EQ(parse_json("{", "x").error().code, "json.invalid");
  EXPECT_EQ(parse_json("", "x").error().code, "json.invalid");
  EXPECT_EQ(parse_json("[1]", "x").value()[0], 1);
}

TEST(JsonText, NumbersWithoutANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_number(infinity), "inf");
  EXPECT_EQ(json_number(-infinity), "-inf");
  EXPECT_EQ(json_number(std::nan("")), "nan");
  EXPECT_EQ(number_of(json_number(-infinity)), -infinity);
  EXPECT_TRUE(std::isnan(number_of(json_number(std::nan("")))));
  EXPECT_EQ(number_of(json_number(0.1)), 0.1);
  EXPECT_EQ(number_of("text", 7), 7);
}

TEST(JsonText, MembersOfAnotherTypeAreAbsent) {
  const Json json = {{"s", "x"}, {"n", 2}, {"b", true}};
  EXPECT_EQ(string_at(json, "s"), "x");
  EXPECT_EQ(string_at(json, "n", "none"), "none");
  EXPECT_EQ(number_at(json, "n"), 2);
  EXPECT_EQ(number_at(json, "b", 5), 5);
  EXPECT_TRUE(bool_at(json, "b"));
  EXPECT_TRUE(value_at(Json::array(), "s").is_null());
}

}  // namespace
}  // namespace mpsgate
