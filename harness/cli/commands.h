#pragma once
#include "base/exit_code.h"

#include <span>
#include <string>
#include <vector>

namespace mpsgate {

/// One command of `mpsgate`. `main` takes the words after the command's name.
struct CommandRow {
  const char* name;
  const char* help;  ///< one line
  ExitCode (*main)(const std::vector<std::string>& words);
  bool hidden = false;
};

std::span<const CommandRow> command_table();
/// Everything behind main(): picks the command, turns what escapes into exit code 4.
int run_command_line(const std::vector<std::string>& words);

// One file each.
ExitCode run_command(const std::vector<std::string>& words);
ExitCode rehearse_command(const std::vector<std::string>& words);
ExitCode capture_command(const std::vector<std::string>& words);
ExitCode init_command(const std::vector<std::string>& words);
ExitCode doctor_command(const std::vector<std::string>& words);
ExitCode resume_command(const std::vector<std::string>& words);
ExitCode report_command(const std::vector<std::string>& words);
ExitCode validate_command(const std::vector<std::string>& words);
ExitCode schema_command(const std::vector<std::string>& words);
ExitCode hash_command(const std::vector<std::string>& words);
ExitCode purge_command(const std::vector<std::string>& words);
ExitCode internal_compare_command(const std::vector<std::string>& words);

}  // namespace mpsgate
