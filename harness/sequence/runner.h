#pragma once
#include "process/process.h"
#include "sequence/selection.h"
#include "sequence/step.h"

#include <filesystem>
#include <functional>

namespace mpsgate {

/// What the runner needs from outside; everything the world is reached through.
struct Surroundings {
  const Registry& registry;
  ProcessRunner& processes;
  const Clock& clock;
  Progress& progress;
  Variables own;
  std::filesystem::path cache;
  std::string machine;                    ///< this machine's name
  std::function<double()> child_seconds;  ///< time in which a child was alive so far
  std::span<const StepRow> steps = step_table();
};

/// Executes the sequence of a new run in `folder` (which exists and is empty) and returns its records. Errors
/// are those that leave no run behind: "usage.step", "nothing.selected", "file.unwritable", "disk.full",
/// "lock.busy".
Result<Records> start_run(const Protocol& protocol, const RunOptions& options, const RunFolder& folder,
                          const Surroundings& surroundings);

/// Goes on with a run that was killed or interrupted; finished steps are not repeated. A run that has ended
/// is only read. Error codes: as start_run, and "resume.not-a-run", "resume.protocol-changed",
/// "journal.damaged".
Result<Records> resume_run(const RunFolder& folder, const Surroundings& surroundings);

/// The device that a run with these options rests on: "mps", or "cpu" in a rehearsal.
std::string scope_of(const RunOptions& options);

/// "tones-20261201-084609-3fa9c1": what new run directories are called.
std::string new_run_id(const std::string& protocol_name, const Clock& clock);

}  // namespace mpsgate
