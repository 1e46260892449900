#pragma once
#include "record/record.h"

#include <map>
#include <string>

namespace mpsgate {

/// Packages of the run's environment and their versions, as the environment step recorded them.
std::map<std::string, std::string> installed_packages(const Records& records);

}  // namespace mpsgate
