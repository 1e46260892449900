#pragma once
#include "protocol/protocol.h"
#include "record/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// The words that execute a command's notebook with the environment's own papermill (where it has parameters)
/// or nbconvert, to be run in the notebook's folder; the executed notebook is written to `executed`. Error
/// code: "environment.module-missing".
Result<std::vector<std::string>> notebook_argv(const Command& command, const Records& so_far,
                                               const Placeholders& placeholders,
                                               const std::filesystem::path& executed);

}  // namespace mpsgate
