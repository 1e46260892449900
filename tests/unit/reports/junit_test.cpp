// What real readers of JUnit files need; see docs/reports.md.
#include "reports/junit.h"

#include "base/text.h"
#include "golden.h"
#include "reports/escape.h"

#include <cmath>
#include <limits>
#include <random>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <pugixml.hpp>

namespace mpsgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Parsed {
  std::string text;
  pugi::xml_document document;
  pugi::xml_node suite;
};

/// The file as a strict reader sees it, after what holds for every file we write.
void read(const Report& report, JunitProfile profile, Parsed& parsed) {
  parsed.text = write_junit(report, profile);
  ASSERT_TRUE(parsed.document.load_string(parsed.text.c_str(), pugi::parse_full)) << parsed.text;
  EXPECT_TRUE(is_utf8(parsed.text));
  EXPECT_EQ(parsed.text.find("<![CDATA["), std::string::npos);
  EXPECT_EQ(parsed.text.find("<!DOCTYPE"), std::string::npos);
  EXPECT_EQ(parsed.text.find("[[ATTACHMENT|"), std::string::npos);
  EXPECT_EQ(parsed.text.find("##["), std::string::npos);
  EXPECT_FALSE(std::regex_search(parsed.text, std::regex("\n[ \t]*::")));
  for (const char c : parsed.text)
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
  for (const char* reference : {"&#0", "&#1;", "&#x"})
    EXPECT_EQ(parsed.text.find(reference), std::string::npos);

  const auto suites = parsed.document.child("testsuites");
  ASSERT_TRUE(suites);
  parsed.suite = suites.child("testsuite");
  ASSERT_TRUE(parsed.suite);
  EXPECT_FALSE(parsed.suite.next_sibling()) << "one flat suite";
  const std::regex time(R"(\d+\.\d{3})");
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  std::set<std::string> names;
  pugi::xml_node last;
  for (const auto& test : parsed.suite.children("testcase")) {
    ++tests;
    last = test;
    const std::string name = test.attribute("name").value();
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_of("<>&|[]`/\\:?#%\"'"), std::string::npos) << name;
    EXPECT_FALSE(name.empty());
    EXPECT_STREQ(test.attribute("classname").value(), parsed.suite.attribute("name").value());
    EXPECT_LE(name.size() + std::string(test.attribute("classname").value()).size(), 1000u);
    EXPECT_TRUE(std::regex_match(test.attribute("time").value(), time)) << test.attribute("time").value();
    int results = 0;
    for (const auto& child : test.children()) {
      const std::string element = child.name();
      if (element == "system-out" || element == "properties") continue;
      ++results;
      failures += element == "failure";
      errors += element == "error";
      skipped += element == "skipped";
      const std::string message = child.attribute("message").value();
      EXPECT_FALSE(message.empty());
      EXPECT_EQ(message.find('\n'), std::string::npos);
      const bool typeless = profile == JunitProfile::strict && element == "skipped";
      EXPECT_THAT(child.attribute("type").value(), StartsWith(typeless ? "" : "mpsgate."));
      EXPECT_EQ(child.attribute("type").empty(), typeless);
      EXPECT_THAT(child.text().get(), StartsWith(message)) << "the message is repeated as the body";
    }
    EXPECT_LE(results, 1);
  }
  EXPECT_STREQ(last.attribute("name").value(), "verdict");
  EXPECT_EQ(parsed.suite.attribute("tests").as_int(), tests);
  EXPECT_EQ(parsed.suite.attribute("failures").as_int(), failures);
  EXPECT_EQ(parsed.suite.attribute("errors").as_int(), errors);
  EXPECT_EQ(parsed.suite.attribute("skipped").as_int(), skipped);
  EXPECT_TRUE(std::regex_match(parsed.suite.attribute("time").value(), time));
  EXPECT_TRUE(std::regex_match(parsed.suite.attribute("timestamp").value(),
                               std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")));
  EXPECT_THAT(parsed.suite.attribute("name").value(), StartsWith("mpsgate."));
}

/// What both schemas allow; xmllint checks one of them where it is at hand.
void expect_strict(const Parsed& parsed) {
  EXPECT_FALSE(parsed.document.child("testsuites").first_attribute()) << "windyroad allows none";
  for (const char* name :
       {"id", "package", "name", "hostname", "timestamp", "tests", "failures", "errors", "skipped", "time"}) {
    EXPECT_TRUE(parsed.suite.attribute(name)) << name;
    EXPECT_STRNE(parsed.suite.attribute(name).value(), "") << name;
  }
  std::vector<std::string> order;
  for (const auto& child : parsed.suite.children()) {
    if (order.empty() || order.back() != child.name()) order.emplace_back(child.name());
  }
  EXPECT_THAT(order, testing::ElementsAre("properties", "testcase", "system-out", "system-err"));
  for (const auto& property : parsed.suite.child("properties").children()) {
    EXPECT_STREQ(property.name(), "property");
    EXPECT_STRNE(property.attribute("name").value(), "");
    EXPECT_STRNE(property.attribute("value").value(), "");
  }
  for (const auto& test : parsed.suite.children("testcase")) {
    for (const auto& attribute : test.attributes()) {
      EXPECT_TRUE(std::string_view(attribute.name()) == "classname" ||
                  std::string_view(attribute.name()) == "name" ||
                  std::string_view(attribute.name()) == "time")
          << attribute.name();
    }
    for (const auto& child : test.children()) {
      EXPECT_TRUE(std::string_view(child.name()) == "failure" || std::string_view(child.name()) == "error" ||
                  std::string_view(child.name()) == "skipped")
          << child.name();
    }
  }
}

void check(const Report& report) {
  Parsed rich, strict;
  read(report, JunitProfile::rich, rich);
  read(report, JunitProfile::strict, strict);
  if (!testing::Test::HasFatalFailure()) expect_strict(strict);
}

pugi::xml_node case_of(const Parsed& parsed, const char* name) {
  return parsed.suite.find_child_by_attribute("testcase", "name", name);
}

TEST(Junit, EveryGoldenJournalAndPrefixKeepsTheRules) {
  for (const auto& name : test::golden_names()) {
    const Records records = test::golden_records(name);
    for (std::size_t length = 0; length <= records.size(); length += 8) {
      check(build_report(Records(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(length))));
      if (testing::Test::HasFailure()) FAIL() << name << " up to record " << length;
    }
    check(build_report(records));
  }
}

TEST(Junit, AnAbortIsAFailureOfItsStepAndOfTheVerdict) {
  Parsed parsed;
  read(build_report(test::golden_records("abort-crash-on-cpu")), JunitProfile::rich, parsed);
  EXPECT_TRUE(case_of(parsed, "control").child("failure"));
  EXPECT_STREQ(case_of(parsed, "control").child("failure").attribute("type").value(), "mpsgate.crash");
  EXPECT_THAT(case_of(parsed, "control").child("failure").text().get(), HasSubstr("KeyError"));
  EXPECT_TRUE(case_of(parsed, "verdict").child("failure"));
  EXPECT_TRUE(case_of(parsed, "relaunch").child("skipped"));
  EXPECT_STREQ(case_of(parsed, "relaunch").child("skipped").text().get(),
               "needs control, which did not pass");
}

TEST(Junit, WhatCouldNotBeFoundOutIsAnError) {
  Parsed parsed;
  read(build_report(test::golden_records("inconclusive-reference")), JunitProfile::rich, parsed);
  EXPECT_TRUE(case_of(parsed, "parity").child("error"));
  EXPECT_TRUE(case_of(parsed, "verdict").child("error"));
  EXPECT_FALSE(parsed.suite.select_node("testcase/failure"));
}

TEST(Junit, WhatDidNotRunNeverPasses) {
  Parsed parsed;
  read(build_report(test::golden_records("interrupted")), JunitProfile::rich, parsed);
  int passed = 0;
  for (const auto& one : parsed.suite.children("testcase")) {
    if (!one.child("failure") && !one.child("error") && !one.child("skipped")) ++passed;
  }
  EXPECT_EQ(passed, 4) << "host, source, environment, probe";
  EXPECT_TRUE(case_of(parsed, "control").child("skipped"));
  EXPECT_STREQ(case_of(parsed, "control").child("skipped").attribute("message").value(),
               "has begun and not ended");
}

TEST(Junit, APassedStepWithAReasonToAbortFails) {
  Report report;
  ReportStep step;
  step.id = "soak";
  step.status = "passed";
  report.steps.push_back(step);
  Reason reason;
  reason.id = "memory.growth";
  reason.message = "grows by 40 %";
  reason.cause = "memory";
  reason.step = "soak";
  report.verdict.decision = Decision::abort;
  report.verdict.word = "abort";
  report.verdict.reasons.push_back(reason);
  Parsed parsed;
  read(report, JunitProfile::strict, parsed);
  EXPECT_TRUE(case_of(parsed, "soak").child("failure"));
}

TEST(Junit, TimesAreFixedPoint) {
  Report report;
  for (const double seconds :
       {0.0005, 59.9996, 1234567.5, 1e300, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    ReportStep step;
    step.id = "s" + std::to_string(report.steps.size());
    step.status = "passed";
    step.seconds = seconds;
    report.steps.push_back(step);
  }
  Parsed parsed;
  read(report, JunitProfile::rich, parsed);
  std::vector<std::string> times;
  for (const auto& test : parsed.suite.children("testcase"))
    times.emplace_back(test.attribute("time").value());
  EXPECT_THAT(times, testing::ElementsAre("0.001", "60.000", "1234567.500", "0.000", "0.000", "0.000",
                                          "0.000", "0.000"));
}

TEST(Junit, NamesThatCollideAfterCleaningStayApart) {
  Report report;
  report.name = "a<b>|[c]/..";
  for (const char* id : {"x:y", "x|y", "verdict", ""}) {
    ReportStep step;
    step.id = id;
    step.status = "passed";
    report.steps.push_back(step);
  }
  check(report);
}

TEST(Junit, LongTextKeepsHeadAndTail) {
  Report report;
  ReportStep step;
  step.id = "control";
  step.status = "failed";
  step.reason = "it failed";
  step.tail = {"first", std::string(300000, 'x'), "last"};
  report.steps.push_back(step);
  Parsed parsed;
  read(report, JunitProfile::rich, parsed);
  const std::string body = case_of(parsed, "control").child("error").text().get();
  EXPECT_LE(body.size(), 64u << 10);
  EXPECT_THAT(body, HasSubstr("first"));
  EXPECT_THAT(body, HasSubstr("left out"));
  EXPECT_THAT(body, testing::EndsWith("last"));
}

TEST(Junit, RandomBytesOfALabLeaveALegalFile) {
  std::mt19937 random(7);
  Records records = test::golden_records("hostile-lab");
  for (int round = 0; round < 25; ++round) {
    for (auto& record : records) {
      if (record.kind != Kind::finding && record.id != "end") continue;
      std::string bytes;
      for (int i = 0; i < 200; ++i)
        bytes += static_cast<char>(random() % 256);
      record.data["message"] = bytes;
      record.data["reason"] = bytes;
      record.data["tail"] = {bytes, bytes};
      record.data["command"] = bytes;
    }
    check(build_report(records));
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace mpsgate
