#pragma once
#include "base/json.h"
#include "base/result.h"
#include "device/device.h"
#include "environment/interpreter.h"
#include "host/host.h"

#include <optional>
#include <string>
#include <vector>

namespace mpsgate {

/// What was asked of this machine.
struct MachineState {
  HostFacts host;
  std::optional<Interpreter> python;
  Result<void> fetch;      ///< whether mpsgate-fetch answers
  Result<void> index;      ///< whether pip's package index answers
  Result<Probe> libtorch;  ///< of mpsgate-device
  bool nvidia = false;     ///< a driver for CUDA is there
};

/// One thing looked at.
struct Check {
  enum class State { good, note, missing };
  std::string what;
  State state = State::good;
  std::string said;
  std::string remedy;  ///< of what is missing: what brings it
};

/// What this machine can do with a protocol, and what stands in the way.
struct Ability {
  std::string name;  ///< "rehearse", "run", "capture"
  bool able = true;
  std::string why;  ///< why not; or, able, a limit
};

struct Diagnosis {
  std::vector<Check> checks;
  std::vector<Ability> abilities;
  const Ability& ability(const std::string& name) const;
};

/// Pure: tested on made-up machines.
Diagnosis diagnose(const MachineState& state);
Json to_json(const Diagnosis& diagnosis);

}  // namespace mpsgate
