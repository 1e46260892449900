#pragma once
#include "environment/interpreter.h"
#include "process/process.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// What pip sees while it downloads: the machine's installer settings, credentials, proxies and certificates.
Variables download_variables(const Variables& own, const std::filesystem::path& home);
/// What pip, and the code that a source build runs, see while packages are built and installed: nothing of
/// the above, no configuration file, no index.
Variables offline_variables(const Variables& own, const std::filesystem::path& home);

/// A pip, and the environment that it installs into. Builds argvs; starts nothing.
struct Pip {
  std::filesystem::path python;  ///< has pip
  std::string version;           ///< of that pip: "23.2.1"
  std::string folder;            ///< of that pip's package; for pips that have no --python yet
  std::filesystem::path target;  ///< the environment's interpreter

  std::vector<std::string> download(const std::filesystem::path& to,
                                    const std::vector<std::string>& arguments) const;
  /// Offline, from `links` only.
  std::vector<std::string> install(const std::vector<std::filesystem::path>& links,
                                   const std::vector<std::string>& arguments) const;
  std::vector<std::string> wheel(const std::filesystem::path& to,
                                 const std::vector<std::filesystem::path>& links,
                                 const std::vector<std::string>& arguments) const;
};

}  // namespace mpsgate
