#include "base/files.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/doctor.h"
#include "cli/runs.h"
#include "environment/index.h"
#include "fetch/fetch.h"
#include "process/variables.h"

#include <cstdio>

namespace mpsgate {
namespace {

constexpr double kSeconds = 60;

/// Any answer will do: a file that is not there is a page with status 404.
Result<void> ask_fetch(ProcessRunner& processes, const Variables& own, const fs::path& scratch) {
  const auto page = get_page(processes, own, "file://" + (scratch / "absent").string(), "*/*", kSeconds);
  if (!page) return tl::unexpected<Error>(page.error());
  return {};
}

/// Where environments come from.
Result<void> ask_index(ProcessRunner& processes, const Variables& own, const fs::path& scratch,
                       const std::optional<Interpreter>& python) {
  if (!python) return fail("index.none", "not asked: there is no Python");
  const Variables variables = installer_variables(own, scratch);
  const PackageIndex index(processes, variables, index_settings(processes, python->path.string(), variables),
                           {});
  const auto files = index.files_of("pip");
  if (!files) return tl::unexpected<Error>(files.error());
  return {};
}

bool has_nvidia_driver() {
  std::error_code error;
  return fs::exists("/proc/driver/nvidia/version", error);
}

void print(const Diagnosis& diagnosis) {
  for (const auto& check : diagnosis.checks) {
    const char* mark = check.state == Check::State::good   ? "good"
                       : check.state == Check::State::note ? "note"
                                                           : "missing";
    std::printf("  %-15s %-8s %s\n", check.what.c_str(), mark, check.said.c_str());
    if (!check.remedy.empty()) std::printf("  %-15s %-8s → %s\n", "", "", check.remedy.c_str());
  }
  std::printf("\n");
  for (const auto& one : diagnosis.abilities)
    std::printf("mpsgate %-9s %s%s\n", one.name.c_str(), one.able ? "yes" : "no",
                one.why.empty() ? "" : (": " + one.why).c_str());
}

}  // namespace

ExitCode doctor_command(const std::vector<std::string>& words) {
  std::string purpose = "rehearse", format = "text";
  CLI::App app(
      "Says what this machine can do, what is missing, and what brings it. The exit code is 0 where it can "
      "do PURPOSE, "
      "else 3.",
      "mpsgate doctor");
  app.add_option("purpose", purpose, "rehearse (the default), run or capture")
      ->check(CLI::IsMember({"rehearse", "run", "capture"}));
  app.add_option("--format", format, "text, or json on standard output")
      ->check(CLI::IsMember({"text", "json"}));
  if (const auto done = parse_arguments(app, words)) return *done;
  Supervisor processes;
  const Variables own = own_variables();
  const TemporaryFolder scratch("mpsgate-doctor");
  std::error_code error;
  const auto python = find_interpreter(processes, "", own);
  const MachineState state{host_facts(processes, fs::current_path(error)),
                           python,
                           ask_fetch(processes, own, scratch.path()),
                           ask_index(processes, own, scratch.path(), python),
                           probe_libtorch(processes, own, scratch.path() / "log", kSeconds),
                           has_nvidia_driver()};
  const Diagnosis diagnosis = diagnose(state);
  if (format == "json") {
    std::printf("%s\n", dump_json(to_json(diagnosis), 2).c_str());
  } else {
    print(diagnosis);
  }
  return diagnosis.ability(purpose).able ? ExitCode::ok : ExitCode::inconclusive;
}

}  // namespace mpsgate
