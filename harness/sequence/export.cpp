#include "base/text.h"
#include "record/draft.h"
#include "sequence/findings.h"
#include "sequence/pass.h"

namespace mpsgate {

Records run_export(const Context& context, const Records& so_far) {
  const auto& steps = context.protocol.steps;
  if (steps.export_command.empty())
    return {step_end(StepStatus::skipped, "the protocol names no export (steps.export)")};
  const std::string arm = context.device_arm();
  std::vector<Pass> passes;
  passes.push_back(
      execute_pass(context, so_far, {"export", arm, 1, context.protocol.command(steps.export_command), {}}));
  Records records = passes.back().records;
  if (passes.back().passed && !steps.export_check.empty()) {
    const auto exported = passes.back().outputs;
    passes.push_back(execute_pass(
        context, so_far,
        {"export", arm, 1, context.protocol.command(steps.export_check), {{"exported", exported.string()}}}));
    records.insert(records.end(), passes.back().records.begin(), passes.back().records.end());
    if (!passes.back().passed) {
      Finding finding = sequence_finding("export.failed",
                                         "the lab's own check of the export failed: " + passes.back().reason);
      finding.command = steps.export_check;
      finding.arm = arm;
      records.push_back(to_record(finding));
    }
  }
  records.push_back(end_of(passes));
  return records;
}

}  // namespace mpsgate
