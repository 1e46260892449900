#pragma once
#include "process/process.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// File names of a project's page of a simple index, as JSON (PEP 691) or HTML (PEP 503).
std::vector<std::string> index_files(std::string_view page, std::string_view content_type);

/// What the files of one version offer a Mac.
struct MacOffer {
  bool version_known = false;  ///< some file of this version exists
  bool macos = false;          ///< a wheel for macOS arm64 (or universal2), or for any platform
  bool source = false;         ///< a source archive
  bool installable() const { return macos || source; }
};
MacOffer mac_offer(const std::vector<std::string>& files, const std::string& project,
                   const std::string& version);

/// The machine's index: PIP_INDEX_URL, else what pip's configuration says, else pip's default. `python` has
/// pip. Empty when pip cannot be asked.
std::string index_url(ProcessRunner& processes, const std::string& python, const Variables& variables);

}  // namespace mpsgate
