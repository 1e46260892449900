#include "sequence/runner.h"

#include "base/files.h"
#include "record/draft.h"
#include "record/journal.h"
#include "sequence/findings.h"
#include "verdict/verdict.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

class StepClock : public Clock {
 public:
  std::int64_t now_ms() const override { return 1'796'114'769'000; }
  double seconds() const override { return ticks_ += 0.5; }

 private:
  mutable double ticks_ = 0;
};

class NoProcesses : public ProcessRunner {
 public:
  ProcessResult run(const ProcessRequest&) override { throw std::logic_error("no process is expected here"); }
};

class SilentProgress : public Progress {
 public:
  void run_began(const Record&) override {}
  void step_began(const std::string& id, const std::string&) override { began += id + " "; }
  void say(const std::string&) override {}
  void step_ended(const Record&, const Records&) override {}
  std::string began;
};

// Steps as plain functions that note what they were asked.
std::string executed;
int fail_source = 0;

Records passing(const Context&, const Records&) {
  return {step_end(StepStatus::passed)};
}
Records source(const Context&, const Records&) {
  executed += "source ";
  if (fail_source) return {step_end(StepStatus::failed, "no network")};
  return {note("source.tree", "tree", "abc"), step_end(StepStatus::passed)};
}
Records control(const Context&, const Records& so_far) {
  executed += "control ";
  EXPECT_NE(last_of(so_far, Kind::note, "source.tree"), nullptr);
  return {step_end(StepStatus::passed)};
}
Records throwing(const Context&, const Records&) {
  throw std::runtime_error("a bug");
}
Records endless(const Context&, const Records&) {
  return {note("n", "x", 1)};
}
Records undeclared(const Context&, const Records&) {
  static constexpr FindingRow row{"made.up", Cause::crash, Basis::device, Weight::note, Who::lab, "", ""};
  Finding finding;
  finding.row = &row;
  return {to_record(finding), step_end(StepStatus::passed)};
}
Records no_mps(const Context& context, const Records&) {
  executed += "host ";
  Finding finding = sequence_finding("crash.exit", "failed on the CPU");
  finding.arm = "cpu";
  return {to_record(finding), step_end(StepStatus::failed, finding.message + context.scope)};
}
Records cleanup(const Context&, const Records&) {
  executed += "cleanup ";
  return {step_end(StepStatus::passed)};
}

class RunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    executed.clear();
    fail_source = 0;
    registry_.add(sequence_findings());
    registry_.add(sequence_criteria());
    protocol_.name = "fake";
    protocol_.text = kText;
    protocol_.file = folder_.path() / "p.yaml";
    protocol_.root = folder_.path();
  }
  std::vector<StepRow> rows(StepFunction probe = passing) {
    return {{1, "host", "", "", passing, {}, false, false, false},
            {2, "source", "", "", source, {}, false, true, true},
            {6, "probe", "", "", probe, {"source"}, false, false, false},
            {7, "control", "", "", control, {"source"}, false, true, true},
            {9, "census", "", "", nullptr, {"control"}, true, true, false},
            {17, "cleanup", "", "", cleanup, {}, false, false, false}};
  }
  Result<Records> start(const std::vector<StepRow>& table, RunOptions options = {}) {
    const Surroundings around{
        registry_,   processes_,         clock_, progress_, {}, folder_.path() / "cache",
        "lab-mac-3", [] { return 0.0; }, table};
    return start_run(protocol_, options, run_, around);
  }
  static std::string status(const Records& records, std::string_view step) {
    const Record* end = last_of(records, Kind::step, "end", step);
    return end ? string_at(end->data, "status") : "none";
  }
  static std::string reason(const Records& records, std::string_view step) {
    const Record* end = last_of(records, Kind::step, "end", step);
    return end ? string_at(end->data, "reason") : "none";
  }

  static constexpr const char* kText =
      "mpsgate: 1\nname: fake\nrepository: {url: https://example.org/x, commit: "
      "\"0123456789012345678901234567890123456789\"}\n"
      "commands: {infer: python x.py}\noutputs: {s: {file: s.npy}}\n";
  TemporaryFolder folder_;
  RunFolder run_{folder_.path() / "run"};
  Registry registry_;
  NoProcesses processes_;
  StepClock clock_;
  SilentProgress progress_;
  Protocol protocol_;
};

TEST_F(RunnerTest, RunsInOrderAndRecords) {
  const auto records = start(rows());
  ASSERT_TRUE(records) << records.error().text();
  EXPECT_EQ(executed, "source control cleanup ");
  EXPECT_EQ(records->front().id, "run.start");
  EXPECT_EQ(records->back().id, "run.end");
  EXPECT_EQ(status(*records, "census"), "skipped");
  EXPECT_EQ(read_journal(run_.journal()).value().size(), records->size());
  EXPECT_EQ(progress_.began, "host source probe control census cleanup ");
  EXPECT_EQ(read_file(run_.protocol()).value(), kText);
}

TEST_F(RunnerTest, AFailedNeedSkipsWithThatReason) {
  fail_source = 1;
  const auto records = start(rows()).value();
  EXPECT_EQ(executed, "source cleanup ");
  EXPECT_EQ(status(records, "control"), "skipped");
  EXPECT_EQ(reason(records, "control"), "needs source, which did not pass");
}

TEST_F(RunnerTest, ABugEndsTheStepNotTheReport) {
  for (const auto& [function, said] :
       {std::pair{&throwing, "a bug"}, std::pair{&endless, "no end"}, std::pair{&undeclared, "made.up"}}) {
    TemporaryFolder other;
    run_ = RunFolder(other.path() / "run");
    const auto records = start(rows(function)).value();
    EXPECT_EQ(status(records, "probe"), "error");
    EXPECT_NE(reason(records, "probe").find(said), std::string::npos) << reason(records, "probe");
    EXPECT_EQ(status(records, "cleanup"), "passed");
    EXPECT_EQ(records.back().id, "run.end");
  }
}

TEST_F(RunnerTest, ARunGoesStraightToCleanupAfterAnAbort) {
  RunOptions options;
  options.mode = Mode::run;
  const auto records = start(rows(no_mps), options).value();
  EXPECT_EQ(executed, "source host cleanup ");
  EXPECT_NE(reason(records, "control").find("the verdict stands: abort"), std::string::npos);
  EXPECT_EQ(decide(records).decision, Decision::abort);
}

TEST_F(RunnerTest, ARehearsalAndKeepGoingGoOn) {
  EXPECT_TRUE(start(rows(no_mps)));
  EXPECT_EQ(executed, "source host control cleanup ");
  executed.clear();
  run_ = RunFolder(folder_.path() / "second");
  RunOptions options;
  options.mode = Mode::run;
  options.keep_going = true;
  EXPECT_TRUE(start(rows(no_mps), options));
  EXPECT_EQ(executed, "source host control cleanup ");
}

TEST_F(RunnerTest, NothingSelectedLeavesNoRun) {
  RunOptions options;
  options.only = {"cleanup"};
  const auto records = start(rows(), options);
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, "nothing.selected");
  EXPECT_FALSE(fs::exists(run_.root()));
}

class ResumeTest : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    protocol_ = read_protocol(kText, folder_.path() / "p.yaml", folder_.path(), registry_).protocol.value();
    table_ = rows();
    whole_ = start(table_).value();
    text_ = read_file(run_.journal()).value();
    executed.clear();
  }
  Result<Records> resume() {
    const Surroundings around{
        registry_,   processes_,         clock_, progress_, {}, folder_.path() / "cache",
        "lab-mac-3", [] { return 0.0; }, table_};
    return resume_run(run_, around);
  }
  std::vector<StepRow> table_;
  Records whole_;
  std::string text_;
};

TEST_F(ResumeTest, AKillAtAnyPointIsMended) {
  std::size_t lines = 0;
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    executed.clear();
    ASSERT_TRUE(write_file(run_.journal(), text_.substr(0, at + 1)));
    const Records before = read_journal(run_.journal()).value();
    const auto records = resume();
    ASSERT_TRUE(records) << records.error().text();
    for (const auto* id : {"source", "control", "cleanup"}) {
      const bool was_finished = last_of(before, Kind::step, "end", id) != nullptr;
      EXPECT_EQ(executed.find(id) == std::string::npos, was_finished) << id << " after line " << lines;
      EXPECT_EQ(status(*records, id), "passed");
    }
    const Verdict verdict = decide(*records);
    EXPECT_EQ(verdict.word, decide(whole_).word);
    EXPECT_TRUE(verdict.finished);
    ++lines;
  }
  EXPECT_EQ(lines, whole_.size());
}

TEST_F(ResumeTest, AFinishedRunIsOnlyRead) {
  EXPECT_EQ(resume().value().size(), whole_.size());
  EXPECT_EQ(executed, "");
  EXPECT_EQ(read_file(run_.journal()).value(), text_);
}

TEST_F(ResumeTest, RefusesWhatIsNoRunOrAnotherProtocol) {
  ASSERT_TRUE(write_file(run_.journal(), text_.substr(0, text_.find('\n') + 1)));
  ASSERT_TRUE(write_file(run_.protocol(), std::string(kText) + "# changed\n"));
  EXPECT_EQ(resume().error().code, "resume.protocol-changed");
  run_ = RunFolder(folder_.path() / "nothing");
  EXPECT_EQ(resume().error().code, "resume.not-a-run");
}

}  // namespace
}  // namespace mpsgate
