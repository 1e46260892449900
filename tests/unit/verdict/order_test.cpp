// The order of docs/verdict.md as a table: every row, every cause, rehearsal and run.
#include "story.h"
#include "verdict/verdict.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

using test::Story;

struct Case {
  const char* name;
  Story story;
  const char* word;
  int rule;
  const char* cause;
  const char* route;
  int code;
};

std::ostream& operator<<(std::ostream& out, const Case& row) {
  return out << row.name;
}

Story run() {
  return Story("run", "mps");
}
Story cpu() {
  return Story("rehearse", "cpu");
}
Story simulated() {
  return Story("rehearse", "simulated");
}

/// A run stopped by one finding of a step on mps.
Case on_mps(const char* name, const char* step, const char* id, const char* cause, const char* route) {
  return {name,    run().finding(step, id, "stop", "device", cause, "mps", "infer").ends(step, "failed"),
          "abort", 4,
          cause,   route,
          1};
}

class Order : public testing::TestWithParam<Case> {};

TEST_P(Order, Decides) {
  const Verdict verdict = decide(GetParam().story.records());
  EXPECT_EQ(verdict.word, GetParam().word) << to_json(verdict).dump(1);
  EXPECT_EQ(verdict.rule, GetParam().rule);
  EXPECT_EQ(verdict.cause, GetParam().cause);
  EXPECT_EQ(verdict.route, GetParam().route);
  EXPECT_EQ(static_cast<int>(exit_code(verdict)), GetParam().code);
  EXPECT_FALSE(verdict.because.empty());
  EXPECT_FALSE(verdict.next.empty());
  EXPECT_EQ(verdict.reasons.empty(), verdict.rule == 6);
  if (verdict.rule != 6) {
    EXPECT_EQ(verdict.reasons.front().message, verdict.because);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Order,
    testing::Values(
        // 1: static, wherever it was found.
        Case{"cuda_run", run().finding("audit", "audit.cuda-essential", "stop", "static", "cuda"), "abort", 1,
             "cuda", "linux-gpu", 1},
        Case{"cuda_rehearsal", cpu().finding("audit", "audit.cuda-essential", "stop", "static", "cuda"),
             "abort", 1, "cuda", "linux-gpu", 1},
        Case{"distributed", cpu().finding("audit", "audit.distributed", "stop", "static", "cuda"), "abort", 1,
             "cuda", "linux-gpu", 1},
        Case{"native", simulated().finding("audit", "audit.native-no-mps", "stop", "static", "operators"),
             "abort", 1, "operators", "linux-gpu", 1},
        Case{"environment_run",
             run()
                 .finding("environment", "environment.unbuildable", "stop", "static", "environment")
                 .ends("environment", "failed"),
             "abort", 1, "environment", "adapt", 1},
        Case{"environment_rehearsal",
             cpu()
                 .finding("environment", "environment.unbuildable", "stop", "static", "environment")
                 .ends("environment", "failed"),
             "abort", 1, "environment", "adapt", 1},
        Case{"confidentiality",
             run().finding("artefacts", "policy.transfer", "stop", "static", "confidentiality"), "abort", 1,
             "confidentiality", "adapt", 1},
        Case{"static_before_doubt",
             run()
                 .finding("host", "machine.virtual", "doubt", "device", "machine")
                 .finding("audit", "audit.distributed", "stop", "static", "cuda"),
             "abort", 1, "cuda", "linux-gpu", 1},
        Case{"static_before_the_cpu",
             cpu()
                 .finding("control", "crash.signal", "stop", "device", "crash", "cpu", "infer")
                 .finding("environment", "environment.unbuildable", "stop", "static", "environment"),
             "abort", 1, "environment", "adapt", 1},
        Case{"the_stop_table_orders_static",
             cpu()
                 .finding("environment", "environment.unbuildable", "stop", "static", "environment")
                 .finding("audit", "audit.cuda-essential", "stop", "static", "cuda"),
             "abort", 1, "cuda", "linux-gpu", 1},
        // 2: fails on the CPU too.
        Case{"crash_cpu_run",
             run()
                 .finding("control", "crash.signal", "stop", "device", "crash", "cpu", "infer")
                 .ends("control", "failed"),
             "abort", 2, "crash", "adapt", 1},
        Case{"crash_cpu_rehearsal",
             cpu()
                 .finding("control", "crash.exit", "stop", "device", "crash", "cpu", "infer")
                 .ends("control", "failed"),
             "abort", 2, "crash", "adapt", 1},
        Case{"hang_cpu",
             cpu()
                 .finding("control", "crash.hang", "stop", "device", "crash", "cpu", "infer")
                 .ends("control", "failed"),
             "abort", 2, "crash", "adapt", 1},
        Case{"absent_cpu",
             cpu()
                 .finding("control", "result.absent", "stop", "device", "output", "cpu", "infer")
                 .ends("control", "failed"),
             "abort", 2, "output", "adapt", 1},
        Case{"elsewhere_cpu",
             cpu()
                 .finding("control", "result.elsewhere", "stop", "device", "output", "cpu", "infer")
                 .ends("control", "failed"),
             "abort", 2, "output", "adapt", 1},
        Case{"unreadable_cpu",
             cpu()
                 .finding("control", "result.unreadable", "stop", "device", "output", "cpu", "infer")
                 .ends("control", "failed"),
             "abort", 2, "output", "adapt", 1},
        Case{"cpu_before_doubt",
             run()
                 .finding("host", "machine.virtual", "doubt", "device", "machine")
                 .finding("control", "crash.exit", "stop", "device", "crash", "cpu", "infer")
                 .ends("control", "failed"),
             "abort", 2, "crash", "adapt", 1},
        // 3: doubt.
        Case{"no_mps", run().finding("host", "machine.no-mps", "doubt", "static", "machine"), "inconclusive",
             3, "machine", "", 3},
        Case{"virtual_machine", run().finding("host", "machine.virtual", "doubt", "device", "machine"),
             "inconclusive", 3, "machine", "", 3},
        Case{"reference_disagrees",
             run()
                 .finding("parity", "reference.disagrees", "doubt", "device", "numerics", "cpu", "infer")
                 .ends("parity", "failed"),
             "inconclusive", 3, "numerics", "", 3},
        Case{"reference_disagrees_rehearsal",
             cpu()
                 .finding("parity", "reference.disagrees", "doubt", "device", "numerics", "cpu", "infer")
                 .ends("parity", "failed"),
             "inconclusive", 3, "numerics", "", 3},
        Case{"doubt_before_mps",
             run()
                 .finding("host", "machine.rosetta", "doubt", "device", "machine")
                 .finding("strict", "fallback.operators", "stop", "device", "operators", "mps", "infer")
                 .ends("strict", "failed"),
             "inconclusive", 3, "machine", "", 3},
        Case{
            "doubt_about_speed_strikes_timed_criteria",
            run()
                .finding("host", "machine.low-power", "doubt", "device", "performance")
                .measurement("soak", "performance.growth", 40.0, "%", "mps", "infer"),
            "inconclusive", 3, "performance", "", 3},
        Case{
            "doubt_about_speed_strikes_nothing_else",
            run()
                .finding("host", "machine.low-power", "doubt", "device", "performance")
                .finding("strict", "dtype.unsupported", "stop", "device", "dtype", "mps", "infer")
                .ends("strict", "failed"),
            "abort", 4, "dtype", "adapt", 1},
        Case{"doubt_about_speed_alone",
             run().finding("host", "machine.low-power", "doubt", "device", "performance"), "continue", 6, "",
             "mps", 0},
        // 4: measured on mps.
        on_mps("operators", "strict", "fallback.operators", "operators", "adapt"),
        on_mps("device_unused", "census", "device.unused", "device", "adapt"),
        on_mps("device_partial", "census", "device.partial", "device", "adapt"),
        on_mps("dtype", "strict", "dtype.unsupported", "dtype", "adapt"),
        on_mps("memory_fit", "strict", "memory.fit", "memory", "remote-mac"),
        on_mps("numerics", "parity", "numerics.tolerance", "numerics", "linux-gpu"),
        on_mps("session", "soak", "session.survival", "session", "adapt"),
        on_mps("crash_mps", "strict", "crash.signal", "crash", "adapt"),
        on_mps("gpu_error", "strict", "crash.gpu-error", "crash", "adapt"),
        on_mps("swallowed", "strict", "crash.swallowed", "crash", "adapt"),
        on_mps("output_mps", "strict", "result.absent", "output", "adapt"),
        Case{"memory_growth", run().measurement("soak", "memory.growth", 26.5, "%", "mps", "infer"), "abort",
             4, "memory", "remote-mac", 1},
        Case{"memory_growth_infinite", run().measurement("soak", "memory.growth", "inf", "%", "mps", "infer"),
             "abort", 4, "memory", "remote-mac", 1},
        Case{"memory_growth_at_the_limit",
             run().measurement("soak", "memory.growth", 26.0, "%", "mps", "infer"), "continue", 6, "", "mps",
             0},
        Case{"memory_growth_on_the_cpu",
             run().measurement("soak", "memory.growth", 90.0, "%", "cpu", "infer"), "continue", 6, "", "mps",
             0},
        Case{"performance_growth", run().measurement("soak", "performance.growth", 27.0, "%", "mps"), "abort",
             4, "performance", "adapt", 1},
        Case{"performance_wait_without_arm", run().measurement("speed", "performance.wait", 3601.0, "s", ""),
             "abort", 4, "performance", "linux-gpu", 1},
        Case{
            "the_stop_table_orders_measured",
            run()
                .finding("strict", "crash.exit", "stop", "device", "crash", "mps", "infer")
                .finding("strict", "fallback.operators", "stop", "device", "operators", "mps", "infer")
                .ends("strict", "failed"),
            "abort", 4, "operators", "adapt", 1},
        Case{"predicted",
             simulated()
                 .finding("strict", "fallback.operators", "stop", "device", "operators", "mps", "infer")
                 .ends("strict", "failed"),
             "abort", 4, "operators", "adapt", 1},
        Case{
            "numerics_needs_the_mps_arm",
            run()
                .finding("parity", "numerics.tolerance", "stop", "device", "numerics", "", "infer")
                .ends("parity", "failed"),
            "inconclusive", 5, "numerics", "", 3},
        Case{
            "numerics_on_the_cpu",
            cpu()
                .finding("repeat", "numerics.tolerance", "stop", "device", "numerics", "cpu", "infer")
                .ends("repeat", "failed"),
            "inconclusive", 5, "numerics", "", 3},
        // 5: a gating step not passed.
        Case{
            "gap",
            cpu()
                .finding("environment", "environment.index-unreachable", "gap", "device", "environment")
                .ends("environment", "failed"),
            "inconclusive", 5, "environment", "", 3},
        Case{"gap_in_a_step_that_says_passed",
             cpu().finding("repeat", "repeat.differs", "gap", "device", "numerics", "cpu", "infer"),
             "inconclusive", 5, "numerics", "", 3},
        Case{
            "gap_elsewhere",
            cpu()
                .finding("export", "export.failed", "gap", "device", "output", "cpu", "infer")
                .ends("export", "failed"),
            "proceed", 6, "", "mps", 0},
        Case{"failed_without_finding", cpu().ends("relaunch", "failed"), "inconclusive", 5, "", "", 3},
        Case{"harness_error", run().ends("probe", "error"), "inconclusive", 5, "machine", "", 3},
        Case{"gating_step_skipped", run().ends("census", "skipped"), "inconclusive", 5, "", "", 3},
        Case{"other_step_failed", cpu().ends("cleanup", "failed"), "proceed", 6, "", "mps", 0},
        Case{"measurement_of_another_unit", run().measurement("soak", "memory.growth", 2.0, "GiB", "mps"),
             "inconclusive", 5, "memory", "", 3},
        Case{"measurement_that_is_no_number", run().measurement("soak", "memory.growth", "nan", "%", "mps"),
             "inconclusive", 5, "memory", "", 3},
        Case{"stop_without_criterion",
             run().finding("host", "other.unknown", "stop", "device", "machine", "mps"), "inconclusive", 5,
             "machine", "", 3},
        // 6: nothing stops it.
        Case{"continue", run(), "continue", 6, "", "mps", 0},
        Case{"proceed_cpu", cpu(), "proceed", 6, "", "mps", 0},
        Case{"proceed_simulated", simulated(), "proceed", 6, "", "mps", 0},
        Case{"note_only",
             run().finding("strict", "crash.swallowed", "note", "device", "crash", "mps", "infer"),
             "continue", 6, "", "mps", 0},
        Case{"report_only",
             run().finding("speed", "performance.pipeline", "stop", "device", "performance", "mps", "infer"),
             "continue", 6, "", "mps", 0},
        // Interrupted.
        Case{"interrupted", cpu().stops_after("probe", 2), "inconclusive", 5, "", "", 130},
        Case{"terminated", cpu().stops_after("probe", 15), "inconclusive", 5, "", "", 143},
        Case{"hung_up", cpu().stops_after("probe", 1), "inconclusive", 5, "", "", 143},
        Case{
            "interrupted_after_abort",
            cpu()
                .finding("environment", "environment.unbuildable", "stop", "static", "environment")
                .ends("environment", "failed")
                .stops_after("probe", 2),
            "abort", 1, "environment", "adapt", 130}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace mpsgate
