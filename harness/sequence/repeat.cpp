#include "record/draft.h"
#include "sequence/comparing.h"
#include "sequence/findings.h"
#include "sequence/pass.h"

namespace mpsgate {

/// Fresh passes on the device's arm. On the CPU the control pass is the first of them; elsewhere strict is.
Records run_repeat(const Context& context, const Records& so_far) {
  const std::string arm = context.device_arm();
  const Command* command = context.protocol.command(context.protocol.steps.repeat);
  Records records;
  std::vector<Pass> passes;
  for (int number = 1; number <= context.protocol.steps.repeat_passes; ++number) {
    passes.push_back(execute_pass(context, so_far, {"repeat", arm, number, command, {}}));
    records.insert(records.end(), passes.back().records.begin(), passes.back().records.end());
    if (!passes.back().passed) {
      records.push_back(end_of(passes));
      return records;
    }
  }
  const bool bitwise = context.protocol.steps.repeat_bitwise;
  const auto first =
      collected_outputs(context, so_far, arm, arm != "mps" ? "control" : "strict", command->name);
  const auto& baseline = first.empty() ? passes.front().collected : first;
  const std::string baseline_name = first.empty() ? "repeat 1" : (arm != "mps" ? "control" : "strict");
  Json rows = Json::array();
  std::vector<Finding> differences;
  bool varies = false;  // NaN, for one, fails in passes that are bit-equal
  bool all_equal = true;
  for (std::size_t i = first.empty() ? 1 : 0; i < passes.size(); ++i) {
    const std::string between = "repeat " + std::to_string(i + 1) + " against " + baseline_name;
    auto compared =
        compare_sets(context, so_far, {command->name, passes[i].collected, baseline}, bitwise, "repeat");
    if (!compared) {
      records.push_back(step_end(StepStatus::error, compared.error().text()));
      return records;
    }
    for (const auto& comparison : *compared) {
      rows.push_back(comparison_row(between, comparison));
      all_equal = all_equal && comparison.bit_equal;
      if (comparison.within() && !(bitwise && !comparison.bit_equal)) continue;
      // On the CPU the machine and the lab are not yet suspected of anything mps does.
      Finding finding = arm != "mps" ? sequence_finding("repeat.differs", "")
                                     : finding_of(compare_findings(), "numerics.tolerance");
      finding = comparison_finding(std::move(finding), between, comparison);
      finding.command = command->name;
      finding.arm = arm;
      finding.pass = static_cast<int>(i) + 1;
      varies = varies || shows_difference(comparison);
      differences.push_back(std::move(finding));
    }
  }
  records.push_back(table("repeat", "Repeated passes on " + arm, comparison_columns(), std::move(rows),
                          {arm, 0, command->name, {}}));
  records.push_back(note("repeat.bit-equal", "passes bit-equal", all_equal));
  if (differences.empty()) {
    records.push_back(step_end(StepStatus::passed));
    return records;
  }
  const std::string where = arm == "cpu" ? "the CPU" : arm;
  Finding differs = common_finding(varies ? "the same command gives another result each time on " + where
                                          : "what the passes on " + where + " gave cannot be judged",
                                   differences);
  if (!varies) differs.remedy = kUnjudgedRemedy;
  records.push_back(to_record(differs));
  records.push_back(step_end(StepStatus::failed, differs.message));
  return records;
}

}  // namespace mpsgate
