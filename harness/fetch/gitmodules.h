#pragma once
#include "fetch/git.h"

#include <string>
#include <vector>

namespace mpsgate {

/// One section of .gitmodules.
struct ModuleEntry {
  std::string name, path, url;
  bool skipped = false;  ///< update = none: git leaves it empty, so do we
};

/// Reads .gitmodules of the commit's tree as hostile input; a tree without one gives nothing. To be called
/// before any file is written: libgit2's checkout reads that file again, by itself and with what it includes.
/// Error codes: "source.refused" (unsafe path, an include, not a plain file), "source.submodule" (not git
/// configuration).
Result<std::vector<ModuleEntry>> read_gitmodules(git_repository* repository, const git_oid& tree);

/// Relative, '/' between, and no part that is empty, ".", ".." or a spelling of ".git"; no control characters
/// or backslashes; does not start with '-'.
bool is_safe_module_path(std::string_view path);

}  // namespace mpsgate
