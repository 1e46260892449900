#include "sequence/selection.h"

#include "base/text.h"

#include <algorithm>
#include <set>

namespace mpsgate {
namespace {

bool contains(const std::vector<std::string>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Result<void> check_ids(const std::vector<std::string>& ids, const std::string& option,
                       std::span<const StepRow> table) {
  std::vector<std::string> known;
  for (const auto& row : table)
    known.emplace_back(row.id);
  for (const auto& id : ids) {
    if (contains(known, id)) continue;
    const std::string guess = nearest(id, known);
    return fail("usage.step", option + ": there is no step \"" + id + "\"",
                guess.empty() ? "the steps are: " + join(known, ", ") : "did you mean \"" + guess + "\"?");
  }
  return {};
}

void add_with_needs(const StepRow& row, std::span<const StepRow> table, const Protocol& protocol,
                    std::set<std::string_view>& chosen) {
  if (!chosen.insert(row.id).second) return;
  const auto needs = needs_of(row, protocol);
  for (const auto& other : table) {
    const bool needed = std::find(needs.begin(), needs.end(), other.id) != needs.end();
    if (needed) add_with_needs(other, table, protocol, chosen);
  }
}

}  // namespace

std::vector<std::string_view> needs_of(const StepRow& row, const Protocol& protocol) {
  auto needs = row.needs;
  if (std::string_view(row.id) == "control" && !protocol.artefacts.empty()) needs.push_back("artefacts");
  return needs;
}

Result<std::vector<PlannedStep>> plan_steps(const Protocol& protocol, const RunOptions& options,
                                            const std::string& scope, std::span<const StepRow> table) {
  MPSGATE_TRY(check_ids(options.only, "--only", table));
  MPSGATE_TRY(check_ids(options.skip, "--skip", table));
  std::set<std::string_view> chosen;
  for (const auto& row : table) {
    if (options.only.empty() || contains(options.only, row.id)) add_with_needs(row, table, protocol, chosen);
  }
  const bool cpu_only = scope == "cpu";
  std::vector<PlannedStep> plan;
  for (const auto& row : table) {
    const std::string_view id = row.id;
    PlannedStep step;
    step.row = &row;
    step.gating = cpu_only ? row.gates_cpu : row.gates_run;
    if (id == "artefacts" && !protocol.artefacts.empty()) step.gating = true;
    // Against a reference there is something to compare on the CPU as well.
    if (cpu_only && id == "parity" && !protocol.references.empty()) step.gating = true;
    if (contains(protocol.gating_add, id)) step.gating = true;
    if (const auto dropped = protocol.gating_drop.find(std::string(id));
        dropped != protocol.gating_drop.end()) {
      step.gating = false;
      step.dropped = dropped->second;
      step.why = "dropped by the protocol: " + dropped->second;
    }
    if (contains(options.skip, id)) {
      step.selected = false;
      step.why = "left out by --skip";
    } else if (!chosen.contains(id) && id != "cleanup") {
      step.selected = false;
      step.why = "left out by --only";
    } else if (!step.dropped.empty()) {
      // keeps its reason
    } else if (id == "artefacts" && protocol.artefacts.empty()) {
      step.why = "the protocol names no weights and no data";
    } else if (!row.function) {
      step.why = "this version of mpsgate does not have this step yet";
    } else if (cpu_only && row.needs_mps) {
      step.why = "needs MPS, and this rehearsal has the CPU only";
    } else if (cpu_only && id == "parity" && protocol.references.empty()) {
      step.why = "no reference is named, and CPU against mps needs MPS";
    }
    plan.push_back(std::move(step));
  }
  return plan;
}

bool anything_selected(const std::vector<PlannedStep>& plan) {
  return std::any_of(plan.begin(), plan.end(), [](const PlannedStep& step) {
    return step.selected && step.why.empty() && std::string_view(step.row->id) != "cleanup";
  });
}

}  // namespace mpsgate
