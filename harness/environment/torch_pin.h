#pragma once
#include "environment/requirements.h"

#include <optional>
#include <string>
#include <vector>

namespace mpsgate {

/// How the torch of an environment is held.
struct TorchPin {
  std::string constraint;               ///< "torch==2.13.0+cpu"; empty where no requirement names torch
  std::optional<std::string> unpinned;  ///< the requirement that leaves the release open
};

/// Rewrites the torch requirement for this machine: on Linux in a rehearsal its CPU build, on macOS without
/// the local version of a CUDA build. Each change is added to `rewrites`.
TorchPin pin_torch(std::vector<Requirement>& requirements, std::vector<Rewrite>& rewrites,
                   bool linux_cpu_build);

}  // namespace mpsgate
