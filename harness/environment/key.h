#pragma once
#include "environment/builder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// Hash of all that decides what an environment holds. Credentials are hidden before they are hashed.
std::string content_key(const EnvironmentRequest& request, const BuildPlan& plan);

/// pip's configuration files that exist on this machine, in pip's order; none where PIP_CONFIG_FILE says so.
std::vector<std::filesystem::path> pip_configuration_files(const Variables& own,
                                                           const std::filesystem::path& interpreter);

}  // namespace mpsgate
