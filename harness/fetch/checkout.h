#pragma once
#include "base/json.h"
#include "fetch/credential.h"
#include "fetch/progress.h"
#include "fetch/tree.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mpsgate {

/// Where one repository comes from: `url` is its name, `folder` (empty: none) a local repository that stands
/// in for it.
struct Origin {
  RemoteUrl url;
  std::filesystem::path folder;

  /// Against which a submodule's relative URL resolves: the name, or the folder where the name is no URL.
  RemoteUrl base() const;
  std::string text() const;
};

/// What holds for the whole request, submodules included.
struct CheckoutSession {
  CredentialPolicy credentials;
  std::vector<std::pair<std::string, std::filesystem::path>> substitutes;  ///< URL → folder
  bool submodules = true;
  std::vector<std::string> sparse;  ///< paths of the repository itself that alone are written; empty: all
  Progress progress;
  struct Submodule {
    std::string path, url, commit;
  };
  std::vector<Submodule> checked_out;  ///< filled in

  /// The folder that stands in for `url`; empty: none.
  std::filesystem::path substitute_for(const std::string& url) const;
};

/// One commit into `folder`, a new repository with a detached HEAD, and its submodules below it (`depth`
/// counts how many parents there are, `prefix` is the path from the outermost checkout, "" or "a/b/").
/// Returns the tree's id.
Result<std::string> check_out_commit(CheckoutSession& session, const Origin& origin,
                                     const std::string& commit, const std::filesystem::path& folder,
                                     const std::string& prefix, int depth);

/// The operation "checkout" of mpsgate-fetch. Error codes: see check_out in fetch.h.
Result<Json> serve_checkout(const Json& request, const Emit& emit);

}  // namespace mpsgate
