#include "sequence/execution.h"

#include "base/files.h"
#include "base/text.h"
#include "base/tree_state.h"
#include "process/variables.h"
#include "record/draft.h"
#include "sequence/artefacts.h"
#include "sequence/notebook.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace mpsgate {
namespace {

/// A script that makes a fresh copy of the checkout and runs the command in it as the pass did.
std::string reproduce_script(const Context& context, const Execution& execution) {
  // Words that hold the work folder are cut open for $work.
  const std::string work = execution.workspace.checkout.parent_path().string();
  const auto quoted = [&](const std::string& word) {
    if (word.find(work) == std::string::npos) return shell_quoted({word});
    std::vector<std::string> parts;
    for (const auto& part : split(replace_all(word, work, std::string(1, '\0')), '\0'))
      parts.push_back("'" + replace_all(part, "'", "'\\''") + "'");
    return join(parts, "\"$work\"");
  };
  std::string text =
      "#!/bin/sh\n# Runs one pass of this run again by hand, in a fresh copy of the checkout that is "
      "kept.\nset -eu\n"
      "work=$(mktemp -d)\nwork=$(cd \"$work\" && pwd -P)\necho \"work folder: $work\" >&2\nmkdir -p "
      "\"$work/out\" \"$work/home/tmp\"\ncp -R " +
      shell_quoted({context.folder.source().string()}) + " \"$work/checkout\"\n";
  for (const auto& file : context.protocol.files) {
    text += "cp " + shell_quoted({(context.protocol.root / file).string()}) + " \"$work/checkout/\"\n";
  }
  text += "cd " + quoted(execution.request.directory.string()) + "\nexec env -i \\\n";
  for (const auto& [name, value] : execution.request.environment)
    text += "  " + quoted(name + "=" + value) + " \\\n";
  text += " ";
  for (const auto& word : execution.request.argv)
    text += " " + quoted(word);
  return text + "\n";
}

/// A folder of its own for every attempt: what an earlier one left behind, should mpsgate itself have been
/// killed, writes elsewhere.
Result<PassWorkspace> prepare(const Context& context, const std::string& name) {
  MPSGATE_TRY(make_folder(context.folder.work()));
  std::string pattern = (context.folder.work() / (name + ".XXXXXX")).string();
  if (!::mkdtemp(pattern.data())) {
    return fail(
        errno == ENOSPC ? "disk.full" : "file.unwritable",
        "no folder can be made below " + context.folder.work().string() + ": " + std::strerror(errno));
  }
  const fs::path folder = pattern;
  PassWorkspace workspace{folder / "checkout", folder / "out", folder / "home", {}};
  MPSGATE_TRY(copy_tree(context.folder.source(), workspace.checkout));
  for (const auto& file : context.protocol.files) {
    const fs::path driver = context.protocol.root / file;
    const fs::path target = workspace.checkout / driver.filename();
    if (fs::exists(target)) {
      return fail("pass.driver", "files: " + file + " would replace a file of the same name in the checkout",
                  "rename the driver script", context.protocol.place_of("files"));
    }
    MPSGATE_TRY(copy_tree(driver, target));
  }
  MPSGATE_TRY(make_folder(workspace.out));
  MPSGATE_TRY(make_folder(workspace.home / "tmp"));
  workspace.before = list_files(workspace.checkout);
  return workspace;
}

/// All of the environment of a pass; fs::path python is the lab's interpreter.
Variables variables_of(const Context& context, const PassRequest& request, const fs::path& python,
                       const PassWorkspace& workspace) {
  Variables variables = lab_variables(context.own, workspace.home);
  const fs::path bin = python.parent_path();
  variables["PATH"] = bin.string() + ":" + variables["PATH"];
  variables["VIRTUAL_ENV"] = bin.parent_path().string();
  if (request.arm == "mps") variables["PYTORCH_ENABLE_MPS_FALLBACK"] = "0";
  return variables;
}

/// What the placeholders of a command stand for in this pass.
Placeholders placeholders_of(const Context& context, const PassRequest& request,
                             const PassWorkspace& workspace) {
  const auto& steps = context.protocol.steps;
  const bool soaks = steps.sweep.empty() || request.step == "soak";
  const int batch = soaks ? steps.soak_batch : steps.sweep_batch.front();
  const int epochs = soaks ? steps.soak_epochs : steps.sweep_epochs;
  Placeholders placeholders;
  placeholders.words = request.words;
  placeholders.words["device"] = request.arm;
  placeholders.words["out"] = workspace.out.string();
  placeholders.words["batch"] = std::to_string(batch);
  placeholders.words["epochs"] = std::to_string(epochs);
  for (const auto& artefact : context.protocol.artefacts)
    placeholders.words[artefact.id()] = artefact_path(context, artefact, workspace.checkout).string();
  const auto device = context.protocol.devices.find(request.arm);
  if (device != context.protocol.devices.end()) placeholders.device_args = device->second;
  return placeholders;
}

ProcessLimits limits_of(const Protocol::Limits& limits) {
  ProcessLimits process;
  process.wall_seconds = limits.command_seconds;
  process.silence_seconds = limits.silence_seconds;
  process.processes = limits.processes;
  process.file_bytes = limits.log_bytes;
  return process;
}

/// The command's words and where it is executed.
Result<void> fill_command(const Context& context, const Records& so_far, const PassRequest& request,
                          const Placeholders& placeholders, Execution& execution) {
  const Command& command = *request.command;
  const fs::path& checkout = execution.workspace.checkout;
  std::string below = command.directory;
  if (command.notebook.empty()) {
    execution.request.argv = expand(command.argv, placeholders);
  } else {
    if (!fs::is_regular_file(checkout / command.notebook))
      return fail("pass.notebook", "the checkout has no notebook " + command.notebook,
                  "correct commands." + command.name + ".notebook", command.place);
    below = fs::path(command.notebook).parent_path().generic_string();
    MPSGATE_ASSIGN(execution.request.argv, notebook_argv(command, so_far, placeholders,
                                                         context.folder.log(execution.log_name + ".ipynb")));
  }
  const auto directory = path_inside(checkout, checkout, below.empty() ? "." : below);
  if (!directory || !fs::is_directory(*directory)) {
    return fail("pass.directory", "the checkout has no folder " + below,
                "correct commands." + command.name + ".directory", command.place);
  }
  execution.request.directory = checkout / below;
  return {};
}

}  // namespace

std::string label_of(const PassRequest& request) {
  return request.number > 1 ? request.step + "-" + std::to_string(request.number) : request.step;
}

Records measurements_of(const PassRequest& request, const ProcessResult& process) {
  Records records;
  const About about{request.arm, request.number, request.command->name, {}};
  records.push_back(measurement("process.wall", process.wall_seconds, "s", about));
  records.push_back(measurement("process.user", process.user_seconds, "s", about));
  records.push_back(measurement("process.system", process.system_seconds, "s", about));
  records.push_back(measurement("process.peak-memory", static_cast<double>(process.peak_bytes), "B", about));
  if (process.peak_tree_bytes > 0) {
    records.push_back(
        measurement("process.peak-tree-memory", static_cast<double>(process.peak_tree_bytes), "B", about));
  }
  if (process.leftovers > 0)
    records.push_back(measurement("process.leftovers", process.leftovers, "", about));
  return records;
}

Result<Execution> execute(const Context& context, const Records& so_far, const PassRequest& request) {
  Execution execution;
  execution.log_name = label_of(request) + "." + request.command->name;
  const Record* python_note = last_of(so_far, Kind::note, "environment.python");
  if (!python_note) return fail("step.error", "the environment step left no interpreter");
  const fs::path python = string_at(python_note->data, "value");

  // Every pass starts from the commit and from the verified files: what an earlier one, or a person, changed
  // must not be judged for it.
  const Record* state = last_of(so_far, Kind::note, "source.state");
  if (state && string_at(state->data, "value") != tree_state(context.folder.source()))
    return fail("source.changed", "the checkout is not what the commit has any more");
  MPSGATE_TRY(check_artefacts(context, so_far));
  MPSGATE_ASSIGN(execution.workspace, prepare(context, execution.log_name));

  const Placeholders placeholders = placeholders_of(context, request, execution.workspace);
  ProcessRequest& process = execution.request;
  const auto fill = [&]() -> Result<void> {
    MPSGATE_TRY(fill_command(context, so_far, request, placeholders, execution));
    process.environment = variables_of(context, request, python, execution.workspace);
    for (const auto& [name, value] : request.command->environment)
      process.environment[name] = expand({value}, placeholders).front();
    process.limits = limits_of(context.protocol.limits);
    process.stdout_file = context.folder.log(execution.log_name + ".out");
    process.stderr_file = context.folder.log(execution.log_name + ".err");
    return make_folder(context.folder.logs());
  };
  if (const auto filled = fill(); !filled) {
    discard(execution);
    return tl::unexpected<Error>(filled.error());
  }
  execution.process = context.processes.run(process);
  return execution;
}

void discard(const Execution& execution) {
  (void)remove_tree(execution.workspace.checkout.parent_path());
}

std::string write_reproduce_script(const Context& context, const Execution& execution) {
  const fs::path script = context.folder.log(execution.log_name + ".sh");
  if (!write_file(script, reproduce_script(context, execution))) return {};
  return shell_quoted({"sh", script.string()});
}

}  // namespace mpsgate
