#include "base/text.h"
#include "device/device.h"
#include "process/variables.h"
#include "record/draft.h"
#include "sequence/findings.h"
#include "sequence/step.h"

namespace mpsgate {
namespace {

constexpr double kProbeSeconds = 180;

void report(const std::string& who, const Probe& probe, Records& records) {
  Json rows = Json::array();
  for (const auto& canary : probe.canaries) {
    rows.push_back(Json::array({canary.name, canary.status, json_number(canary.max_abs_error),
                                json_number(canary.tolerance), canary.message}));
  }
  records.push_back(note("probe.torch", who, probe.torch));
  records.push_back(note("probe.built", who + ": built with mps", probe.built));
  records.push_back(note("probe.available", who + ": mps available", probe.available));
  records.push_back(
      table("probe.canaries", "Canaries of " + who + " on " + probe.device,
            {{"canary", ""}, {"status", ""}, {"max abs error", ""}, {"tolerance", ""}, {"message", ""}},
            std::move(rows)));
}

}  // namespace

Records run_probe(const Context& context, const Records& so_far) {
  Records records;
  const Record* python = last_of(so_far, Kind::note, "environment.python");
  if (!python) return {step_end(StepStatus::error, "the environment step left no interpreter")};
  const bool wants_mps = context.scope != "cpu";

  // Two witnesses: the lab's own torch, and the LibTorch that mpsgate was built with.
  const auto lab = probe_python(context.processes, std::filesystem::path(string_at(python->data, "value")),
                                lab_variables(context.own, context.folder.work() / "probe-home"),
                                context.folder.log("probe.python.err"), kProbeSeconds);
  const auto libtorch =
      probe_libtorch(context.processes, context.own, context.folder.log("probe.libtorch.err"), kProbeSeconds);
  if (libtorch) {
    report("LibTorch of mpsgate", *libtorch, records);
  } else {
    records.push_back(
        note("probe.libtorch", "LibTorch of mpsgate", "not asked: " + one_line(libtorch.error().message)));
  }
  if (!lab) {
    const auto& error = lab.error();
    const bool known = error.code == "probe.no-torch" || error.code == "probe.torch-broken";
    Finding finding = known ? finding_of(device_findings(), error.code) : sequence_finding("step.error", "");
    finding.message = error.message;
    if (!error.advice.empty()) finding.remedy = error.advice;
    finding.place = context.protocol.place_of("environment");
    records.push_back(to_record(finding));
    records.push_back(step_end(StepStatus::failed, error.message));
    return records;
  }
  report("the lab's torch", *lab, records);
  std::string reason;
  for (const auto& finding : judge_probe(*lab, libtorch ? &*libtorch : nullptr, wants_mps)) {
    if (finding.weight.value_or(finding.row->weight) != Weight::note && reason.empty())
      reason = finding.message;
    records.push_back(to_record(finding));
  }
  records.push_back(reason.empty() ? step_end(StepStatus::passed) : step_end(StepStatus::failed, reason));
  return records;
}

}  // namespace mpsgate
