#pragma once
#include "compare/array.h"
#include "compare/compare.h"

namespace mpsgate {

/// Fills in everything of a Comparison but its name from two arrays of the same member.
void compare_arrays(const Array& actual, const Array& expected, const Tolerance& tolerance,
                    Comparison& comparison);

}  // namespace mpsgate
