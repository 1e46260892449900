#pragma once
#include "sequence/outputs.h"
#include "sequence/step.h"

#include <map>
#include <string>
#include <vector>

namespace mpsgate {

/// One execution of a command on an arm, in a fresh copy of the checkout, with an empty {out}, a HOME and
/// caches of its own.
struct PassRequest {
  std::string step;
  std::string arm;
  int number = 1;  ///< of the pass within step, command and arm
  const Command* command = nullptr;
  std::map<std::string, std::string> words;  ///< further placeholders: exported; actual and expected
};

/// "control", "repeat-2": the folder below outputs/ARM, and the name in logs.
std::string label_of(const PassRequest& request);

/// A command that was executed, and the folder in which it was; see discard.
struct Execution {
  PassWorkspace workspace;
  ProcessRequest request;
  ProcessResult process;
  std::string log_name;  ///< of its files below logs, without their extension
};

/// Error codes that are ids of findings: "source.changed", "artefact.changed", "environment.module-missing"
/// (what executes a notebook), "machine.disk-full"; others are "step.error".
Result<Execution> execute(const Context& context, const Records& so_far, const PassRequest& request);

/// Deletes the workspace.
void discard(const Execution& execution);

/// Writes a script that runs the command again by hand; the line that starts it, or nothing where it cannot
/// be written.
std::string write_reproduce_script(const Context& context, const Execution& execution);

/// Measurements of how the process ran.
Records measurements_of(const PassRequest& request, const ProcessResult& process);

}  // namespace mpsgate
