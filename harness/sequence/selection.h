#pragma once
#include "sequence/step.h"

#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// What a run does with one row of the sequence.
struct PlannedStep {
  const StepRow* row = nullptr;
  bool selected = true;
  bool gating = false;
  std::string why;  ///< why it is not selected, or (selected) why it will be skipped as far as that is known
  std::string dropped;  ///< the protocol's reason for dropping it from the gating steps; it is then not run
};

/// The steps that must have passed before this one: the row's own, and artefacts before the first command
/// where the protocol names some.
std::vector<std::string_view> needs_of(const StepRow& row, const Protocol& protocol);

/// Applies scope, protocol and --only/--skip. `--only` brings what its steps need. Error code: "usage.step"
/// for an unknown id; an empty selection is left to the caller (exit 5).
Result<std::vector<PlannedStep>> plan_steps(const Protocol& protocol, const RunOptions& options,
                                            const std::string& scope,
                                            std::span<const StepRow> table = step_table());

/// Whether anything but bookkeeping (host, cleanup) is left to run.
bool anything_selected(const std::vector<PlannedStep>& plan);

}  // namespace mpsgate
