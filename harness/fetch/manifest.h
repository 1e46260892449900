#pragma once
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// What lies on the disk after a checkout, submodules included, `.git` left out.
struct Manifest {
  std::uint64_t files = 0;  ///< files and symbolic links
  std::uint64_t bytes = 0;
  std::vector<std::string> lfs_pointers;  ///< relative paths, sorted
};

Manifest manifest_of(const std::filesystem::path& folder);

}  // namespace mpsgate
