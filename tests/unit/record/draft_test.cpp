#include "record/draft.h"

#include <cmath>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Draft, MeasurementsCarryValueUnitAndWhatTheyAreAbout) {
  const Record record = measurement("process.wall", 1.5, "s", {"cpu", 2, "infer", ""});
  EXPECT_EQ(dump_json(record.data), R"({"command":"infer","value":1.5,"unit":"s"})");
  EXPECT_EQ(record.arm, "cpu");
  EXPECT_EQ(record.pass, 2);
  EXPECT_EQ(measurement("m", std::nan(""), "").data["value"], "nan");
}

TEST(Draft, ATableHasRowsOfItsWidth) {
  EXPECT_NO_THROW(table("t", "T", {{"a", ""}, {"b", "%"}}, Json::array({Json::array({1, 2})})));
  EXPECT_THROW(table("t", "T", {{"a", ""}, {"b", "%"}}, Json::array({Json::array({1})})), std::logic_error);
  EXPECT_THROW(table("t", "T", {{"a", ""}}, Json::array({5})), std::logic_error);
}

TEST(Draft, AStepThatDidNotPassSaysWhy) {
  EXPECT_EQ(step_end(StepStatus::passed).data["status"], "passed");
  EXPECT_THROW(step_end(StepStatus::failed), std::logic_error);
  EXPECT_THROW(step_end(StepStatus::skipped), std::logic_error);
}

}  // namespace
}  // namespace mpsgate
