#pragma once

namespace mpsgate {

/// Every exit code of mpsgate. docs/verdict.md explains them to CI maintainers.
enum class ExitCode : int {
  ok = 0,            ///< continue or proceed; or the command did what it was asked
  abort = 1,         ///< the verdict says no; compare: beyond tolerance
  usage = 2,         ///< wrong arguments or an invalid protocol
  inconclusive = 3,  ///< the verdict could not be reached
  internal = 4,      ///< a bug in mpsgate
  nothing = 5,       ///< no step was selected
  interrupted = 130,
  terminated = 143,
};

}  // namespace mpsgate
