#pragma once
#include "base/exit_code.h"
#include "base/result.h"
#include "record/record.h"
#include "sequence/runner.h"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace mpsgate {

/// What run, rehearse, resume and report share.

/// "mpsgate: …" on stderr.
void complain(const Error& error);
/// Text that a protocol may have written, and its line end: printed in a CI, it must not command the runner.
void print_disarmed(std::FILE* stream, const std::string& text);
/// The same for JSON, whose value does not change.
void print_json(const std::string& json);
/// The exit code of an error that left no verdict.
ExitCode exit_code(const Error& error);

/// Takes each --source "URL=DIR", cut at the last "=": URLs hold some. Error code: "usage.source".
Result<void> read_sources(const std::vector<std::string>& words, RunOptions& options);

/// Takes each --artefact "NAME=FILE": weights.model or, where only one is called so, model. Error code:
/// "usage.artefact".
Result<void> read_artefacts(const std::vector<std::string>& words, const Protocol& protocol,
                            RunOptions& options);

/// Where runs lie unless --out says otherwise.
inline constexpr const char* kRuns = "mpsgate-runs";
/// Makes that folder ignored by git, so that a lab's repository stays clean. What fails here fails again, and
/// is said, when the run is written.
void keep_runs_out_of_git();

/// How a finished command shows itself.
enum class Format { text, json };

/// Reads a protocol file. Error codes: those of read_file.
Result<Reading> read_protocol_file(const std::string& file);
/// What is wrong with it, on stderr.
void print_faults(const Result<Reading>& reading);
/// Both; nothing where it has a fault.
std::optional<Protocol> load_protocol(const std::string& file);

/// Writes the reports of a run, appends the step summary, shows the verdict, and gives its exit code.
ExitCode conclude(const Records& records, const RunFolder& folder, Format format, bool summary,
                  class Terminal& terminal);

/// Runs `go` with the real surroundings: supervisor, clock, terminal, interrupts. `go` gives the run's
/// records; `finish` makes of them what the command is for, and gives its exit code: the reports, if it is
/// left out.
using Finish = std::function<ExitCode(const Records&, class Terminal&)>;
ExitCode with_surroundings(const RunFolder& folder, Format format,
                           const std::function<Result<Records>(const Surroundings&)>& go,
                           const Finish& finish = {});

}  // namespace mpsgate
