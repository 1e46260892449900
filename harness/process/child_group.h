#pragma once
#include <sys/types.h>

namespace mpsgate {

/// Tells the signal handler which process group a second interrupt kills; 0: none. Async-signal-safe.
void set_child_group(pid_t leader);

}  // namespace mpsgate
