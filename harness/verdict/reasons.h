#pragma once
#include "verdict/evidence.h"
#include "verdict/verdict.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mpsgate {

/// Which row of the order in docs/verdict.md a reason speaks for. The order of the enumerators is that of the
/// rows.
enum class Rank {
  fixed,      ///< 1: static
  on_cpu,     ///< 2: the command fails on the CPU too
  doubt,      ///< 3: machine or reference in doubt
  on_device,  ///< 4: measured on mps
  gap,        ///< 5: something that gates could not be established
  note,       ///< decides nothing
};

struct RankedReason {
  Reason reason;
  Rank rank = Rank::note;
  std::size_t order = 0;  ///< place in the stop table; for gaps place of the step

  /// A doubt about speed strikes the timed criteria alone.
  bool about_speed() const { return reason.cause == "performance"; }
  bool concerns(const std::string& command) const {
    return reason.command.empty() || reason.command == command;
  }
};

/// Every finding, and every measurement over its criterion, with the rank it has by itself.
std::vector<RankedReason> rank_reasons(const Evidence& evidence);

}  // namespace mpsgate
