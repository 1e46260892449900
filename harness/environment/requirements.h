#pragma once
#include "base/result.h"
#include "environment/environment.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// One line of a requirements file, or one requirement of the protocol; PEP 508 as far as it matters here.
struct Requirement {
  enum class Kind {
    package,  ///< a name that an index knows
    url,      ///< "foo @ https://…", "git+https://…"
    local,    ///< a folder or file of the checkout: ".", "./ops", "-e .[train]"
    option,   ///< "--extra-index-url …": of pip, not of the environment
  } kind = Kind::package;
  std::string text;         ///< as it is given to pip: without comments, hashes and other options of the line
  std::string name;         ///< normalised (PEP 503); empty for local, option and nameless URLs
  std::string pinned;       ///< the version after "==", without markers; empty when not exact
  std::string extras;       ///< "train,plots"
  std::string marker;       ///< after ";", trimmed
  std::string path;         ///< of local: relative to the checkout
  bool constraint = false;  ///< from a -c file: holds a version, installs nothing
  bool of_lab = true;       ///< false: the protocol's own words
  bool hashed = false;      ///< the line had hashes
  Place place;              ///< file within the checkout and line
  bool installs_folder() const { return kind == Kind::local && !constraint; }
};

/// "Foo_Bar.baz" → "foo-bar-baz".
std::string normalised_name(std::string_view name);
/// Any text is accepted; `folder` is where the file that holds it lies in the checkout.
Requirement parse_requirement(std::string_view text, const Place& place, const std::string& folder = {});

/// The lines of a requirements file of the checkout, in order, with -r and -c files inside the checkout
/// followed (each once). Error codes: "environment.file-missing", "environment.file-invalid" (too large, too
/// many, too deep, or another kind of file).
Result<std::vector<Requirement>> read_requirements(const std::filesystem::path& checkout,
                                                   const std::string& file);

/// What the protocol asks for after its replacements and drops, and each change made.
struct WantedPackages {
  std::vector<Requirement> requirements;
  std::vector<Rewrite> rewrites;
  std::vector<std::string> unused;  ///< names of `drop` that nothing asked for by name
  bool own_index = false;           ///< the lab names an index or a folder of packages, which is not taken
};
Result<WantedPackages> wanted_packages(const Protocol::Environment& environment,
                                       const std::filesystem::path& checkout);
/// Applies replacements and drops to requirements found later: those of the lab's own packages.
void take_with_changes(const std::vector<Requirement>& given, const Protocol::Environment& environment,
                       WantedPackages& wanted);

}  // namespace mpsgate
