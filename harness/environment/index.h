#pragma once
#include "base/result.h"
#include "process/process.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// File names of a project's page of a simple index, as JSON (PEP 691) or HTML (PEP 503). Any text is
/// accepted.
std::vector<std::string> index_files(std::string_view page, std::string_view content_type);

/// What the files of one version offer a Mac with a Python of `tag`.
struct MacOffer {
  bool version_known = false;  ///< some file of this version exists
  bool wheel = false;          ///< for macOS arm64 (or universal2) or any platform, and for this Python
  bool other_python = false;   ///< the same for another Python
  bool source = false;         ///< a source archive
  bool installable() const { return wheel || source; }
};
/// `project` is normalised; versions are compared as PEP 440 does; `tag` is "cp311".
MacOffer mac_offer(const std::vector<std::string>& files, const std::string& project,
                   const std::string& version, const std::string& tag);

/// Where pip as configured looks for packages. URLs may hold credentials.
struct IndexSettings {
  std::vector<std::string> urls;   ///< the index, then extra ones
  std::vector<std::string> links;  ///< find-links
  bool no_index = false;
  bool default_index = true;  ///< none is named: pip's own, which read_index_settings cannot know
  /// For reports: credentials hidden.
  std::string text() const;
};
/// From the output of `pip config list`: variables and configuration files together.
IndexSettings read_index_settings(std::string_view listing);
/// Asks the pip of `python`, its default index included.
IndexSettings index_settings(ProcessRunner& processes, const std::string& python, const Variables& variables);

/// The indexes, asked without pip: pip's log cannot tell an unknown package from an index out of reach.
class PackageIndex {
 public:
  PackageIndex(ProcessRunner& processes, Variables variables, IndexSettings settings,
               std::filesystem::path worker)
      : processes_(processes),
        variables_(std::move(variables)),
        settings_(std::move(settings)),
        worker_(std::move(worker)) {}
  const IndexSettings& settings() const { return settings_; }
  /// Files of a project over all indexes; none where every index answered that it does not know it. Error
  /// codes: "index.none" (pip is told to use none), "index.unreachable" (one at least did not answer).
  Result<std::vector<std::string>> files_of(const std::string& project) const;

 private:
  ProcessRunner& processes_;
  Variables variables_;
  IndexSettings settings_;
  std::filesystem::path worker_;
};

}  // namespace mpsgate
