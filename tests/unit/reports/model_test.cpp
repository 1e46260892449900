#include "reports/model.h"

#include "golden.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"

#include <random>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

TEST(Report, KnowsKindsAndNoStepByName) {
  Records records = test::golden_records("proceed");
  for (auto& record : records) {
    if (record.step == "control") record.step = "brand-new";
  }
  for (auto& row : records.front().data["steps"]) {
    if (row["id"] == "control") {
      row["id"] = "brand-new";
      row["title"] = "Brand new";
    }
  }
  const Report report = build_report(records);
  EXPECT_EQ(report.verdict.word, "proceed");
  EXPECT_EQ(report.steps[6].id, "brand-new");
  EXPECT_EQ(report.steps[6].status, "passed");
  EXPECT_THAT(write_markdown(report), testing::HasSubstr("Brand new"));
  EXPECT_THAT(write_junit(report, JunitProfile::rich), testing::HasSubstr("name=\"brand-new\""));
}

TEST(Report, TakesOnlyTheLastAttemptOfAStep) {
  Records records = test::golden_records("interrupted");
  Record resume;
  resume.kind = Kind::run;
  resume.id = "run.resume";
  records.push_back(resume);
  Record lost;
  lost.kind = Kind::note;
  lost.step = "control";
  lost.id = "lost";
  lost.data = {{"name", "lost"}, {"value", 1}};
  records.insert(records.end() - 2, lost);
  const auto tells = [](const Report& report) {
    return std::any_of(report.logbook.begin(), report.logbook.end(),
                       [](const auto& note) { return note.name == "lost"; });
  };
  EXPECT_TRUE(tells(build_report(records)));
  Record begin;
  begin.kind = Kind::step;
  begin.step = "control";
  begin.id = "begin";
  records.push_back(begin);
  EXPECT_FALSE(tells(build_report(records)));
}

TEST(Report, EveryPrefixCanBeWritten) {
  for (const auto& name : test::golden_names()) {
    const Records records = test::golden_records(name);
    for (std::size_t length = 0; length <= records.size(); length += 4) {
      const Report report =
          build_report(Records(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(length)));
      const auto json = parse_json(write_json(report), "report.json");
      ASSERT_TRUE(json);
      EXPECT_EQ(string_at(value_at(*json, "verdict"), "decision"), report.verdict.word);
      EXPECT_FALSE(write_markdown(report).empty());
    }
  }
}

TEST(Report, DamagedRecordsAreRead) {
  std::mt19937 random(11);
  const Records whole = test::golden_records("run-abort-numerics");
  const std::vector<Json> odd = {nullptr,
                                 1,
                                 -1.5,
                                 1e300,
                                 "text",
                                 "\xff",
                                 true,
                                 Json::array(),
                                 Json::array({Json::array({1, Json::object()}), 2}),
                                 Json::object({{"a", 1}})};
  for (int round = 0; round < 80; ++round) {
    Records records = whole;
    for (auto& record : records) {
      if (random() % 3 != 0) continue;
      for (auto& [key, value] : record.data.items()) {
        if (random() % 4 == 0) value = odd[random() % odd.size()];
      }
      if (random() % 10 == 0) record.kind = static_cast<Kind>(random() % 8);
    }
    const Report report = build_report(records);
    EXPECT_TRUE(parse_json(write_json(report), "report.json"));
    for (const auto& table : report.tables) {
      for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size());
    }
    write_markdown(report);
    write_junit(report, JunitProfile::strict);
  }
}

TEST(ReportSchema, IsThePublishedOne) {
  const auto published =
      read_file(std::filesystem::path(MPSGATE_SOURCE_DIR) / "protocols/report.schema.json");
  ASSERT_TRUE(published);
  EXPECT_EQ(report_schema(), *published);
  ASSERT_TRUE(parse_json(report_schema(), "schema"));
}

}  // namespace
}  // namespace mpsgate
