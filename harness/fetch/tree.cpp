#include "fetch/tree.h"

#include "base/text.h"

#include <utility>

namespace mpsgate {
namespace {

constexpr std::size_t kPathsListed = 20;

class Examiner {
 public:
  Examiner(git_repository* repository, git_odb* odb, Progress& progress, std::uint64_t most_entries)
      : repository_(repository), odb_(odb), progress_(progress), most_entries_(most_entries) {}

  Result<void> examine(const git_oid& root) {
    folders_.emplace_back("", root);
    while (!folders_.empty()) {
      const auto [path, oid] = std::move(folders_.back());
      folders_.pop_back();
      MPSGATE_TRY(examine_folder(path, oid));
    }
    return {};
  }

  TreeContents contents;
  std::uint64_t missing = 0;
  std::vector<std::string> missing_paths;

 private:
  Result<void> examine_folder(const std::string& path, const git_oid& oid) {
    git_tree* raw = nullptr;
    if (!has(oid)) {
      miss(path.empty() ? "the root folder" : path);
      return {};
    }
    if (const int code = git_tree_lookup(&raw, repository_, &oid); code != 0) {
      return tl::unexpected<Error>(
          git_error_of("the folder \"" + one_line(path) + "\" cannot be read", code));
    }
    const Tree tree(raw);
    const std::size_t count = git_tree_entrycount(tree.get());
    entries_ += count;
    if (entries_ > most_entries_) {
      return fail("source.refused",
                  "the commit names more than " + std::to_string(most_entries_) + " files and folders",
                  "such a tree is built to fill disks; see that the right commit is pinned");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const git_tree_entry* entry = git_tree_entry_byindex(tree.get(), i);
      if (!is_safe_entry_name(git_tree_entry_name(entry))) {
        return fail("source.refused",
                    "the commit names \"" + one_line(path + git_tree_entry_name(entry), 200) +
                        "\", which leaves the checkout or reaches into .git",
                    "such a repository is built to do harm; look at it before you use it");
      }
      examine_entry(path, entry);
    }
    progress_.report(contents.files, 0, 0);
    return {};
  }

  void examine_entry(const std::string& folder, const git_tree_entry* entry) {
    const git_oid& oid = *git_tree_entry_id(entry);
    std::string path = folder + git_tree_entry_name(entry);
    switch (git_tree_entry_type(entry)) {
      case GIT_OBJECT_TREE:
        folders_.emplace_back(path + "/", oid);
        break;
      case GIT_OBJECT_COMMIT:
        contents.gitlinks.push_back({std::move(path), hex_of(oid)});
        break;
      default:
        ++contents.files;
        if (!has(oid)) miss(path);
    }
  }

  /// Without a refresh: looking for a missing object would read every pack's index anew each time.
  bool has(const git_oid& oid) const {
    return git_odb_exists_ext(odb_, &oid, GIT_ODB_LOOKUP_NO_REFRESH) == 1;
  }

  void miss(const std::string& path) {
    ++missing;
    if (missing_paths.size() < kPathsListed) missing_paths.push_back(one_line(path, 200));
  }

  git_repository* repository_;
  git_odb* odb_;
  Progress& progress_;
  std::uint64_t most_entries_;
  std::uint64_t entries_ = 0;
  std::vector<std::pair<std::string, git_oid>> folders_;
};

}  // namespace

bool is_safe_entry_name(std::string_view name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos) return false;
  std::string plain;  // without the characters that HFS+ leaves out, none of which is ASCII
  for (const char c : lowercase(name)) {
    if (static_cast<unsigned char>(c) < 0x80) plain += c;
  }
  while (plain.ends_with('.') || plain.ends_with(' '))
    plain.pop_back();
  if (plain == ".git") return false;
  return !(plain.starts_with("git~") && plain.find_first_not_of("0123456789", 4) == std::string::npos);
}

Result<TreeContents> examine_tree(git_repository* repository, const git_oid& commit_id,
                                  const std::string& origin, Progress& progress, std::uint64_t most_entries) {
  git_odb* raw_odb = nullptr;
  if (const int code = git_repository_odb(&raw_odb, repository); code != 0) {
    return tl::unexpected<Error>(git_error_of("the objects of " + origin + " cannot be opened", code));
  }
  const Odb odb(raw_odb);
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  const int header = git_odb_read_header(&size, &type, odb.get(), &commit_id);
  if (header == GIT_ENOTFOUND) {
    return fail("source.commit-unknown", origin + " has no commit " + hex_of(commit_id),
                "check repository.commit; if it is right, push its branch or fetch it into that copy");
  }
  if (header != 0) return tl::unexpected<Error>(git_error_of("commit " + hex_of(commit_id), header));
  if (type != GIT_OBJECT_COMMIT) {
    return fail(
        "source.commit-unknown",
        hex_of(commit_id) + " in " + origin + " is a " + git_object_type2string(type) + ", not a commit",
        "give the commit's id: git rev-parse 'NAME^{commit}'");
  }
  git_commit* raw_commit = nullptr;
  if (const int code = git_commit_lookup(&raw_commit, repository, &commit_id); code != 0) {
    return tl::unexpected<Error>(git_error_of("commit " + hex_of(commit_id) + " cannot be read", code));
  }
  const Commit commit(raw_commit);
  const git_oid& root = *git_commit_tree_id(commit.get());

  Examiner examiner(repository, odb.get(), progress, most_entries);
  MPSGATE_TRY(examiner.examine(root));
  if (examiner.missing > 0) {
    std::string paths = join(examiner.missing_paths, ", ");
    if (examiner.missing > examiner.missing_paths.size()) paths += ", …";
    return fail(
        "source.objects-missing",
        origin + " lacks " + std::to_string(examiner.missing) +
            (examiner.missing == 1 ? " file or folder" : " files or folders") + " of commit " +
            hex_of(commit_id) + ": " + paths,
        "it is a partial copy: give a complete one with --source URL=DIR, or complete it with git fetch "
        "--refetch");
  }
  examiner.contents.tree = hex_of(root);
  return std::move(examiner.contents);
}

}  // namespace mpsgate
