#include "base/tree_state.h"

#include "base/files.h"
#include "base/hash.h"

namespace mpsgate {

std::string tree_state(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& [name, state] : list_files(folder)) {
    if (name.find("__pycache__/") == std::string::npos)
      text += name + " " + std::to_string(state.size) + " " + std::to_string(state.modified_ns) + "\n";
  }
  return sha256_of(text);
}

}  // namespace mpsgate
