#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"

namespace mpsgate {

ExitCode resume_command(const std::vector<std::string>& words) {
  std::string run, format = "text";
  CLI::App app("Goes on with a run that was killed or interrupted; finished steps are not repeated.",
               "mpsgate resume");
  app.add_option("run", run, "the run directory")->required();
  app.add_option("--format", format, "text, or json: report.json on standard output")
      ->check(CLI::IsMember({"text", "json"}));
  if (const auto done = parse_arguments(app, words)) return *done;
  const RunFolder folder(std::filesystem::absolute(run).lexically_normal());
  return with_surroundings(
      folder, format == "json" ? Format::json : Format::text,
      [&](const Surroundings& surroundings) { return resume_run(folder, surroundings); });
}

}  // namespace mpsgate
