#include "base/clock.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "record/journal.h"
#include "reports/annotations.h"

#include <cstdio>

namespace mpsgate {

ExitCode report_command(const std::vector<std::string>& words) {
  std::string run, format = "text";
  CLI::App app(
      "Writes a run's reports again from its journal, byte for byte; the exit code is the verdict's.",
      "mpsgate report");
  app.add_option("run", run, "the run directory")->required();
  app.add_option(
         "--format", format,
         "text; json: report.json on standard output; github: annotations for GitHub Actions; outputs: "
         "lines for GITHUB_OUTPUT")
      ->check(CLI::IsMember({"text", "json", "github", "outputs"}));
  if (const auto done = parse_arguments(app, words)) return *done;
  const RunFolder folder(std::filesystem::absolute(run).lexically_normal());
  const auto records = read_journal(folder.journal());
  if (!records) {
    complain(records.error());
    return ExitCode::usage;
  }
  if (format == "github" || format == "outputs") {
    const Report report = build_report(*records);
    std::fputs((format == "github" ? write_annotations(report) : write_step_outputs(report)).c_str(), stdout);
    return exit_code(report.verdict);
  }
  const SystemClock clock;
  std::FILE* stream = format == "json" ? stderr : stdout;
  Terminal terminal(stream, terminal_style(stream), clock);
  return conclude(*records, folder, format == "json" ? Format::json : Format::text, false, terminal);
}

}  // namespace mpsgate
