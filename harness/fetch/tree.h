#pragma once
#include "fetch/git.h"
#include "fetch/progress.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

struct Gitlink {
  std::string path;    ///< of the submodule, '/' between
  std::string commit;  ///< that the parent pins
};

/// What a commit's tree names.
struct TreeContents {
  std::string tree;         ///< its id
  std::uint64_t files = 0;  ///< files and symbolic links
  std::vector<Gitlink> gitlinks;
};

/// A name that a folder may hold: not empty, no '/', neither "." nor "..", and no spelling that some file
/// system takes for ".git" (other case, final dots and spaces, the short name "git~1", the invisible
/// characters that HFS+ leaves out).
bool is_safe_entry_name(std::string_view name);

/// Looks for every object of the commit's tree before anything is written, so that a partial copy is told as
/// what it is. Error codes: "source.commit-unknown", "source.objects-missing" (lists up to 20 paths and
/// counts all), "source.refused" (more than `most_entries` files and folders: a tree that unfolds without
/// end).
Result<TreeContents> examine_tree(git_repository* repository, const git_oid& commit,
                                  const std::string& origin, Progress& progress,
                                  std::uint64_t most_entries = 1'000'000);

}  // namespace mpsgate
