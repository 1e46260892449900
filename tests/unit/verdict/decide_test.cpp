#include "story.h"
#include "verdict/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mpsgate {
namespace {

using test::Story;
using testing::Contains;
using testing::HasSubstr;

Story crash_on_cpu() {
  return Story()
      .finding("control", "crash.exit", "stop", "device", "crash", "cpu", "infer")
      .ends("control", "failed");
}

bool holds(const std::vector<Reason>& reasons, const std::string& id) {
  return std::any_of(reasons.begin(), reasons.end(), [&](const auto& reason) { return reason.id == id; });
}

TEST(Decide, AnEmptyJournalIsInconclusive) {
  const Verdict verdict = decide({});
  EXPECT_EQ(verdict.word, "inconclusive");
  EXPECT_EQ(verdict.because, "nothing was recorded");
  EXPECT_EQ(exit_code(verdict), ExitCode::inconclusive);
  EXPECT_EQ(line_of(verdict), "inconclusive (unknown): nothing was recorded");
}

TEST(Decide, SaysThatTheCommandFailsOnTheCpuToo) {
  const Verdict verdict = decide(crash_on_cpu().records());
  EXPECT_EQ(verdict.because, "infer fails on the CPU too: message of crash.exit");
  EXPECT_EQ(line_of(verdict),
            "abort (cpu), crash, route adapt: infer fails on the CPU too: message of crash.exit");
}

TEST(Decide, ListsWhatWasMeasuredBehindADoubtAsUnproven) {
  const Verdict verdict =
      decide(Story("run", "mps")
                 .finding("host", "machine.virtual", "doubt", "device", "machine")
                 .finding("strict", "crash.signal", "stop", "device", "crash", "mps", "infer")
                 .ends("strict", "failed")
                 .records());
  ASSERT_EQ(verdict.unproven.size(), 1u);
  EXPECT_EQ(verdict.unproven[0].id, "crash.signal");
  EXPECT_EQ(verdict.unproven[0].standing, "unproven");
  ASSERT_EQ(verdict.reasons.size(), 1u);
  EXPECT_EQ(verdict.reasons[0].id, "machine.virtual");
}

TEST(Decide, NeverBlamesMpsForACommandThatFailsOnTheCpu) {
  auto story = crash_on_cpu();
  const Verdict verdict = decide(
      story.finding("strict", "fallback.operators", "stop", "device", "operators", "mps", "infer").records());
  EXPECT_EQ(verdict.rule, 2);
  EXPECT_EQ(verdict.cause, "crash");
  EXPECT_FALSE(holds(verdict.reasons, "fallback.operators"));
  EXPECT_TRUE(holds(verdict.unproven, "fallback.operators"));
}

TEST(Decide, TellsPredictedFromMeasured) {
  for (const auto& [mode, scope, standing] :
       {std::tuple{"run", "mps", "measured"}, std::tuple{"rehearse", "simulated", "predicted"}}) {
    const Verdict verdict =
        decide(Story(mode, scope)
                   .finding("strict", "dtype.unsupported", "stop", "device", "dtype", "mps", "infer")
                   .ends("strict", "failed")
                   .records());
    ASSERT_FALSE(verdict.reasons.empty());
    EXPECT_EQ(verdict.reasons[0].standing, standing);
    EXPECT_EQ(verdict.scope, scope);
  }
}

TEST(Decide, OfSeveralCommandsTheWorstDecides) {
  Story story("run", "mps");
  story.commands({"infer", "train", "help"})
      .measurement("control", "process.wall", 1.0, "s", "cpu", "infer")
      .measurement("control", "process.wall", 1.0, "s", "cpu", "train")
      .finding("parity", "reference.disagrees", "doubt", "device", "numerics", "cpu", "infer")
      .finding("strict", "memory.fit", "stop", "device", "memory", "mps", "train")
      .ends("strict", "failed");
  const Verdict verdict = decide(story.records());
  EXPECT_EQ(verdict.word, "abort") << "the doubt is about infer alone";
  EXPECT_EQ(verdict.rule, 4);
  EXPECT_EQ(verdict.cause, "memory");
  ASSERT_EQ(verdict.commands.size(), 3u);
  EXPECT_EQ(verdict.commands[0].word, "inconclusive");
  EXPECT_EQ(verdict.commands[1].word, "abort");
  EXPECT_EQ(verdict.commands[1].route, "remote-mac");
  EXPECT_EQ(verdict.commands[2].word, "not judged");
  EXPECT_TRUE(holds(verdict.notes, "reference.disagrees")) << "nothing that was found is lost";
}

TEST(Decide, ADoubtAboutAllCommandsStandsBeforeEachOfThem) {
  Story story("run", "mps");
  story.commands({"infer", "train"})
      .finding("host", "machine.virtual", "doubt", "device", "machine")
      .finding("strict", "memory.fit", "stop", "device", "memory", "mps", "train");
  const Verdict verdict = decide(story.records());
  EXPECT_EQ(verdict.word, "inconclusive");
  EXPECT_TRUE(holds(verdict.unproven, "memory.fit"));
}

TEST(Decide, ACommandOfAFindingCountsThoughThePlanDoesNotNameIt) {
  const Verdict verdict =
      decide(Story("run", "mps")
                 .finding("strict", "crash.exit", "stop", "device", "crash", "mps", "other")
                 .records());
  EXPECT_EQ(verdict.word, "abort");
}

TEST(Decide, ACriterionSetAsideLeavesANoteWithItsReason) {
  Story story("run", "mps");
  story.criterion("memory.growth")["in_force"] = false;
  story.criterion("memory.growth")["because"] = "the loader keeps a cache on purpose";
  story.measurement("soak", "memory.growth", 80.0, "%", "mps", "infer");
  story.criterion("device.partial")["in_force"] = false;
  story.criterion("device.partial")["because"] = "the tokenizer is small";
  story.finding("census", "device.partial", "stop", "device", "device", "mps", "infer");
  const Verdict verdict = decide(story.records());
  EXPECT_EQ(verdict.word, "continue");
  ASSERT_EQ(verdict.notes.size(), 2u);
  EXPECT_THAT(verdict.notes[0].message, HasSubstr("the tokenizer is small"));
  EXPECT_THAT(verdict.notes[1].message, HasSubstr("the loader keeps a cache on purpose"));
}

TEST(Decide, BitwiseAgreementWithCudaStopsOnlyWhereItIsAskedFor) {
  Story story;
  EXPECT_EQ(decide(story.records()).word, "proceed");
  story.criterion("numerics.bitwise-cuda")["in_force"] = true;
  const Verdict verdict = decide(story.records());
  EXPECT_EQ(verdict.word, "abort");
  EXPECT_EQ(verdict.rule, 1);
  EXPECT_EQ(verdict.cause, "numerics");
  EXPECT_EQ(verdict.route, "linux-gpu");
  EXPECT_EQ(verdict.who, "protocol owner");
}

TEST(Decide, AnLlmWorkloadPointsToMlxAndStopsNothing) {
  Story story("run", "mps");
  story.start()["protocol"]["purpose"]["workload"] = "llm";
  const Verdict verdict = decide(story.records());
  EXPECT_EQ(verdict.word, "continue");
  ASSERT_TRUE(holds(verdict.notes, "workload.llm"));
  EXPECT_EQ(verdict.notes[0].route, "mlx");
  EXPECT_THAT(verdict.next, Contains(HasSubstr("MLX")));
}

TEST(Decide, AGatingStepLeftOutIsNotPassed) {
  Story story;
  story.planned("repeat")["selected"] = false;
  story.planned("repeat")["why"] = "left out by --skip";
  const Verdict verdict = decide(story.records());
  EXPECT_EQ(verdict.word, "inconclusive");
  EXPECT_EQ(verdict.because, "repeat: left out by --skip");
  EXPECT_THAT(verdict.not_established,
              Contains(std::pair<std::string, std::string>("repeat", "left out by --skip")));
}

TEST(Decide, AGatingStepDroppedByTheProtocolIsSaidAndDoesNotBlock) {
  Story story;
  auto& probe = story.planned("probe");
  probe["gating"] = false;
  probe["dropped"] = "this lab has no torch";
  probe["why"] = "dropped by the protocol: this lab has no torch";
  const Verdict verdict = decide(story.records());
  EXPECT_EQ(verdict.word, "proceed");
  ASSERT_EQ(verdict.dropped.size(), 1u);
  EXPECT_EQ(verdict.dropped[0], (std::pair<std::string, std::string>("probe", "this lab has no torch")));
}

TEST(Decide, ARehearsalOnTheCpuSaysWhatItDidNotEstablish) {
  const Verdict verdict = decide(Story().records());
  std::vector<std::string> steps;
  for (const auto& [step, why] : verdict.not_established)
    steps.push_back(step);
  EXPECT_THAT(steps, testing::ElementsAre("artefacts", "audit", "strict", "census", "parity", "sweep", "soak",
                                          "speed"));
  EXPECT_THAT(verdict.next, Contains(HasSubstr("mpsgate run protocols/tones.yaml")));
  EXPECT_THAT(verdict.next, Contains(HasSubstr("nothing obliges the move")));
  EXPECT_THAT(verdict.next, Contains(HasSubstr("strict, census")));
}

TEST(Decide, SaysWhenMacosIsRequired) {
  Story story("run", "mps");
  story.start()["protocol"]["purpose"]["macos_required"] = true;
  const Verdict verdict = decide(story.records());
  EXPECT_THAT(verdict.next,
              Contains("macOS validation is a required stage of this project: the partner installs it"));
  EXPECT_THAT(verdict.next, testing::Not(Contains(HasSubstr("nothing obliges"))));
}

TEST(Decide, GapsExplainTheirStepAndNameWhoMustAct) {
  const Verdict verdict = decide(Story()
                                     .finding("source", "source.unreachable", "gap", "device", "machine")
                                     .ends("source", "failed", "no network")
                                     .ends("environment", "skipped", "needs source")
                                     .records());
  ASSERT_EQ(verdict.reasons.size(), 2u);
  EXPECT_EQ(verdict.reasons[0].id, "source.unreachable");
  EXPECT_EQ(verdict.reasons[0].standing, "not established");
  EXPECT_EQ(verdict.reasons[1].id, "step.environment");
  EXPECT_THAT(verdict.next, Contains("remedy of source.unreachable (lab)"));
}

TEST(Decide, OnlyTheLastAttemptOfAStepCounts) {
  Records records = Story().records();
  // A first attempt at control that was killed after it had found a crash.
  Records killed;
  for (const auto& record : records) {
    if (record.step == "control" && record.id == "begin") {
      killed.push_back(record);
      Record crash;
      crash.kind = Kind::finding;
      crash.step = "control";
      crash.id = "crash.exit";
      crash.arm = "cpu";
      crash.data = {{"weight", "stop"}, {"basis", "device"}, {"cause", "crash"}, {"command", "infer"}};
      killed.push_back(crash);
      EXPECT_EQ(decide(killed).word, "abort");
      Record resume;
      resume.kind = Kind::run;
      resume.id = "run.resume";
      killed.push_back(resume);
    }
    killed.push_back(record);
  }
  EXPECT_EQ(decide(killed).word, "proceed");
}

TEST(Decide, AResumedRunIsNoLongerInterrupted) {
  Records records = Story().stops_after("probe", 2).records();
  EXPECT_EQ(exit_code(decide(records)), ExitCode::interrupted);
  Record resume;
  resume.kind = Kind::run;
  resume.id = "run.resume";
  records.push_back(resume);
  EXPECT_EQ(decide(records).interrupted, 0);
  EXPECT_EQ(exit_code(decide(records)), ExitCode::inconclusive);
}

TEST(Decide, ARunWithoutItsEndNeverContinues) {
  const Verdict verdict = decide(Story("run", "mps").stops_after("relaunch", 0).records());
  EXPECT_EQ(verdict.word, "inconclusive") << "cleanup has not run, and something may still be found";
  EXPECT_THAT(verdict.next, Contains(HasSubstr("mpsgate resume")));
}

TEST(Decide, EqualFindingsOfSeveralPassesAreOneReason) {
  Story story("run", "mps");
  for (int i = 0; i < 3; ++i)
    story.finding("repeat", "crash.exit", "stop", "device", "crash", "mps", "infer");
  EXPECT_EQ(decide(story.records()).reasons.size(), 1u);
}

TEST(Decide, TextOfALabIsOneHarmlessLine) {
  Story story;
  story.finding("control", "crash.exit", "stop", "device", "crash", "cpu", "infer\n::error::x");
  story.ends("control", "failed", "first\n::set-output name=x::y\x1b[31m");
  Records records = story.records();
  for (auto& record : records) {
    if (record.kind == Kind::finding) record.data["message"] = "boom\r\n##[error]x\x1b]0;title\x07";
  }
  const Verdict verdict = decide(records);
  for (const auto& text : {line_of(verdict), verdict.because, verdict.reasons[0].command,
                           verdict.not_established.back().second}) {
    EXPECT_EQ(text.find_first_of("\n\r\x1b"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mpsgate
