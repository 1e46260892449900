#include "fetch/gitmodules.h"

#include "base/files.h"
#include "base/text.h"
#include "fetch/tree.h"

#include <algorithm>
#include <map>

namespace mpsgate {
namespace {

constexpr std::uint64_t kMostBytes = 1u << 20;

tl::unexpected<Error> unreadable(const std::string& why) {
  return fail(
      "source.submodule", ".gitmodules of the repository " + why,
      "correct it in the repository, or set repository.submodules: false if no command needs submodules");
}

/// The text of .gitmodules; empty where there is none.
Result<std::string> text_of_gitmodules(git_repository* repository, const git_oid& tree_id) {
  git_tree* raw_tree = nullptr;
  if (const int code = git_tree_lookup(&raw_tree, repository, &tree_id); code != 0) {
    return tl::unexpected<Error>(git_error_of("the root folder cannot be read", code));
  }
  const Tree tree(raw_tree);
  const git_tree_entry* entry = git_tree_entry_byname(tree.get(), ".gitmodules");
  if (entry == nullptr) return std::string();
  const auto mode = git_tree_entry_filemode(entry);
  if (mode != GIT_FILEMODE_BLOB && mode != GIT_FILEMODE_BLOB_EXECUTABLE) {
    return fail("source.refused", ".gitmodules of the repository is not a plain file",
                "git refuses such a repository too; look at it before you use it");
  }
  git_blob* raw_blob = nullptr;
  if (const int code = git_blob_lookup(&raw_blob, repository, git_tree_entry_id(entry)); code != 0) {
    return tl::unexpected<Error>(git_error_of(".gitmodules cannot be read", code));
  }
  const Blob blob(raw_blob);
  const auto size = static_cast<std::uint64_t>(git_blob_rawsize(blob.get()));
  if (size > kMostBytes) return unreadable("is larger than " + format_bytes(kMostBytes));
  return std::string(static_cast<const char*>(git_blob_rawcontent(blob.get())), size);
}

/// libgit2 follows includes in files of configuration; git does not in .gitmodules.
bool has_include(std::string_view text) {
  for (auto at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    if (lowercase(trim(text.substr(at + 1, 40))).starts_with("include")) return true;
  }
  return false;
}

}  // namespace

bool is_safe_module_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.front() == '-') return false;
  const auto forbidden = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\' || c == ':';
  };
  if (std::any_of(path.begin(), path.end(), forbidden)) return false;
  for (const auto& part : split(path, '/')) {
    if (!is_safe_entry_name(part)) return false;
  }
  return true;
}

Result<std::vector<ModuleEntry>> read_gitmodules(git_repository* repository, const git_oid& tree) {
  MPSGATE_ASSIGN(const std::string text, text_of_gitmodules(repository, tree));
  if (text.empty()) return std::vector<ModuleEntry>{};
  if (has_include(text)) {
    return fail("source.refused", ".gitmodules of the repository includes another file",
                "git ignores that; remove the section");
  }
  // libgit2 exports no reader of configuration in memory.
  const TemporaryFolder folder("mpsgate-gitmodules");
  const fs::path file = folder.path() / "gitmodules";
  MPSGATE_TRY(write_file(file, text));
  git_config* raw_config = nullptr;
  if (git_config_open_ondisk(&raw_config, file.c_str()) != 0) {
    return unreadable("cannot be read: " + replace_all(git_message(), file.string(), ".gitmodules"));
  }
  const Config config(raw_config);
  git_config_iterator* raw_iterator = nullptr;
  if (git_config_iterator_glob_new(&raw_iterator, config.get(), "^submodule\\..*\\.(path|url|update)$") !=
      0) {
    return unreadable("cannot be read: " + replace_all(git_message(), file.string(), ".gitmodules"));
  }
  const ConfigIterator iterator(raw_iterator);
  std::map<std::string, ModuleEntry> entries;
  git_config_entry* item = nullptr;
  while (git_config_next(&item, iterator.get()) == 0) {
    const std::string key = item->name;
    const auto first = key.find('.');
    const auto last = key.rfind('.');
    const std::string name = key.substr(first + 1, last - first - 1);
    const std::string variable = key.substr(last + 1);
    const std::string value = item->value != nullptr ? item->value : "";
    ModuleEntry& entry = entries[name];
    entry.name = name;
    if (variable == "path") entry.path = value;
    if (variable == "url") entry.url = value;
    if (variable == "update") entry.skipped = value == "none";
  }
  std::vector<ModuleEntry> modules;
  for (auto& [name, entry] : entries) {
    while (entry.path.size() > 1 && entry.path.ends_with('/'))
      entry.path.pop_back();
    if (!entry.path.empty() && !is_safe_module_path(entry.path)) {
      return fail("source.refused",
                  "the submodule \"" + one_line(name, 60) + "\" wants the path \"" +
                      one_line(entry.path, 120) + "\", which leaves the checkout or reaches into .git",
                  "such a repository is built to do harm; look at its .gitmodules before you use it");
    }
    modules.push_back(std::move(entry));
  }
  return modules;
}

}  // namespace mpsgate
