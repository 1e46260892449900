#include "fetch/local_source.h"

#include "base/files.h"
#include "base/text.h"

#include <map>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

namespace mpsgate {
namespace {

/// More tags than this make every copy of the checkout slow and help nobody.
constexpr std::size_t kMostTags = 10'000;

std::optional<uid_t> foreign_owner(const fs::path& path) {
  struct stat state {};
  if (::lstat(path.c_str(), &state) != 0 || state.st_uid == ::geteuid()) return std::nullopt;
  return state.st_uid;
}

Result<Repository> open_source(const fs::path& source) {
  std::error_code error;
  if (!fs::is_directory(source, error)) {
    return fail("source.unreachable", "there is no folder " + source.string(),
                "correct the path given for the repository, or mount its disk");
  }
  git_repository* raw = nullptr;
  const int code = git_repository_open_ext(&raw, source.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (code == 0) return Repository(raw);
  auto owner = foreign_owner(source);
  if (!owner) owner = foreign_owner(source / ".git");
  // Without a global configuration libgit2 1.5 says "not found" where it means "of another owner".
  const bool looks_like_one = fs::exists(source / ".git", error) || fs::exists(source / "HEAD", error);
  if (code == GIT_EOWNER || (code == GIT_ENOTFOUND && owner && looks_like_one)) {
    return fail("source.refused",
                source.string() + " belongs to user id " +
                    (owner ? std::to_string(*owner) : "of somebody else") + ", and mpsgate runs as user id " +
                    std::to_string(::geteuid()) + ": git does not trust repositories of others",
                "if you do, run: git config --global --add safe.directory " +
                    shell_quoted({fs::absolute(source, error).lexically_normal().string()}));
  }
  if (code == GIT_ENOTFOUND) {
    return fail("source.refused", source.string() + " is not a git repository",
                "give the folder of a clone, or of a bare repository");
  }
  return tl::unexpected<Error>(git_error_of(source.string() + " cannot be opened as a git repository", code));
}

/// One packed file instead of a file a tag: copies of the checkout stay cheap.
Result<void> take_tags(git_repository* repository, git_repository* source) {
  git_odb* raw_odb = nullptr;
  if (const int code = git_repository_odb(&raw_odb, repository); code != 0) {
    return tl::unexpected<Error>(git_error_of("the objects of the source cannot be opened", code));
  }
  const Odb odb(raw_odb);
  std::map<std::string, std::string> tags;
  git_reference_iterator* raw_iterator = nullptr;
  if (git_reference_iterator_glob_new(&raw_iterator, source, "refs/tags/*") != 0) return {};
  const ReferenceIterator iterator(raw_iterator);
  git_reference* raw = nullptr;
  while (tags.size() < kMostTags && git_reference_next(&raw, iterator.get()) == 0) {
    const Reference reference(raw);
    const git_oid* oid = git_reference_target(reference.get());
    if (oid == nullptr || git_odb_exists_ext(odb.get(), oid, GIT_ODB_LOOKUP_NO_REFRESH) == 0) continue;
    tags.emplace(git_reference_name(reference.get()), hex_of(*oid));
  }
  if (tags.empty()) return {};
  std::string text = "# pack-refs with: \n";
  for (const auto& [name, oid] : tags)
    text += oid + " " + name + "\n";
  return write_file(fs::path(git_repository_path(repository)) / "packed-refs", text);
}

}  // namespace

Result<void> borrow_objects(git_repository* repository, const fs::path& source) {
  MPSGATE_ASSIGN(const Repository from, open_source(source));
  // The common folder: a worktree's own has no objects.
  const fs::path common = fs::path(git_repository_commondir(from.get()));
  std::error_code error;
  const fs::path objects = fs::canonical(common / "objects", error);
  if (error || objects.string().find('\n') != std::string::npos) {
    return fail("source.refused", source.string() + " has no usable folder of objects",
                "give the folder of a clone whose path has no line break");
  }
  const fs::path git_folder = git_repository_path(repository);
  MPSGATE_TRY(write_file(git_folder / "objects" / "info" / "alternates", objects.string() + "\n"));
  if (fs::exists(common / "shallow", error)) {
    MPSGATE_ASSIGN(const std::string shallow, read_file(common / "shallow"));
    MPSGATE_TRY(write_file(git_folder / "shallow", shallow));
  }
  return take_tags(repository, from.get());
}

}  // namespace mpsgate
