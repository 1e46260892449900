#pragma once
#include "reports/model.h"

#include <string>

namespace mpsgate {

/// `rich`: properties, file and line, output of each case. `strict`: valid against pytest's junit-10 schema
/// and the windyroad schema. Both follow what real readers make of such files; docs/reports.md says which
/// rule is whose.
enum class JunitProfile { rich, strict };

/// One suite: a case a step, in order, and a last case "verdict".
std::string write_junit(const Report& report, JunitProfile profile);

}  // namespace mpsgate
