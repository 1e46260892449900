#pragma once
#include "base/result.h"
#include "environment/environment.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// One requirement of a requirements file or of the protocol, PEP 508 as far as it matters here.
struct Requirement {
  std::string text;    ///< as it is given to pip
  std::string name;    ///< normalised (PEP 503); empty for options, URLs and paths
  std::string pinned;  ///< the version after "==", without extras or markers; empty when not exact
  std::string marker;  ///< after ";", trimmed
  Place place;         ///< file within the checkout and line
};

/// "Foo_Bar.baz" → "foo-bar-baz".
std::string normalised_name(std::string_view name);
Requirement parse_requirement(std::string_view text, const Place& place);

/// The lines of a requirements file of the checkout, -r and -c inside it followed; comments and continuations
/// taken out. Error codes: "environment.file-missing", "path.outside", "environment.file-deep".
Result<std::vector<Requirement>> read_requirements(const std::filesystem::path& checkout,
                                                   const std::string& file);

/// What the protocol asks for after its replacements and drops, and each change made.
struct WantedPackages {
  std::vector<Requirement> requirements;
  std::vector<Rewrite> rewrites;
};
Result<WantedPackages> wanted_packages(const Protocol::Environment& environment,
                                       const std::filesystem::path& checkout);

}  // namespace mpsgate
