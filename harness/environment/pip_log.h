#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// What pip's own words say about a failed install. pip says the same for an unknown package and for an index
/// that it cannot reach: `no_distribution` means something only after the index was asked.
struct PipFailure {
  enum class Kind {
    conflict,             ///< pins of the lab that exclude each other
    constraint_conflict,  ///< a requirement that excludes a constraint, ours or the machine's
    no_distribution,      ///< nothing that fits; see package, wanted and offered
    python_version,       ///< the package refuses this Python
    build,                ///< a source archive could not be built
    disk_full,
    network,  ///< pip says so itself
    unknown,
  } kind = Kind::unknown;
  std::string package;                ///< normalised; empty if the log does not name one
  std::string wanted;                 ///< "six==99.0"
  std::string offered;                ///< what stands after "from versions:"; "none" too
  std::vector<std::string> evidence;  ///< the decisive lines, harmless
};

/// Reads the output of pip 22 to 26; stdout and stderr together.
PipFailure read_pip_log(std::string_view text);

}  // namespace mpsgate
