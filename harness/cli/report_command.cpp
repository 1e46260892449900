#include "base/clock.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "record/journal.h"
#include "reports/annotations.h"
#include "reports/outputs.h"

#include <cstdio>
#include <cstdlib>

namespace mpsgate {
namespace {

/// The repository whose workflow this is, as GitHub Actions tells it; empty elsewhere.
std::string annotated_repository() {
  const char* server = std::getenv("GITHUB_SERVER_URL");
  const char* name = std::getenv("GITHUB_REPOSITORY");
  return server && name ? std::string(server) + "/" + name : std::string();
}

}  // namespace

ExitCode report_command(const std::vector<std::string>& words) {
  std::string run, format = "text";
  CLI::App app(
      "Writes a run's reports again from its journal, byte for byte; the exit code is the verdict's.",
      "mpsgate report");
  app.add_option("run", run, "the run directory")->required();
  app.add_option(
         "--format", format,
         "text; json: report.json on standard output; github: annotations of GitHub Actions; outputs: "
         "the verdict as lines name=value")
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
    const std::string text = format == "outputs"
                                 ? write_outputs(report)
                                 : write_annotations(annotations_of(report, annotated_repository()));
    std::fputs(text.c_str(), stdout);
    return exit_code(report.verdict);
  }
  const SystemClock clock;
  std::FILE* stream = format == "json" ? stderr : stdout;
  Terminal terminal(stream, terminal_style(stream), clock);
  return conclude(*records, folder, format == "json" ? Format::json : Format::text, false, terminal);
}

}  // namespace mpsgate
