#pragma once
#include <string>
#include <string_view>

namespace mpsgate {

/// The words of the design, as they stand in records and reports.

/// Why something stops.
enum class Cause {
  cuda,
  operators,
  dtype,
  device,
  numerics,
  memory,
  performance,
  crash,
  output,
  environment,
  data,
  session,
  confidentiality,
  machine,
};
/// Where the work should go.
enum class Route { mps, adapt, cpu, mlx, remote_mac, linux_gpu, split };
/// What a finding rests on: reading files and logs (holds on every machine), or something executed here.
enum class Basis { fixed, device };
/// What a finding does to the verdict; docs/verdict.md.
enum class Weight {
  stop,   ///< a reason to abort, if its criterion is in force
  doubt,  ///< the machine, or the reference, is in doubt: inconclusive before anything is blamed on mps
  gap,    ///< something could not be established; its step does not pass
  note,   ///< context
};
enum class Effort { none, minutes, hours, rewrite };
/// Who must act.
enum class Who { nobody, lab, protocol_owner, machine_owner };

const char* name_of(Cause cause);    ///< "cuda", …
const char* name_of(Route route);    ///< "mps", "adapt", "cpu", "mlx", "remote-mac", "linux-gpu", "split"
const char* name_of(Basis basis);    ///< "static", "device"
const char* name_of(Weight weight);  ///< "stop", "doubt", "gap", "note"
const char* name_of(Effort effort);  ///< "none", "minutes", "hours", "rewrite"
const char* name_of(Who who);        ///< "nobody", "lab", "protocol owner", "machine owner"

/// How a step ended.
enum class StepStatus { passed, failed, skipped, error };
const char* name_of(StepStatus status);

}  // namespace mpsgate
