#pragma once
#include "verdict/evidence.h"
#include "verdict/verdict.h"

#include <string>
#include <vector>

namespace mpsgate {

/// What to do now, most important first, as sentences a person can follow. `verdict` is complete but for
/// them.
std::vector<std::string> next_of(const Verdict& verdict, const Evidence& evidence);

}  // namespace mpsgate
