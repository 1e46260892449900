#include "cli/commands.h"

#include "base/text.h"
#include "base/version.h"
#include "compare/compare.h"
#include "process/worker.h"

#include <array>
#include <cstdio>
#include <exception>

namespace mpsgate {
namespace {

void print_help() {
  std::printf(
      "mpsgate %s: may this PyTorch repository, at this commit, be trusted on Apple's mps device?\n\nusage: "
      "mpsgate COMMAND ARGS…\n\n",
      kVersion);
  for (const auto& row : command_table()) {
    if (!row.hidden) std::printf("  %-10s %s\n", row.name, row.help);
  }
  std::printf(
      "\nmpsgate COMMAND --help tells more. Exit codes: 0 continue or proceed, 1 abort, 2 usage or invalid "
      "protocol,\n"
      "3 inconclusive, 4 internal error, 5 nothing selected, 130/143 interrupted.\n");
}

}  // namespace

std::span<const CommandRow> command_table() {
  static constexpr std::array<CommandRow, 12> table = {{
      {"run", "execute a protocol on this Mac's mps device", run_command},
      {"rehearse", "execute what a machine without mps can, before a Mac is paid for", rehearse_command},
      {"capture", "run the commands here and keep their outputs as a reference", capture_command},
      {"resume", "go on with a run that was killed or interrupted", resume_command},
      {"report", "write a run's reports again from its journal", report_command},
      {"validate", "check protocols", validate_command},
      {"init", "write a first protocol for a repository", init_command},
      {"doctor", "say what this machine can do and what is missing", doctor_command},
      {"schema", "print the JSON Schema of protocols, or of report.json", schema_command},
      {"hash", "print the sha256 and size of a file or folder, as a protocol names them", hash_command},
      {"purge", "delete what mpsgate keeps in its cache", purge_command},
      {"internal-compare", "reads untrusted output files, for mpsgate itself", internal_compare_command,
       true},
  }};
  return table;
}

ExitCode internal_compare_command(const std::vector<std::string>&) {
  const int code = serve_worker([](const Json& request, const auto&) { return serve_compare(request); });
  return code == 0 ? ExitCode::ok : ExitCode::internal;
}

int run_command_line(const std::vector<std::string>& words) {
  const std::string name = words.empty() ? "--help" : words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return static_cast<int>(words.empty() ? ExitCode::usage : ExitCode::ok);
  }
  if (name == "--version") {
    std::printf("mpsgate %s\n", kVersion);
    return 0;
  }
  try {
    std::vector<std::string> names;
    for (const auto& row : command_table()) {
      if (name == row.name) return static_cast<int>(row.main({words.begin() + 1, words.end()}));
      if (!row.hidden) names.emplace_back(row.name);
    }
    const std::string guess = nearest(name, names);
    std::fprintf(
        stderr, "mpsgate: there is no command \"%s\"%s\n", one_line(name).c_str(),
        guess.empty() ? "; mpsgate --help lists them" : ("; did you mean \"" + guess + "\"?").c_str());
    return static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "mpsgate: internal error: %s\nThis is a bug in mpsgate: please report it with the command "
                 "you gave.\n",
                 one_line(error.what()).c_str());
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace mpsgate
