#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"

#include <cstdio>

namespace mpsgate {

ExitCode validate_command(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  CLI::App app("Checks protocols without running anything.", "mpsgate validate");
  app.add_option("protocols", files, "YAML protocols")->required();
  if (const auto done = parse_arguments(app, words)) return *done;
  bool valid = true;
  for (const auto& file : files) {
    if (const auto protocol = load_protocol(file)) {
      std::printf("%s: valid\n", file.c_str());
    } else {
      valid = false;
    }
  }
  return valid ? ExitCode::ok : ExitCode::usage;
}

}  // namespace mpsgate
