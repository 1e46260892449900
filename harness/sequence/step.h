#pragma once
#include "base/clock.h"
#include "process/process.h"
#include "protocol/protocol.h"
#include "record/record.h"
#include "sequence/run_folder.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

enum class Mode { run, rehearse };
const char* name_of(Mode mode);

struct RunOptions {
  Mode mode = Mode::rehearse;
  std::vector<std::string> only, skip;                     ///< step ids
  std::map<std::string, std::filesystem::path> sources;    ///< --source URL=DIR
  std::map<std::string, std::filesystem::path> artefacts;  ///< --artefact: "weights.model" → file or folder
  std::string reference_arm = "cpu";                       ///< arm of control; "cuda" for captures only
  bool keep_going = false;
  bool fresh_environment = false;
};

/// What a person sees while a run goes on. The terminal implements it; tests record.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void run_began(const Record& start) = 0;
  virtual void step_began(const std::string& id, const std::string& establishes) = 0;
  /// One line about something slow or large that is about to happen.
  virtual void say(const std::string& line) = 0;
  virtual void step_ended(const Record& end, const Records& emitted) = 0;
};

/// All that a step may use. The world is reached through processes and clock only.
struct Context {
  const Protocol& protocol;
  const RunOptions& options;
  const RunFolder& folder;
  const Registry& registry;
  ProcessRunner& processes;
  const Clock& clock;
  Progress& progress;
  Variables own;  ///< the harness's environment
  std::filesystem::path cache;
  std::string scope;    ///< "mps", "simulated" or "cpu": fixed for the whole run
  std::string machine;  ///< this machine's name, see machine_name

  /// The arm that repeat, export and relaunch execute on: "mps" unless the scope is cpu.
  std::string device_arm() const { return scope == "cpu" ? options.reference_arm : "mps"; }
};

/// From the records so far to this step's, the last of which is step_end(). Never throws for what a lab, a
/// network or a disk does.
using StepFunction = Records (*)(const Context& context, const Records& so_far);

struct StepRow {
  int number;
  const char* id;
  const char* title;
  const char* establishes;
  StepFunction function;                ///< nullptr: not built yet
  std::vector<std::string_view> needs;  ///< steps that must have passed
  bool needs_mps;                       ///< meaningless where the scope is cpu
  bool gates_run;                       ///< gating in a run, or a rehearsal on the simulated device
  bool gates_cpu;                       ///< gating in a rehearsal of scope cpu
};

/// The sequence, in order: the design's table.
std::span<const StepRow> step_table();

// One file each.
Records run_host(const Context&, const Records&);
Records run_source(const Context&, const Records&);
Records run_artefacts(const Context&, const Records&);
Records run_environment(const Context&, const Records&);
Records run_probe(const Context&, const Records&);
Records run_control(const Context&, const Records&);
Records run_strict(const Context&, const Records&);
Records run_repeat(const Context&, const Records&);
Records run_parity(const Context&, const Records&);
Records run_export(const Context&, const Records&);
Records run_relaunch(const Context&, const Records&);
Records run_cleanup(const Context&, const Records&);

}  // namespace mpsgate
