#include "cli/registry.h"

#include "compare/compare.h"
#include "device/device.h"
#include "environment/environment.h"
#include "host/host.h"
#include "sequence/findings.h"
#include "verdict/verdict.h"

#include <algorithm>
#include <vector>

namespace mpsgate {
namespace {

std::vector<CriterionRow> ordered_criteria() {
  std::vector<CriterionRow> rows;
  for (const auto& room :
       {awaited_criteria(), compare_criteria(), sequence_criteria(), environment_criteria()}) {
    rows.insert(rows.end(), room.begin(), room.end());
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return stop_order(a.id) < stop_order(b.id); });
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
