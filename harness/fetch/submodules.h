#pragma once
#include "fetch/checkout.h"
#include "fetch/gitmodules.h"

namespace mpsgate {

/// A chain of submodules longer than this is a mistake or an attack; so is a repository with more in all.
inline constexpr int kDeepestSubmodule = 8;
inline constexpr std::size_t kMostSubmodules = 256;

/// Checks out every submodule that a parent's tree pins, each at that commit, as a whole repository of
/// its own in its place. URLs are https, ssh, relative to the parent's, or substituted. A gitlink that
/// .gitmodules does not explain is an error: what a command would find there is unknown. Error codes:
/// "source.submodule", those of check_out_commit.
Result<void> check_out_submodules(CheckoutSession& session, const std::vector<Gitlink>& gitlinks,
                                  const std::vector<ModuleEntry>& modules, const Origin& origin,
                                  const std::filesystem::path& folder, const std::string& prefix, int depth);

/// Where the submodule `url` of `origin` is found. Error codes: "source.submodule", "source.refused".
Result<Origin> submodule_origin(const CheckoutSession& session, const Origin& origin, const std::string& url);

}  // namespace mpsgate
