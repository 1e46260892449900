#pragma once
#include <filesystem>
#include <string>

namespace mpsgate {

/// Tells one state of a folder from another without reading its files: a hash of their names, sizes and
/// times, `.git` and
/// __pycache__ left out (interpreters write the latter as they like).
std::string tree_state(const std::filesystem::path& folder);

}  // namespace mpsgate
