#pragma once
#include "record/finding.h"

#include <span>
#include <string_view>

namespace mpsgate {

std::span<const FindingRow> sequence_findings();
std::span<const CriterionRow> sequence_criteria();

/// A finding of this room by its id.
Finding sequence_finding(std::string_view id, std::string message);

}  // namespace mpsgate
