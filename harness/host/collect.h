#pragma once
#include "host/host.h"

namespace mpsgate {

/// What only this system can tell: host_linux.cpp, host_macos.cpp.
void collect_system(ProcessRunner& processes, HostFacts& facts);

}  // namespace mpsgate
