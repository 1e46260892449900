#include "host/host.h"

#include "device/device.h"
#include "record/draft.h"
#include "sequence/step.h"

namespace mpsgate {

Records run_host(const Context& context, const Records&) {
  Records records;
  const HostFacts facts = host_facts(context.processes, context.folder.root());
  for (const auto& [name, value] : logbook(facts))
    records.push_back(note("host", name, value));
  const bool wants_mps = context.options.mode == Mode::run;
  std::string doubt;
  auto findings = judge_host(facts, wants_mps);
  if (wants_mps && facts.system == "Linux") {
    Finding finding = finding_of(device_findings(), "machine.no-mps");
    finding.message = "this machine runs " + facts.system + ", which has no mps device";
    finding.remedy = "run it on a Mac with Apple silicon, or rehearse here: mpsgate rehearse";
    findings.push_back(std::move(finding));
  }
  for (const auto& finding : findings) {
    if (finding.weight.value_or(finding.row->weight) == Weight::doubt && doubt.empty())
      doubt = finding.message;
    records.push_back(to_record(finding));
  }
  records.push_back(doubt.empty() ? step_end(StepStatus::passed) : step_end(StepStatus::failed, doubt));
  return records;
}

}  // namespace mpsgate
