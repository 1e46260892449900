#include "fetch/submodules.h"

#include "base/files.h"
#include "base/text.h"
#include "process/variables.h"

#include <algorithm>

namespace mpsgate {
namespace {

constexpr const char* kDoWithout =
    "give a local copy with --source URL=DIR, or set repository.submodules: false if no command needs it";

/// The empty folder that the parent's checkout left for the submodule. On a file system that ignores case a
/// symbolic link of the tree can stand in its way and lead out of the checkout.
Result<fs::path> place_of(const fs::path& folder, const std::string& path) {
  fs::path at = folder;
  std::error_code error;
  for (const auto& part : split(path, '/')) {
    at /= part;
    const auto status = fs::symlink_status(at, error);
    if (fs::exists(status) && !fs::is_directory(status)) {
      return fail(
          "source.refused",
          "the submodule " + one_line(path) + " lies behind " + at.string() + ", which is not a folder",
          "such a repository is built to do harm; look at it before you use it");
    }
  }
  if (fs::exists(at, error) && !fs::is_empty(at, error)) {
    return fail("source.refused", "the place of the submodule " + one_line(path) + " is not empty",
                "such a repository is built to do harm; look at it before you use it");
  }
  return at;
}

}  // namespace

Result<Origin> submodule_origin(const CheckoutSession& session, const Origin& origin,
                                const std::string& url) {
  Origin found;
  const bool relative = is_relative_url(url);
  if (relative) {
    MPSGATE_ASSIGN(found.url, resolve_url(origin.base(), url));
  } else if (found.folder = session.substitute_for(url); !found.folder.empty()) {
    // Whatever its form: the folder is what is read.
    if (auto parsed = parse_remote_url(url))
      found.url = *parsed;
    else
      found.url.path = found.folder.string();
    return found;
  } else {
    MPSGATE_ASSIGN(found.url, parse_remote_url(url));
    if (found.url.kind != RemoteUrl::Kind::https && found.url.kind != RemoteUrl::Kind::ssh) {
      return fail("source.submodule",
                  "the URL " + one_line(hide_credentials(url)) + " is neither https, ssh nor relative",
                  kDoWithout);
    }
  }
  found.folder = session.substitute_for(found.url.text());
  if (found.folder.empty() && found.url.kind == RemoteUrl::Kind::local) {
    std::error_code error;
    found.folder = found.url.path;
    if (!fs::exists(found.folder, error) && fs::exists(found.url.path + ".git", error))
      found.folder += ".git";
  }
  return found;
}

Result<void> check_out_submodules(CheckoutSession& session, const std::vector<Gitlink>& gitlinks,
                                  const std::vector<ModuleEntry>& modules, const Origin& origin,
                                  const fs::path& folder, const std::string& prefix, int depth) {
  for (const auto& gitlink : gitlinks) {
    const std::string path = prefix + gitlink.path;
    const auto name = "the submodule " + one_line(path, 120);
    const auto module = std::find_if(modules.begin(), modules.end(),
                                     [&](const ModuleEntry& entry) { return entry.path == gitlink.path; });
    if (module == modules.end() || module->url.empty()) {
      return fail("source.submodule", name + " has no URL in .gitmodules",
                  "add it there, or set repository.submodules: false if no command needs it");
    }
    if (module->skipped) continue;
    if (depth >= kDeepestSubmodule) {
      return fail("source.submodule",
                  name + " lies more than " + std::to_string(kDeepestSubmodule) + " repositories deep",
                  kDoWithout);
    }
    if (session.checked_out.size() >= kMostSubmodules) {
      return fail("source.submodule",
                  "the repository has more than " + std::to_string(kMostSubmodules) + " submodules",
                  kDoWithout);
    }
    if (!is_safe_module_path(gitlink.path)) {
      return fail("source.refused", name + " has an unsafe path", "look at the repository before you use it");
    }
    const auto named = [&](Error error) {
      error.message = name + ": " + error.message;
      return tl::unexpected<Error>(std::move(error));
    };
    auto place = place_of(folder, gitlink.path);
    if (!place) return named(place.error());
    auto found = submodule_origin(session, origin, module->url);
    if (!found) return named(found.error());
    session.checked_out.push_back({path, found->url.text(), gitlink.commit});
    auto tree_id = check_out_commit(session, *found, gitlink.commit, *place, path + "/", depth + 1);
    if (!tree_id) return named(tree_id.error());
  }
  return {};
}

}  // namespace mpsgate
