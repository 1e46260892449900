#pragma once
#include "record/finding.h"

namespace mpsgate {

/// The findings and criteria of all rooms; criteria in the order of the design's stop table, which decides
/// between several reasons.
const Registry& registry();

}  // namespace mpsgate
