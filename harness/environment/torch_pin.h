#pragma once
#include "environment/requirements.h"

#include <optional>
#include <string>
#include <vector>

namespace mpsgate {

/// What stands for torch where nobody says which release: as a constraint, with an empty package of that
/// version beside it. A package that asks for torch then gets the stand-in instead of some release, several
/// GB of it on Linux.
inline constexpr const char* kTorchStandIn = "9999+unpinned";

/// How the torch of an environment is held.
struct TorchPin {
  std::vector<std::string>
      constraints;                  ///< lines of pip's constraints file; none where a requirement holds it
  std::vector<std::string> pinned;  ///< "2.13.0+cpu"; empty where nobody names a release
  bool of_lab = false;              ///< the lab's files pin it, not the protocol
  std::optional<std::string> unpinned;  ///< the requirement that leaves the release open
};

/// Rewrites the torch requirements for this machine: its CPU build on Linux, elsewhere without the local
/// version of a CUDA build. Each change is added to `rewrites`.
TorchPin pin_torch(std::vector<Requirement>& requirements, std::vector<Rewrite>& rewrites,
                   bool linux_cpu_build);

}  // namespace mpsgate
