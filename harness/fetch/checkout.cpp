#include "fetch/checkout.h"

#include "base/files.h"
#include "base/text.h"
#include "fetch/git.h"
#include "fetch/gitmodules.h"
#include "fetch/local_source.h"
#include "fetch/manifest.h"
#include "fetch/remote_source.h"
#include "fetch/submodules.h"
#include "process/variables.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mpsgate {
namespace {

/// An empty repository in `folder` that a person's own git settings cannot bend: the same bytes on every
/// machine.
Result<Repository> create_repository(const fs::path& folder) {
  git_repository_init_options options{};
  git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
  options.flags = GIT_REPOSITORY_INIT_NO_REINIT | GIT_REPOSITORY_INIT_MKDIR | GIT_REPOSITORY_INIT_MKPATH;
  options.initial_head = "main";
  git_repository* raw = nullptr;
  if (const int code = git_repository_init_ext(&raw, folder.c_str(), &options); code != 0) {
    return tl::unexpected<Error>(git_error_of("no repository can be made in " + folder.string(), code));
  }
  Repository repository(raw);
  git_config* raw_config = nullptr;
  if (const int code = git_repository_config(&raw_config, repository.get()); code != 0) {
    return tl::unexpected<Error>(
        git_error_of("the settings of " + folder.string() + " cannot be read", code));
  }
  const Config config(raw_config);
  static constexpr std::pair<const char*, const char*> kSettings[] = {
      {"core.autocrlf", "false"}, {"core.safecrlf", "false"},    {"core.symlinks", "true"},
      {"core.filemode", "true"},  {"core.protectHFS", "true"},   {"core.protectNTFS", "true"},
      {"gc.auto", "0"},           {"maintenance.auto", "false"},
  };
  for (const auto& [name, value] : kSettings) {
    if (const int code = git_config_set_string(config.get(), name, value); code != 0) {
      return tl::unexpected<Error>(
          git_error_of("the settings of " + folder.string() + " cannot be written", code));
    }
  }
  return repository;
}

void on_checkout_progress(const char*, std::size_t done, std::size_t total, void* progress) {
  static_cast<Progress*>(progress)->report(done, total, 0);
}

/// Whether `path` is one of `paths` or lies below one.
bool is_below_any(std::string_view path, const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& one) {
    return one == "." || path == one || (path.starts_with(one) && path[one.size()] == '/');
  });
}

/// An index of the whole tree in which all but `paths` is marked as not wanted in the work tree, so that git
/// shows a sparse checkout as clean.
Result<void> prepare_sparse_index(git_repository* repository, git_tree* tree,
                                  const std::vector<std::string>& paths) {
  git_index* raw = nullptr;
  if (const int code = git_repository_index(&raw, repository); code != 0)
    return tl::unexpected<Error>(git_error_of("the index cannot be opened", code));
  const std::unique_ptr<git_index, decltype(&git_index_free)> index(raw, &git_index_free);
  if (const int code = git_index_read_tree(index.get(), tree); code != 0)
    return tl::unexpected<Error>(git_error_of("the index cannot be filled", code));
  std::vector<git_index_entry> left_out;
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index.get(), i);
    if (!is_below_any(entry->path, paths)) left_out.push_back(*entry);
  }
  // Adding an entry replaces it and may free its path.
  std::vector<std::string> names;
  names.reserve(left_out.size());
  for (auto& entry : left_out) {
    names.emplace_back(entry.path);
    entry.path = names.back().c_str();
    entry.flags_extended |= GIT_INDEX_ENTRY_SKIP_WORKTREE;
  }
  for (const auto& entry : left_out) {
    if (const int code = git_index_add(index.get(), &entry); code != 0)
      return tl::unexpected<Error>(git_error_of("the index cannot be changed", code));
  }
  if (const int code = git_index_write(index.get()); code != 0)
    return tl::unexpected<Error>(git_error_of("the index cannot be written", code));
  return {};
}

/// Error code: "source.sparse-unknown" where the tree has no such path.
Result<void> check_sparse_paths(git_tree* tree, const std::vector<std::string>& paths,
                                const std::vector<Gitlink>& gitlinks) {
  for (const auto& path : paths) {
    git_tree_entry* entry = nullptr;
    const bool found = path == "." || git_tree_entry_bypath(&entry, tree, path.c_str()) == 0;
    git_tree_entry_free(entry);
    const bool inside = std::any_of(gitlinks.begin(), gitlinks.end(),
                                    [&](const Gitlink& link) { return is_below_any(path, {link.path}); });
    if (!found && !inside)
      return fail("source.sparse-unknown", "the commit has no file or folder \"" + one_line(path, 200) + "\"",
                  "correct repository.sparse");
  }
  return {};
}

Result<void> write_files(git_repository* repository, const git_oid& commit_id, const fs::path& folder,
                         const std::vector<std::string>& sparse, const std::vector<Gitlink>& gitlinks,
                         Progress& progress) {
  git_commit* raw = nullptr;
  if (const int code = git_commit_lookup(&raw, repository, &commit_id); code != 0) {
    return tl::unexpected<Error>(git_error_of("commit " + hex_of(commit_id) + " cannot be read", code));
  }
  const Commit commit(raw);
  git_checkout_options options{};
  git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION);
  options.checkout_strategy = GIT_CHECKOUT_FORCE;
  options.progress_cb = &on_checkout_progress;
  options.progress_payload = &progress;
  std::vector<char*> paths;
  paths.reserve(sparse.size());
  for (const auto& path : sparse)
    paths.push_back(const_cast<char*>(path.c_str()));
  if (!sparse.empty()) {
    git_tree* raw_tree = nullptr;
    if (const int code = git_commit_tree(&raw_tree, commit.get()); code != 0)
      return tl::unexpected<Error>(
          git_error_of("the tree of " + hex_of(commit_id) + " cannot be read", code));
    const Tree tree(raw_tree);
    MPSGATE_TRY(check_sparse_paths(tree.get(), sparse, gitlinks));
    MPSGATE_TRY(prepare_sparse_index(repository, tree.get(), sparse));
    options.checkout_strategy |= GIT_CHECKOUT_DISABLE_PATHSPEC_MATCH;
    options.paths = {paths.data(), paths.size()};
  }
  const auto* target = reinterpret_cast<const git_object*>(commit.get());
  if (const int code = git_checkout_tree(repository, target, &options); code != 0) {
    return tl::unexpected<Error>(git_error_of("the files cannot be written to " + folder.string(), code));
  }
  if (const int code = git_repository_set_head_detached(repository, &commit_id); code != 0) {
    return tl::unexpected<Error>(git_error_of("HEAD of " + folder.string() + " cannot be set", code));
  }
  return {};
}

Result<Origin> origin_of(const Json& request) {
  Origin origin;
  const std::string url = string_at(request, "url");
  origin.folder = string_at(request, "substitute");
  if (auto parsed = parse_remote_url(url)) {
    origin.url = *parsed;
  } else if (!origin.folder.empty()) {
    origin.url.path = origin.folder.string();  // the folder is enough
  } else {
    return tl::unexpected<Error>(parsed.error());
  }
  if (origin.folder.empty() && origin.url.kind == RemoteUrl::Kind::local) origin.folder = origin.url.path;
  return origin;
}

}  // namespace

RemoteUrl Origin::base() const {
  if (url.kind != RemoteUrl::Kind::local || folder.empty()) return url;
  RemoteUrl local;
  std::error_code error;
  local.path = fs::weakly_canonical(folder, error).string();
  return local;
}

std::string Origin::text() const {
  return folder.empty() ? hide_credentials(url.text()) : folder.string();
}

fs::path CheckoutSession::substitute_for(const std::string& url) const {
  for (const auto& [name, folder] : substitutes) {
    if (comparable_url(name) == comparable_url(url)) return folder;
  }
  return {};
}

Result<std::string> check_out_commit(CheckoutSession& session, const Origin& origin,
                                     const std::string& commit, const fs::path& folder,
                                     const std::string& prefix, int depth) {
  MPSGATE_ASSIGN(const git_oid oid, git_oid_of(commit));
  MPSGATE_ASSIGN(const Repository repository, create_repository(folder));
  if (origin.folder.empty()) {
    MPSGATE_TRY(fetch_commit(repository.get(), origin.url, oid, session.credentials, session.progress));
  } else {
    std::fprintf(stderr, "reading %s\n", origin.folder.c_str());
    MPSGATE_TRY(borrow_objects(repository.get(), origin.folder));
  }
  MPSGATE_ASSIGN(const TreeContents contents,
                 examine_tree(repository.get(), oid, origin.text(), session.progress));
  std::fprintf(stderr, "writing %llu files of %s\n", static_cast<unsigned long long>(contents.files),
               commit.c_str());
  MPSGATE_ASSIGN(const git_oid tree, git_oid_of(contents.tree));
  MPSGATE_ASSIGN(const auto modules, read_gitmodules(repository.get(), tree));
  // Of a submodule that is wanted all is.
  const std::vector<std::string> sparse = depth == 0 ? session.sparse : std::vector<std::string>();
  MPSGATE_TRY(write_files(repository.get(), oid, folder, sparse, contents.gitlinks, session.progress));
  if (session.submodules) {
    std::vector<Gitlink> wanted = contents.gitlinks;
    std::erase_if(wanted, [&](const Gitlink& link) {
      const bool holds_one = std::any_of(sparse.begin(), sparse.end(), [&](const std::string& path) {
        return is_below_any(path, {link.path});
      });
      return !sparse.empty() && !holds_one && !is_below_any(link.path, sparse);
    });
    MPSGATE_TRY(check_out_submodules(session, wanted, modules, origin, folder, prefix, depth));
  }
  return contents.tree;
}

Result<Json> serve_checkout(const Json& request, const Emit& emit) {
  MPSGATE_TRY(start_git());
  const fs::path folder = string_at(request, "folder");
  if (!folder.is_absolute())
    return fail("source.refused", "the request names no absolute folder to check out to");
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error))) {
    return fail("source.refused", folder.string() + " exists already", "remove it, or choose another --out");
  }
  MPSGATE_ASSIGN(const Origin origin, origin_of(request));

  CheckoutSession session{.credentials = {},
                          .substitutes = {},
                          .submodules = bool_at(request, "submodules", true),
                          .sparse = {},
                          .progress = Progress(emit),
                          .checked_out = {}};
  session.credentials.origin = origin.url;
  session.credentials.variable = string_at(request, "credential");
  if (!session.credentials.variable.empty()) {
    const char* token = std::getenv(session.credentials.variable.c_str());
    session.credentials.token = token != nullptr ? trim(token) : "";
  }
  for (const auto& path : value_at(request, "sparse")) {
    if (path.is_string()) session.sparse.push_back(path.get<std::string>());
  }
  for (const auto& pair : value_at(request, "substitutes")) {
    session.substitutes.emplace_back(string_at(pair, "url"), string_at(pair, "folder"));
  }
  const std::string commit = lowercase(string_at(request, "commit"));
  MPSGATE_ASSIGN(const std::string tree, check_out_commit(session, origin, commit, folder, "", 0));

  const Manifest manifest = manifest_of(folder);
  Json submodules = Json::array();
  for (const auto& submodule : session.checked_out) {
    submodules.push_back(
        {{"path", submodule.path}, {"url", hide_credentials(submodule.url)}, {"commit", submodule.commit}});
  }
  return Json{{"commit", commit},
              {"tree", tree},
              {"files", manifest.files},
              {"bytes", manifest.bytes},
              {"submodules", submodules},
              {"lfs_pointers", manifest.lfs_pointers},
              {"libgit2", git_library_version()}};
}

}  // namespace mpsgate
