#pragma once
#include "sequence/execution.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mpsgate {

/// What a pass left behind.
struct Collected {
  Records records;                                     ///< one artefact an output
  std::vector<Finding> findings;                       ///< outputs that are not there or cannot be read
  std::map<std::string, std::filesystem::path> files;  ///< output name → file or folder below the run
};

/// Takes what the command wrote out of the workspace, and what it printed out of its log, to `folder`, and
/// reads it back in a supervised process. Error codes: those of copy_tree and describe_supervised.
Result<Collected> collect(const Context& context, const PassRequest& request, const Execution& execution,
                          const std::filesystem::path& folder);

}  // namespace mpsgate
