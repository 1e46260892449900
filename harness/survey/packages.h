#pragma once
#include <string>
#include <utility>
#include <vector>

namespace mpsgate {

/// Imports and the packages that bring them, for repositories that name no package at all.
extern const std::vector<std::pair<std::string, std::string>> kPackages;

/// A package for NVIDIA's hardware or without a build for macOS, and what may stand for it (empty: nothing
/// known).
struct Unportable {
  std::string name;  ///< ending in '*': by its beginning
  std::string instead;
};
/// Null for a package that is not known to be one; `name` as PEP 503 normalizes it.
const Unportable* unportable(const std::string& name);

/// Whether an environment marker (PEP 508) leaves a requirement out on macOS.
bool elsewhere_only(const std::string& marker);

}  // namespace mpsgate
