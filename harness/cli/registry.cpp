#include "cli/registry.h"

#include "compare/compare.h"
#include "device/device.h"
#include "environment/environment.h"
#include "host/host.h"
#include "sequence/findings.h"
#include "verdict/verdict.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace mpsgate {
namespace {

/// docs/verdict.md explains each; of several reasons the first here names cause and route.
constexpr std::array<std::string_view, 27> kStopTable = {"audit.cuda-essential",
                                                         "audit.distributed",
                                                         "audit.native-no-mps",
                                                         "fallback.operators",
                                                         "device.unused",
                                                         "device.partial",
                                                         "dtype.unsupported",
                                                         "memory.fit",
                                                         "memory.growth",
                                                         "numerics.tolerance",
                                                         "numerics.bitwise-cuda",
                                                         "performance.pipeline",
                                                         "performance.growth",
                                                         "performance.wait",
                                                         "workload.llm",
                                                         "session.survival",
                                                         "policy.transfer",
                                                         "result.absent",
                                                         "result.elsewhere",
                                                         "result.unreadable",
                                                         "crash.exit",
                                                         "crash.signal",
                                                         "crash.hang",
                                                         "crash.processes",
                                                         "crash.gpu-error",
                                                         "crash.swallowed",
                                                         "environment.unbuildable"};

std::vector<CriterionRow> ordered_criteria() {
  std::vector<CriterionRow> rows;
  for (const auto& room :
       {awaited_criteria(), compare_criteria(), sequence_criteria(), environment_criteria()}) {
    rows.insert(rows.end(), room.begin(), room.end());
  }
  const auto position = [](const CriterionRow& row) {
    return std::find(kStopTable.begin(), kStopTable.end(), std::string_view(row.id)) - kStopTable.begin();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return position(a) < position(b); });
  if (!rows.empty() && position(rows.back()) >= static_cast<std::ptrdiff_t>(kStopTable.size())) {
    throw std::logic_error(std::string("criterion ") + rows.back().id + " has no place in the stop table");
  }
  return rows;
}

}  // namespace

const Registry& registry() {
  static const std::vector<CriterionRow> criteria = ordered_criteria();
  static const Registry all = [] {
    Registry collected;
    for (const auto& rows : {host_findings(), device_findings(), environment_findings(), compare_findings(),
                             sequence_findings()}) {
      collected.add(rows);
    }
    collected.add(std::span<const CriterionRow>(criteria));
    return collected;
  }();
  return all;
}

}  // namespace mpsgate
