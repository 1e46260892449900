#include "record/finding.h"

#include <array>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

constexpr std::array kRows = {
    FindingRow{"crash.signal", Cause::crash, Basis::device, Weight::stop, Who::lab, "Ended by a signal",
               "debug it"},
    FindingRow{"host.note", Cause::machine, Basis::fixed, Weight::note, Who::nobody, "A note", "nothing"}};
constexpr std::array kCriteria = {CriterionRow{"crash.signal", Cause::crash, Route::adapt, Effort::hours,
                                               CriterionRow::Rule::any, 0, "", "signal"}};

TEST(Findings, TheRecordNeedsNoTable) {
  Finding finding = finding_of(kRows, "crash.signal", "it crashed");
  finding.command = "infer";
  finding.arm = "cpu";
  finding.place = {"predict.py", 7, 0};
  finding.evidence = {"line"};
  const Record record = to_record(finding);
  EXPECT_EQ(record.kind, Kind::finding);
  EXPECT_EQ(record.id, "crash.signal");
  EXPECT_EQ(
      dump_json(record.data),
      R"({"title":"Ended by a signal","message":"it crashed","cause":"crash","basis":"device","weight":"stop",)"
      R"("who":"lab","remedy":"debug it","command":"infer","place":{"file":"predict.py","line":7,"column":0},)"
      R"("evidence":["line"]})");
}

TEST(Findings, ACaseMayKnowBetterThanItsRow) {
  Finding finding = finding_of(kRows, "crash.signal", "it crashed");
  finding.weight = Weight::note;
  finding.remedy = "ignore it";
  EXPECT_EQ(to_record(finding).data["weight"], "note");
  EXPECT_EQ(to_record(finding).data["remedy"], "ignore it");
}

TEST(Findings, AnUndeclaredIdIsABug) {
  EXPECT_THROW(finding_of(kRows, "no.such", ""), std::logic_error);
}

TEST(Registry, FindsAndAccepts) {
  Registry registry;
  registry.add(std::span<const FindingRow>(kRows));
  registry.add(std::span<const CriterionRow>(kCriteria));
  EXPECT_TRUE(registry.problems().empty());
  EXPECT_EQ(registry.finding("host.note"), &kRows[1]);
  EXPECT_EQ(registry.criterion("host.note"), nullptr);
}

TEST(Registry, NamesEveryFault) {
  static constexpr std::array bad = {
      FindingRow{"twice.told", Cause::crash, Basis::device, Weight::note, Who::lab, "", ""},
      FindingRow{"twice.told", Cause::crash, Basis::device, Weight::note, Who::lab, "", ""},
      FindingRow{"NoDot", Cause::crash, Basis::device, Weight::note, Who::lab, "", ""},
      FindingRow{"stops.alone", Cause::crash, Basis::device, Weight::stop, Who::lab, "", ""},
      FindingRow{"crash.signal", Cause::memory, Basis::device, Weight::stop, Who::lab, "", ""}};
  Registry registry;
  registry.add(std::span<const FindingRow>(bad));
  registry.add(std::span<const CriterionRow>(kCriteria));
  const auto problems = registry.problems();
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_NE(problems[0].find("declared twice"), std::string::npos);
  EXPECT_NE(problems[1].find("malformed"), std::string::npos);
  EXPECT_NE(problems[2].find("no criterion"), std::string::npos);
  EXPECT_NE(problems[3].find("different causes"), std::string::npos);
}

}  // namespace
}  // namespace mpsgate
