#pragma once
#include "device/device.h"

namespace mpsgate {

/// Asks LibTorch about mps and runs the canaries of probe.py there. Defined with LibTorch, used by
/// mpsgate-device only.
Probe probe_here();

}  // namespace mpsgate
