#include "sequence/pass.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/tree_state.h"
#include "compare/compare.h"
#include "process/variables.h"
#include "record/draft.h"
#include "sequence/failure.h"
#include "sequence/findings.h"
#include "sequence/outputs.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace mpsgate {
namespace {

namespace fs = std::filesystem;

constexpr double kReadBackSeconds = 300;

/// A script that makes a fresh copy of the checkout and runs the command in it as the pass did.
std::string reproduce_script(const Context& context, const std::vector<std::string>& argv,
                             const Variables& variables, const PassWorkspace& workspace,
                             const fs::path& directory) {
  // Words that hold the work folder are cut open for $work.
  const std::string work = workspace.checkout.parent_path().string();
  const auto quoted = [&](const std::string& word) {
    if (word.find(work) == std::string::npos) return shell_quoted({word});
    return replace_all("'" + replace_all(word, "'", "'\\''") + "'", work, "'\"$work\"'");
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
  text += "cd " + quoted(directory.string()) + "\nexec env -i \\\n";
  for (const auto& [name, value] : variables)
    text += "  " + quoted(name + "=" + value) + " \\\n";
  text += " ";
  for (const auto& word : argv)
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

struct Collected {
  Records records;
  std::vector<Finding> findings;
  std::map<std::string, fs::path> files;
};

/// Of a file, or of all files of a folder.
std::uint64_t size_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uint64_t bytes = 0;
  for (const auto& [name, state] : list_files(path))
    bytes += state.size;
  return bytes;
}

/// Takes what the command wrote out of the workspace, and what it printed out of that log, and reads it back.
Result<Collected> collect(const Context& context, const PassRequest& request, const PassWorkspace& workspace,
                          const fs::path& printed, bool printed_cut, const fs::path& folder) {
  Collected collected;
  std::vector<std::pair<std::string, fs::path>> files;
  MPSGATE_TRY(remove_tree(folder));
  MPSGATE_TRY(make_folder(folder));
  for (const Output* output : context.protocol.outputs_of(request.command->name)) {
    if (!output->printed.empty()) {
      const fs::path kept = folder / kept_name(*output);
      if (printed_cut) {
        Finding finding =
            sequence_finding("result.unsupported",
                             "output " + output->name + " cannot be read: the log was cut at limits.log");
        finding.remedy = "raise limits.log, or let the command print less";
        finding.output = output->name;
        finding.place = output->place;
        collected.findings.push_back(std::move(finding));
      } else if (auto finding = keep_printed(*output, printed, kept)) {
        collected.findings.push_back(std::move(*finding));
      } else {
        files.emplace_back(output->name, kept);
        collected.files[output->name] = kept;
      }
      continue;
    }
    Located located = locate_output(*output, workspace);
    if (located.finding) {
      collected.findings.push_back(std::move(*located.finding));
      continue;
    }
    // Before the copy: a sparse file of a few bytes may claim more than the disk has.
    if (const std::uint64_t size = size_of(located.path); size > context.protocol.limits.output_bytes) {
      Finding finding =
          sequence_finding("result.too-large", "output " + output->name + " has " + format_bytes(size) +
                                                   ", and limits.output allows " +
                                                   format_bytes(context.protocol.limits.output_bytes));
      finding.output = output->name;
      finding.place = output->place;
      collected.findings.push_back(std::move(finding));
      continue;
    }
    const fs::path kept = folder / kept_name(*output);
    MPSGATE_TRY(copy_tree(fs::weakly_canonical(located.path), kept));
    // Of a folder in the checkout only what this pass wrote is its output.
    for (const auto& stale : stale_files(*output, workspace))
      MPSGATE_TRY(remove_tree(kept / stale));
    files.emplace_back(output->name, kept);
    collected.files[output->name] = kept;
  }
  if (files.empty()) return collected;
  auto described = describe_supervised(context.processes, context.own, files,
                                       context.folder.log(request.step + ".read-back.err"), kReadBackSeconds);
  if (!described) return tl::unexpected<Error>(described.error());
  for (const auto& file : *described) {
    const About about{request.arm, request.number, request.command->name, file.name};
    const fs::path& kept = collected.files[file.name];
    if (!file.problem.empty()) {
      Finding finding =
          file.unsupported
              ? sequence_finding("result.unsupported",
                                 "output " + file.name + " cannot be compared: " + file.problem)
              : sequence_finding("result.unreadable",
                                 "output " + file.name + " cannot be read back: " + file.problem);
      finding.output = file.name;
      finding.command = request.command->name;
      collected.findings.push_back(std::move(finding));
    }
    const bool folder_output = fs::is_directory(kept);
    MPSGATE_ASSIGN(const std::string digest, folder_output ? sha256_of_folder(kept) : sha256_of_file(kept));
    Record record = artefact("output", context.folder.relative(kept), size_of(kept), digest, about);
    record.data["description"] = file.description;
    record.data["label"] = label_of(request);
    collected.records.push_back(std::move(record));
  }
  return collected;
}

void measure(const PassRequest& request, const ProcessResult& process, Records& records) {
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
}

}  // namespace

std::string label_of(const PassRequest& request) {
  return request.number > 1 ? request.step + "-" + std::to_string(request.number) : request.step;
}

Pass execute_pass(const Context& context, const Records& so_far, const PassRequest& request) {
  Pass pass;
  const std::string label = label_of(request);
  const std::string log_name = label + "." + request.command->name;
  const auto give_up = [&](const Error& error) {
    Finding finding =
        sequence_finding(error.code == "disk.full" ? "machine.disk-full" : "step.error", error.message);
    finding.command = request.command->name;
    finding.arm = request.arm;
    finding.place = error.place;
    if (!error.advice.empty()) finding.remedy = error.advice;
    pass.records.push_back(to_record(finding));
    pass.reason = error.message;
    return pass;
  };

  const Record* python_note = last_of(so_far, Kind::note, "environment.python");
  if (!python_note) return give_up({"step.error", "the environment step left no interpreter", "", {}});
  const fs::path python = string_at(python_note->data, "value");

  // Every pass starts from the commit: what an earlier one, or a person, changed must not be judged for it.
  const Record* state = last_of(so_far, Kind::note, "source.state");
  if (state && string_at(state->data, "value") != tree_state(context.folder.source())) {
    Finding finding = sequence_finding("source.changed", "the checkout is not what the commit has any more");
    finding.command = request.command->name;
    finding.arm = request.arm;
    pass.records.push_back(to_record(finding));
    pass.reason = finding.message;
    return pass;
  }
  auto workspace = prepare(context, log_name);
  if (!workspace) return give_up(workspace.error());

  Placeholders placeholders;
  placeholders.words = {
      {"device", request.arm}, {"out", workspace->out.string()}, {"exported", request.exported.string()}};
  const auto device = context.protocol.devices.find(request.arm);
  if (device != context.protocol.devices.end()) placeholders.device_args = device->second;

  ProcessRequest process_request;
  process_request.argv = expand(request.command->argv, placeholders);
  const auto directory = path_inside(workspace->checkout, workspace->checkout,
                                     request.command->directory.empty() ? "." : request.command->directory);
  if (!directory || !fs::is_directory(*directory)) {
    return give_up({"pass.directory", "the checkout has no folder " + request.command->directory,
                    "correct commands." + request.command->name + ".directory", request.command->place});
  }
  process_request.directory = workspace->checkout / request.command->directory;
  process_request.environment = variables_of(context, request, python, *workspace);
  for (const auto& [name, value] : request.command->environment)
    process_request.environment[name] = expand({value}, placeholders).front();
  process_request.limits.wall_seconds = context.protocol.limits.command_seconds;
  process_request.limits.silence_seconds = context.protocol.limits.silence_seconds;
  process_request.limits.processes = context.protocol.limits.processes;
  process_request.limits.file_bytes = context.protocol.limits.log_bytes;
  process_request.stdout_file = context.folder.log(log_name + ".out");
  process_request.stderr_file = context.folder.log(log_name + ".err");
  if (auto made = make_folder(context.folder.logs()); !made) return give_up(made.error());

  const ProcessResult process = context.processes.run(process_request);
  measure(request, process, pass.records);
  pass.log = context.folder.relative(process_request.stderr_file);

  std::vector<Finding> findings;
  std::optional<Finding> failure =
      classify_failure(process, request.arm, workspace->checkout, request.command->exit_code);
  const auto traceback = last_traceback(process.err.text(), workspace->checkout);
  if (failure) {
    // mpsgate left the files unresolved: a command that stumbles over one is not to blame.
    if (failure->row->cause == Cause::crash && last_of(so_far, Kind::finding, "source.lfs-pointers")) {
      failure->weight = Weight::gap;
      failure->remedy =
          "the checkout has pointers of Git LFS instead of files: " + std::string(failure->row->remedy);
    }
    pass.reason = failure->message;
    findings.push_back(std::move(*failure));
  } else {
    pass.outputs = context.folder.outputs(request.arm, label) / request.command->name;
    auto collected = collect(context, request, *workspace, process_request.stdout_file, process.out.truncated,
                             pass.outputs);
    if (!collected) return give_up(collected.error());
    pass.collected = std::move(collected->files);
    for (auto& record : collected->records)
      pass.records.push_back(std::move(record));
    if (traceback) {
      // Work was lost only where an output is missing too; otherwise what the script printed is context.
      Finding swallowed =
          sequence_finding("crash.swallowed", "the command printed a traceback and ended with exit code 0: " +
                                                  traceback->exception);
      swallowed.place = traceback->place;
      swallowed.weight = Weight::note;
      for (auto& finding : collected->findings)
        finding.evidence.insert(finding.evidence.begin(), "hidden error: " + traceback->exception);
      findings.push_back(std::move(swallowed));
    }
    for (auto& finding : collected->findings) {
      if (pass.reason.empty()) pass.reason = finding.message;
      findings.push_back(std::move(finding));
    }
  }
  for (auto& finding : findings) {
    finding.command = request.command->name;
    finding.arm = request.arm;
    finding.pass = request.number;
    // An export is the lab's extra: it does not decide whether the command can be trusted.
    if (request.step == "export" && finding.weight.value_or(finding.row->weight) == Weight::stop)
      finding.weight = Weight::gap;
    pass.records.push_back(to_record(finding));
  }

  pass.passed = pass.reason.empty();
  if (!pass.passed) {
    const bool silent = process.err.bytes == 0;
    for (const auto& line : last_lines(silent ? process.out.text() : process.err.text(), 12))
      pass.tail.push_back(line);
    const fs::path script = context.folder.log(log_name + ".sh");
    if (write_file(script, reproduce_script(context, process_request.argv, process_request.environment,
                                            *workspace, process_request.directory))) {
      pass.reproduce = shell_quoted({"sh", script.string()});
    }
  }
  (void)remove_tree(workspace->checkout.parent_path());
  return pass;
}

Record end_of(const std::vector<Pass>& passes) {
  for (const auto& pass : passes) {
    if (pass.passed) continue;
    Record end = step_end(StepStatus::failed, pass.reason);
    if (!pass.tail.empty()) end.data["tail"] = pass.tail;
    if (!pass.reproduce.empty()) end.data["reproduce"] = pass.reproduce;
    if (!pass.log.empty()) end.data["log"] = pass.log;
    return end;
  }
  if (passes.empty()) return step_end(StepStatus::error, "no pass was executed");
  return step_end(StepStatus::passed);
}

std::map<std::string, fs::path> collected_outputs(const Context& context, const Records& so_far,
                                                  const std::string& arm, const std::string& step,
                                                  const std::string& command) {
  std::map<std::string, fs::path> collected;
  for (const auto& record : so_far) {
    if (record.kind == Kind::artefact && record.id == "output" && record.arm == arm && record.step == step &&
        record.pass <= 1 && string_at(record.data, "command") == command) {
      collected[string_at(record.data, "output")] = context.folder.root() / string_at(record.data, "path");
    }
  }
  return collected;
}

}  // namespace mpsgate
