#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// What pip's own words say about a failed download or install. pip says the same for an unknown package and
/// for an index that it cannot reach: `no_distribution` means something only after the index was asked.
struct PipFailure {
  enum class Kind {
    conflict,         ///< requirements that exclude each other; see parties and constraints
    no_distribution,  ///< nothing that fits; see package, wanted and offered
    python_version,   ///< the package refuses this Python
    build,            ///< a source archive could not be built
    disk_full,
    network,  ///< pip says so itself
    unknown,
  } kind = Kind::unknown;
  std::string package;  ///< normalised; empty if the log does not name one
  std::string wanted;   ///< "six==99.0"
  std::string offered;  ///< what stands after "from versions:"; "none" too
  std::vector<std::string>
      parties;  ///< of a conflict: "idna==2.0", "requests 2.31.0 depends on idna<4 and >=2.5"
  std::vector<std::string> constraints;  ///< of a conflict: "torch==2.13.0+cpu"
  std::vector<std::string>
      other_python;  ///< versions of the wanted package that pip left out for their Requires-Python
  std::string build_requirement;      ///< what an offline build asked for in vain: "cmake>=3.15"
  bool network_trouble = false;       ///< some connection failed along the way, whatever the end
  std::vector<std::string> evidence;  ///< the decisive lines, harmless
};

/// Reads the output of pip 22 to 26; stdout and stderr together. Any text is accepted.
PipFailure read_pip_log(std::string_view text);

}  // namespace mpsgate
