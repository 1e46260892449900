#pragma once
#include "reports/model.h"

#include <string>

namespace mpsgate {

/// The verdict as lines "name=value" for a shell or for the file that GITHUB_OUTPUT names: decision, scope,
/// cause, route, effort, who. Every name is there; a value is one harmless line, empty where the verdict has
/// none.
std::string write_outputs(const Report& report);

}  // namespace mpsgate
