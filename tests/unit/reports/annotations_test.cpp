#include "reports/annotations.h"

#include "base/text.h"
#include "golden.h"

namespace mpsgate {
namespace {

Report aborted() {
  Report report;
  report.name = "tones";
  report.protocol_file = "protocols/tones.yaml";
  report.protocol = {{"repository", {{"url", "https://lab.example/tones"}}}};
  report.verdict.decision = Decision::abort;
  report.verdict.word = "abort";
  report.verdict.scope = "mps";
  report.verdict.because = "it failed";
  return report;
}

void add(Report& report, const std::string& id, const std::string& message, const Place& place) {
  ReportFinding finding;
  finding.origin.id = id;
  finding.message = message;
  finding.place = place;
  report.findings.push_back(finding);
  Reason reason;
  reason.id = id;
  reason.message = message;
  reason.remedy = "mend it";
  report.verdict.reasons.push_back(reason);
}

TEST(Annotations, AreEscapedAsTheRunnerUnescapesThem) {
  EXPECT_EQ(annotation("error", {"a,b:c.yaml", 3, 5}, "50 %, x: y", "100 % of: a, b"),
            "::error file=a%2Cb%3Ac.yaml,line=3,col=5,title=50 %25%2C x%3A y::100 %25 of: a, b\n");
  EXPECT_EQ(annotation("notice", {}, "t", "m"), "::notice title=t::m\n");
  const std::string hostile =
      annotation("error", {"f\n::error::x", 1, 0}, "a\n::b", "m\r\n::error::pwned\x1b[31m");
  EXPECT_EQ(std::count(hostile.begin(), hostile.end(), '\n'), 1);
  EXPECT_EQ(hostile.find("\r"), std::string::npos);
  EXPECT_EQ(hostile.find("\x1b"), std::string::npos);
}

TEST(Annotations, StandWhereTheReasonIs) {
  Report report = aborted();
  add(report, "crash.exit", "it failed", {"predict.py", 12, 0});
  add(report, "reference.missing", "none is there", {"protocols/tones.yaml", 7, 3});
  std::string text = write_annotations(report);
  EXPECT_NE(
      text.find("::error file=protocols/tones.yaml,line=1,title=mpsgate%3A tones%3A abort (mps)::it failed "
                "(predict.py:12 of the lab's repository). To do: mend it\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("file=protocols/tones.yaml,line=7,col=3,title=mpsgate%3A reference.missing"),
            std::string::npos);
  report.protocol["repository"]["url"] = ".";
  text = write_annotations(report);
  EXPECT_NE(
      text.find("::error file=predict.py,line=12,title=mpsgate%3A tones%3A abort (mps)::it failed. To do"),
      std::string::npos)
      << text;
}

TEST(Annotations, AreNoMoreThanGitHubShows) {
  Report report = aborted();
  for (int i = 0; i < 40; ++i)
    add(report, "crash.exit", "it failed " + std::to_string(i), {});
  const auto lines = lines_of(write_annotations(report));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_NE(lines.back().find("32 more: see the report"), std::string::npos) << lines.back();
}

TEST(Annotations, TheDecisionIsTheirKind) {
  Report report = aborted();
  report.verdict.decision = Decision::inconclusive;
  add(report, "machine.no-mps", "none", {});
  EXPECT_EQ(write_annotations(report).find("::error"), std::string::npos);
  report.verdict.decision = Decision::proceed_or_continue;
  report.verdict.reasons.clear();
  EXPECT_TRUE(write_annotations(report).starts_with("::notice "));
}

TEST(StepOutputs, AreOneLineEach) {
  Report report = aborted();
  report.verdict.because = "a\nroute=mps\nb";
  const auto lines = lines_of(write_step_outputs(report));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "decision=abort");
  EXPECT_EQ(lines[6], "because=a route=mps b");
  for (const auto& name : test::golden_names())
    EXPECT_EQ(lines_of(write_step_outputs(build_report(test::golden_records(name)))).size(), 7u) << name;
}

}  // namespace
}  // namespace mpsgate
