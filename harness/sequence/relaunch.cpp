#include "environment/environment.h"
#include "record/draft.h"
#include "sequence/comparing.h"
#include "sequence/findings.h"
#include "sequence/pass.h"

namespace mpsgate {

/// Started again from what lies on the disk, after everything was closed: the environment as it was built, a
/// fresh copy of the checkout, no state of earlier passes.
Records run_relaunch(const Context& context, const Records& so_far) {
  const std::string arm = context.device_arm();
  const Command* command = context.protocol.command(context.protocol.steps.relaunch);
  Records records;
  const auto fail_with = [&](Finding finding) {
    finding.command = command->name;
    finding.arm = arm;
    const std::string reason = finding.message;
    records.push_back(to_record(finding));
    records.push_back(step_end(StepStatus::failed, reason));
    return records;
  };
  const Record* built = last_of(so_far, Kind::note, "environment.state");
  const Record* folder = last_of(so_far, Kind::note, "environment.folder");
  if (built && folder) {
    const std::string now = environment_state(string_at(folder->data, "value"));
    if (now != string_at(built->data, "value")) {
      return fail_with(sequence_finding("relaunch.environment",
                                        "the files of the environment are not those that it was built with"));
    }
  }
  Pass pass = execute_pass(context, so_far, {"relaunch", arm, 1, command, {}});
  records.insert(records.end(), pass.records.begin(), pass.records.end());
  if (!pass.passed) {
    records.push_back(end_of({pass}));
    return records;
  }
  const auto first =
      collected_outputs(context, so_far, arm, arm != "mps" ? "control" : "strict", command->name);
  const std::string between = std::string("relaunch against ") + (arm != "mps" ? "control" : "strict");
  auto compared = compare_sets(context, so_far, {command->name, pass.collected, first}, false, "relaunch");
  if (!compared) {
    records.push_back(step_end(StepStatus::error, compared.error().text()));
    return records;
  }
  Json rows = Json::array();
  std::vector<Finding> differences;
  bool varies = false;
  for (const auto& comparison : *compared) {
    rows.push_back(comparison_row(between, comparison));
    if (comparison.within()) continue;
    Finding finding = arm != "mps" ? sequence_finding("relaunch.differs", "")
                                   : finding_of(compare_findings(), "numerics.tolerance");
    finding = comparison_finding(std::move(finding), between, comparison);
    finding.command = command->name;
    finding.arm = arm;
    varies = varies || shows_difference(comparison);
    differences.push_back(std::move(finding));
  }
  records.push_back(table("relaunch", "Relaunch on " + arm, comparison_columns(), std::move(rows),
                          {arm, 0, command->name, {}}));
  if (differences.empty()) {
    records.push_back(step_end(StepStatus::passed));
    return records;
  }
  Finding differs = common_finding(varies ? "started again from disk, the result is another one"
                                          : "what it gave after a new start cannot be judged",
                                   differences);
  const Record* repeat = last_of(so_far, Kind::step, "end", "repeat");
  if (!varies) {
    differs.remedy = kUnjudgedRemedy;
  } else if (repeat && string_at(repeat->data, "status") == "failed") {
    differs.remedy = "mend first what repeat found: the command gives another result each time";
  }
  records.push_back(to_record(differs));
  records.push_back(step_end(StepStatus::failed, differs.message));
  return records;
}

}  // namespace mpsgate
