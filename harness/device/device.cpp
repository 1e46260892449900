#include "device/device.h"

#include "base/files.h"
#include "base/text.h"
#include "process/variables.h"
#include "process/worker.h"

#include <array>
#include <tuple>

namespace mpsgate {

extern const std::string_view kProbeScript;

namespace {

constexpr std::uint64_t kLargestAnswer = 1 << 20;

Probe probe_from(const Json& json) {
  Probe probe;
  probe.torch = one_line(string_at(json, "torch"), 60);
  probe.python = one_line(string_at(json, "python"), 60);
  probe.architecture = one_line(string_at(json, "architecture"), 60);
  probe.built = bool_at(json, "built");
  probe.available = bool_at(json, "available");
  probe.device_name = one_line(string_at(json, "device_name"), 80);
  probe.device = string_at(json, "device") == "mps" ? "mps" : "cpu";
  for (const auto& canary : value_at(json, "canaries")) {
    probe.canaries.push_back({one_line(string_at(canary, "name"), 60), string_at(canary, "status", "failed"),
                              number_at(canary, "max_abs_error"), number_at(canary, "tolerance"),
                              one_line(string_at(canary, "message"))});
  }
  return probe;
}

Result<Probe> ask(ProcessRunner& processes, WorkerCall call, const std::filesystem::path& log,
                  double seconds) {
  call.request = {{"op", "probe"}};
  call.limits.wall_seconds = seconds;
  call.limits.memory_bytes = kLargestAnswer;
  call.stderr_file = log;
  auto answer = call_worker(processes, call);
  if (!answer.result) return tl::unexpected<Error>(answer.result.error());
  return probe_from(*answer.result);
}

Finding device_finding(std::string_view id, std::string message) {
  return finding_of(device_findings(), id, std::move(message));
}

/// Canaries with one of the statuses, as "name: message".
std::vector<std::string> canaries_with(const Probe& probe, std::string_view status) {
  std::vector<std::string> found;
  for (const auto& canary : probe.canaries) {
    if (canary.status == status) found.push_back(canary.name + ": " + canary.message);
  }
  return found;
}

void judge_canaries(const Probe& lab, std::vector<Finding>& findings) {
  const bool on_mps = lab.device == "mps";
  for (const auto& [status, id, said] : {std::tuple{"wrong", "machine.canary-wrong", "gives wrong numbers"},
                                         std::tuple{"failed", "machine.canary-failed", "fails"}}) {
    const auto canaries = canaries_with(lab, status);
    if (canaries.empty()) continue;
    findings.push_back(device_finding(id, std::to_string(canaries.size()) + " of " +
                                              std::to_string(lab.canaries.size()) + " canaries: torch " +
                                              lab.torch + " " + said + " on " +
                                              (on_mps ? "this machine's mps device" : "this machine's CPU")));
    findings.back().evidence = canaries;
    findings.back().arm = lab.device;
  }
}

}  // namespace

Result<Probe> probe_python(ProcessRunner& processes, const std::filesystem::path& python,
                           const Variables& lab, const std::filesystem::path& log, double seconds) {
  WorkerCall call;
  call.program = python;
  call.arguments = {"-I", "-c", std::string(kProbeScript)};
  call.environment = lab;
  // What cannot run on mps must be seen as that.
  call.environment["PYTORCH_ENABLE_MPS_FALLBACK"] = "0";
  return ask(processes, std::move(call), log, seconds);
}

Result<Probe> probe_libtorch(ProcessRunner& processes, const Variables& own, const std::filesystem::path& log,
                             double seconds) {
  WorkerCall call;
  call.program = sibling_executable("mpsgate-device");
  call.environment = lab_variables(own, std::filesystem::temp_directory_path());
  return ask(processes, std::move(call), log, seconds);
}

std::span<const FindingRow> device_findings() {
  using enum Weight;
  constexpr auto device = Basis::device;
  static constexpr std::array rows = {
      FindingRow{"machine.no-mps", Cause::machine, device, doubt, Who::machine_owner,
                 "There is no usable mps device",
                 "run it on a Mac with Apple silicon; on another machine: mpsgate rehearse"},
      FindingRow{
          "machine.canary-wrong", Cause::machine, device, doubt, Who::machine_owner,
          "A computation with a known answer comes out wrong",
          "try another torch release or macOS build; until then no result of this machine proves anything"},
      FindingRow{"machine.canary-failed", Cause::machine, device, doubt, Who::machine_owner,
                 "A small computation fails", "read the message; try another torch release or macOS build"},
      FindingRow{"probe.no-torch", Cause::environment, device, gap, Who::protocol_owner,
                 "The environment has no torch",
                 "name it under environment, or drop the probe with a reason: gating: {drop: {probe: …}}"},
      FindingRow{"probe.torch-broken", Cause::environment, device, gap, Who::protocol_owner,
                 "torch cannot be imported", "read the message; pin a torch that fits this Python"},
      FindingRow{"probe.disagreement", Cause::machine, device, note, Who::machine_owner,
                 "Two torch releases see this machine differently",
                 "the lab's release is the more likely cause where mpsgate's own passes"},
  };
  return rows;
}

std::vector<Finding> judge_probe(const Probe& lab, const Probe* libtorch, bool wants_mps) {
  std::vector<Finding> findings;
  if (wants_mps && !lab.available) {
    findings.push_back(device_finding(
        "machine.no-mps", lab.built ? "torch " + lab.torch + " is built with mps, but finds no usable device"
                                    : "torch " + lab.torch + " is not built with mps"));
    if (lab.architecture == "x86_64")
      findings.back().remedy = "use an arm64 Python: this one is for Intel processors";
  }
  if (lab.canaries.empty())
    findings.push_back(device_finding("machine.canary-failed", "the probe reported no canary at all"));
  judge_canaries(lab, findings);
  if (libtorch) {
    const bool lab_well = canaries_with(lab, "wrong").empty() && canaries_with(lab, "failed").empty();
    const bool own_well =
        canaries_with(*libtorch, "wrong").empty() && canaries_with(*libtorch, "failed").empty();
    if (lab.available != libtorch->available || lab_well != own_well) {
      findings.push_back(device_finding(
          "probe.disagreement",
          "torch " + lab.torch + " of the lab: mps " + (lab.available ? "available" : "not available") +
              ", canaries " + (lab_well ? "pass" : "fail") + "; LibTorch " + libtorch->torch +
              " of mpsgate: mps " + (libtorch->available ? "available" : "not available") + ", canaries " +
              (own_well ? "pass" : "fail")));
    }
  }
  return findings;
}

}  // namespace mpsgate
