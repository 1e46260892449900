#include "sequence/pass.h"

#include "base/text.h"
#include "record/draft.h"
#include "sequence/collect.h"
#include "sequence/failure.h"
#include "sequence/findings.h"

#include <algorithm>
#include <string_view>

namespace mpsgate {
namespace fs = std::filesystem;

Pass execute_pass(const Context& context, const Records& so_far, const PassRequest& request) {
  Pass pass;
  const std::string label = label_of(request);
  const auto give_up = [&](const Error& error) {
    static constexpr std::string_view ids[] = {"source.changed", "artefact.changed",
                                               "environment.module-missing"};
    const bool own = std::find(std::begin(ids), std::end(ids), error.code) != std::end(ids);
    Finding finding = sequence_finding(own                         ? error.code
                                       : error.code == "disk.full" ? "machine.disk-full"
                                                                   : "step.error",
                                       error.message);
    finding.command = request.command->name;
    finding.arm = request.arm;
    finding.place = error.place;
    if (!error.advice.empty()) finding.remedy = error.advice;
    pass.records.push_back(to_record(finding));
    pass.reason = error.message;
    return pass;
  };
  const auto execution = execute(context, so_far, request);
  if (!execution) return give_up(execution.error());
  const ProcessResult& process = execution->process;
  const PassWorkspace& workspace = execution->workspace;
  pass.records = measurements_of(request, process);
  pass.log = context.folder.relative(execution->request.stderr_file);

  std::vector<Finding> findings;
  std::optional<Finding> failure =
      classify_failure(process, request.arm, workspace.checkout, request.command->exit_code);
  const auto traceback = last_traceback(process.err.text(), workspace.checkout);
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
    auto collected = collect(context, request, *execution, pass.outputs);
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
    pass.reproduce = write_reproduce_script(context, *execution);
  }
  discard(*execution);
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
