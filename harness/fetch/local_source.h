#pragma once
#include "fetch/git.h"

#include <filesystem>

namespace mpsgate {

/// Lets the new `repository` read the objects of the one in `source` (a clone, bare, a worktree, shallow or
/// partial) without copying them: `.git/objects/info/alternates` names the source's objects by their absolute
/// path. So a checkout from a local source costs the time of its files whatever the length of its history,
/// its copies answer `git log` and `git status`, and it depends on the source staying where it is. Tags whose
/// objects are there come along, and the source's `shallow` file. The source is only read. Error codes:
/// "source.unreachable" (no such folder), "source.refused" (not a repository, another owner), those of
/// git_error_of.
Result<void> borrow_objects(git_repository* repository, const std::filesystem::path& source);

}  // namespace mpsgate
