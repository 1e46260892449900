#include "cli/runs.h"

#include "base/files.h"
#include "base/text.h"
#include "cli/registry.h"
#include "cli/terminal.h"
#include "host/host.h"
#include "process/interrupt.h"
#include "process/variables.h"
#include "reports/escape.h"
#include "reports/write.h"
#include "verdict/verdict.h"

#include <cstdio>
#include <cstdlib>

namespace mpsgate {

void complain(const Error& error) {
  print_disarmed(stderr, "mpsgate: " + error.text());
}

void print_disarmed(std::FILE* stream, const std::string& text) {
  std::fputs((without_commands(text) + "\n").c_str(), stream);
}

void print_json(const std::string& json) {
  // Outside of its strings JSON has no "#".
  std::fputs(replace_all(json, "##[", "##\\u005b").c_str(), stdout);
}

ExitCode exit_code(const Error& error) {
  if (error.code.starts_with("usage.") || error.code.starts_with("resume.")) return ExitCode::usage;
  if (error.code == "nothing.selected") return ExitCode::nothing;
  return ExitCode::inconclusive;
}

void keep_runs_out_of_git() {
  const fs::path ignore = fs::path(kRuns) / ".gitignore";
  std::error_code error;
  if (!fs::exists(ignore, error)) (void)write_file(ignore, "*\n");
}

Result<void> read_sources(const std::vector<std::string>& words, RunOptions& options) {
  for (const auto& word : words) {
    const auto cut = word.rfind('=');
    if (cut == std::string::npos || cut == 0 || cut + 1 == word.size())
      return fail("usage.source", "--source wants URL=DIR, found \"" + word + "\"");
    const fs::path folder = fs::absolute(word.substr(cut + 1));
    if (!fs::is_directory(folder))
      return fail("usage.source", "--source: there is no folder " + folder.string());
    options.sources[word.substr(0, cut)] = folder;
  }
  return {};
}

Result<void> read_artefacts(const std::vector<std::string>& words, const Protocol& protocol,
                            RunOptions& options) {
  std::vector<std::string> known;
  for (const auto& artefact : protocol.artefacts)
    known.push_back(artefact.id());
  for (const auto& word : words) {
    const auto cut = word.find('=');
    if (cut == std::string::npos || cut == 0 || cut + 1 == word.size())
      return fail("usage.artefact", "--artefact wants NAME=FILE, found \"" + word + "\"");
    const std::string name = word.substr(0, cut);
    std::vector<std::string> meant;
    for (const auto& id : known) {
      if (id == name || id.substr(id.find('.') + 1) == name) meant.push_back(id);
    }
    if (meant.size() != 1) {
      return fail("usage.artefact",
                  "--artefact: the protocol names " + std::string(meant.empty() ? "no" : "two") +
                      " weights or data \"" + one_line(name, 60) + "\"",
                  known.empty() ? "it names none at all" : "it names " + join(known, ", "));
    }
    const fs::path path = fs::absolute(word.substr(cut + 1));
    if (!fs::exists(path)) return fail("usage.artefact", "--artefact: there is no file " + path.string());
    options.artefacts[meant.front()] = path;
  }
  return {};
}

Result<Reading> read_protocol_file(const std::string& file) {
  MPSGATE_ASSIGN(const std::string text, read_file(file, 1 << 20));
  std::error_code error;
  const fs::path path = fs::weakly_canonical(file, error);
  return read_protocol(text, path, root_of(path), registry());
}

void print_faults(const Result<Reading>& reading) {
  if (!reading) return complain(reading.error());
  for (const auto& diagnostic : reading->diagnostics)
    print_disarmed(stderr, text_of(diagnostic));
}

std::optional<Protocol> load_protocol(const std::string& file) {
  auto reading = read_protocol_file(file);
  if (reading && reading->protocol) return std::move(reading->protocol);
  print_faults(reading);
  return std::nullopt;
}

ExitCode conclude(const Records& records, const RunFolder& folder, Format format, bool summary,
                  Terminal& terminal) {
  const auto written = write_reports(records, folder.root());
  if (!written) complain(written.error());
  const Verdict verdict = decide(records);
  const char* summary_file = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary && written && summary_file && *summary_file) {
    if (const auto markdown = read_file(folder.root() / "report.md")) {
      if (const auto appended = append_summary(summary_file, *markdown); !appended)
        complain(appended.error());
    }
  }
  terminal.show_verdict(verdict, folder.root().string());
  if (format == Format::json) {
    if (const auto json = read_file(folder.root() / "report.json")) print_json(*json);
  }
  return written ? exit_code(verdict) : ExitCode::internal;
}

ExitCode with_surroundings(const RunFolder& folder, Format format,
                           const std::function<Result<Records>(const Surroundings&)>& go,
                           const Finish& finish) {
  Interrupt::install();
  const SystemClock clock;
  Supervisor supervisor;
  std::FILE* stream = format == Format::json ? stderr : stdout;
  Terminal terminal(stream, terminal_style(stream), clock);
  const Surroundings surroundings{
      registry(),      supervisor,     clock,          terminal,
      own_variables(), cache_folder(), machine_name(), [&] { return supervisor.child_seconds(); }};
  const auto records = go(surroundings);
  if (!records) {
    complain(records.error());
    return exit_code(records.error());
  }
  return finish ? finish(*records, terminal) : conclude(*records, folder, format, true, terminal);
}

}  // namespace mpsgate
