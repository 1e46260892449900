#pragma once
#include "base/exit_code.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace mpsgate {

/// Parses a command's words. The exit code when there is nothing more to do: help was shown, or the words are
/// wrong (CLI11 has said why).
inline std::optional<ExitCode> parse_arguments(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app.parse(words);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::ok : ExitCode::usage;
  }
}

}  // namespace mpsgate
