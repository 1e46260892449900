#pragma once
#include "environment/environment.h"

#include <filesystem>
#include <vector>

namespace mpsgate {

/// What is installed below an environment's site-packages, sorted by name; read from *.dist-info without
/// starting Python.
std::vector<Package> installed_packages(const std::filesystem::path& environment);

}  // namespace mpsgate
