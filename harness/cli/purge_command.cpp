#include "base/files.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"

#include <cstdio>

namespace mpsgate {

ExitCode purge_command(const std::vector<std::string>& words) {
  bool cache = false;
  CLI::App app("Deletes what mpsgate keeps in its cache. Do not use it while a run is under way.",
               "mpsgate purge");
  app.add_flag("--cache", cache, "delete the cache folder: environments and downloads")->required();
  if (const auto done = parse_arguments(app, words)) return *done;
  const fs::path folder = cache_folder();
  std::error_code error;
  if (!fs::exists(folder, error)) {
    std::printf("nothing to delete: %s does not exist\n", folder.c_str());
    return ExitCode::ok;
  }
  // MPSGATE_CACHE may name any folder: what is not a cache of mpsgate is left alone.
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "environments" || name == "installers") continue;
    complain({"purge.refused",
              folder.string() + " holds " + one_line(name, 60) + ", which mpsgate did not put there",
              "delete it by hand, or correct MPSGATE_CACHE",
              {}});
    return ExitCode::usage;
  }
  if (const auto removed = remove_tree(folder); !removed) {
    complain(removed.error());
    return ExitCode::inconclusive;
  }
  std::printf("deleted %s\n", folder.c_str());
  return ExitCode::ok;
}

}  // namespace mpsgate
