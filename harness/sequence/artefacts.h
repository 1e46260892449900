#pragma once
#include "sequence/step.h"

#include <filesystem>
#include <vector>

namespace mpsgate {

/// Where a command finds an artefact: a link of the run directory, or the file in this pass's `checkout`.
std::filesystem::path artefact_path(const Context& context, const Artefact& artefact,
                                    const std::filesystem::path& checkout);

/// Whether all artefacts are as the artefacts step verified them, told by names, sizes and times. Error code:
/// "artefact.changed".
Result<void> check_artefacts(const Context& context, const Records& so_far);

/// The artefacts that may not lie on a machine of this name: not public, machines are named, and none of them
/// matches the name or its part before the first dot. Pure.
std::vector<const Artefact*> forbidden_artefacts(const Protocol& protocol, const std::string& machine);

/// Where the files of the downloaded artefacts are kept.
std::filesystem::path store_folder(const std::filesystem::path& cache);

}  // namespace mpsgate
