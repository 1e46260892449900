#include "record/draft.h"
#include "sequence/pass.h"

#include <algorithm>

namespace mpsgate {

/// Every command that a later step will judge runs on the CPU first: what fails here is never blamed on mps.
Records run_control(const Context& context, const Records& so_far) {
  const auto& steps = context.protocol.steps;
  std::vector<std::string> commands;
  for (const auto& name : {steps.control, steps.strict, steps.census, steps.repeat, steps.relaunch}) {
    if (std::find(commands.begin(), commands.end(), name) == commands.end()) commands.push_back(name);
  }
  Records records;
  std::vector<Pass> passes;
  for (const auto& name : commands) {
    Pass pass = execute_pass(
        context, so_far, {"control", context.options.reference_arm, 1, context.protocol.command(name), {}});
    records.insert(records.end(), pass.records.begin(), pass.records.end());
    passes.push_back(std::move(pass));
  }
  records.push_back(end_of(passes));
  return records;
}

}  // namespace mpsgate
