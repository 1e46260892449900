#include "base/files.h"
#include "base/hash.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"

#include <cstdio>

namespace mpsgate {

ExitCode hash_command(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  CLI::App app("Prints the sha256 and size of files and folders as a protocol's weights and data name them.",
               "mpsgate hash");
  app.add_option("path", paths, "a file or a folder")->required();
  if (const auto done = parse_arguments(app, words)) return *done;
  ExitCode code = ExitCode::ok;
  for (const auto& path : paths) {
    std::error_code error;
    const bool folder = fs::is_directory(path, error);
    const auto digest = folder ? sha256_of_folder(path) : sha256_of_file(path);
    if (!digest) {
      complain(digest.error());
      code = ExitCode::usage;
      continue;
    }
    std::uint64_t bytes = 0;
    if (!folder) bytes = fs::file_size(path, error);
    for (const auto& [name, state] : folder ? list_files(path) : std::map<std::string, FileState>())
      bytes += state.size;
    std::printf("{path: \"%s\", sha256: %s, size: %llu B}\n", path.c_str(), digest->c_str(),
                static_cast<unsigned long long>(bytes));
  }
  return code;
}

}  // namespace mpsgate
