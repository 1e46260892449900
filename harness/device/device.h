#pragma once
#include "base/json.h"
#include "base/result.h"
#include "process/process.h"
#include "record/finding.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mpsgate {

/// One canary: the same small computation on the CPU and on mps.
struct Canary {
  std::string name;    ///< "matmul", "linear-3d-bias", …
  std::string status;  ///< "passed", "wrong", "failed", "not-run"
  double max_abs_error = 0;
  double tolerance = 0;
  std::string message;  ///< of the failure
};

/// What a torch says of mps: the lab's own through a script run by its Python, ours through mpsgate-device.
struct Probe {
  std::string torch;             ///< "2.13.0+cpu"
  std::string python;            ///< "3.11.7"; empty for LibTorch
  std::string architecture;      ///< of the interpreter or binary
  bool built = false;            ///< torch.backends.mps.is_built()
  bool available = false;        ///< torch.backends.mps.is_available()
  std::string device_name;       ///< where torch can tell
  std::vector<Canary> canaries;  ///< on mps; on the CPU alone where there is none (device says which)
  std::string device;            ///< "mps" or "cpu": where the canaries ran
};

/// The lab's torch: runs the embedded script with `python`. A torch that is missing: error "probe.no-torch";
/// other codes: those of call_worker.
Result<Probe> probe_python(ProcessRunner& processes, const std::filesystem::path& python,
                           const Variables& lab, const std::filesystem::path& log, double seconds);

/// Our LibTorch: asks mpsgate-device. Error codes: those of call_worker.
Result<Probe> probe_libtorch(ProcessRunner& processes, const Variables& own, const std::filesystem::path& log,
                             double seconds);

/// Findings about a probe: machine.no-mps, machine.canary-wrong, … `wants_mps` as in judge_host.
std::vector<Finding> judge_probe(const Probe& lab, const Probe* libtorch, bool wants_mps);
std::span<const FindingRow> device_findings();

}  // namespace mpsgate
