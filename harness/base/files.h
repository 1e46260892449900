#pragma once
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mpsgate {

namespace fs = std::filesystem;

/// Whole file, refused beyond `cap` bytes. Error codes: "file.unreadable", "file.too-large".
Result<std::string> read_file(const fs::path& path, std::uint64_t cap = 64ull << 20);

/// Writes beside `path`, syncs, renames: a reader sees the old or the new text, never half of one.
/// Creates missing folders. Error code: "file.unwritable" ("disk.full" when that is why).
Result<void> write_file(const fs::path& path, std::string_view text);

/// Copies a folder with modes, modification times and symbolic links as links; clones blocks where the
/// filesystem can. `to` must not exist. Error codes: "file.unreadable", "file.unwritable", "disk.full".
Result<void> copy_tree(const fs::path& from, const fs::path& to);

/// Deletes a file or folder, read-only parts too; nothing there is no error. Error code: "file.unwritable".
Result<void> remove_tree(const fs::path& path);

/// Creates a folder and its parents. Error code: "file.unwritable".
Result<void> make_folder(const fs::path& path);

/// What tells one state of a file from another without reading it.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileState&) const = default;
};

/// The state of a file, links followed; nothing where there is none.
std::optional<FileState> file_state(const fs::path& path);

/// Every regular file and symbolic link below `folder` by its relative path ('/' between), `.git` left out.
/// Unreadable folders are left out.
std::map<std::string, FileState> list_files(const fs::path& folder);

/// Hash of a folder: of its sorted lines "sha256  path". `.git` and the .DS_Store of the Finder are left out;
/// a symbolic link counts by its target's text.
Result<std::string> sha256_of_folder(const fs::path& folder);

/// `relative` taken from `base`, with symbolic links resolved, if it stays inside `root`; a part that does
/// not exist yet is allowed. Error code: "path.outside".
Result<fs::path> path_inside(const fs::path& root, const fs::path& base, const std::string& relative);

/// The nearest folder at or above `file`'s that holds `.git` or a file `.mpsgate-root`; else the folder of
/// `file`.
fs::path root_of(const fs::path& file);

/// A folder of its own for as long as this lives.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& prefix = "mpsgate");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Where caches lie: MPSGATE_CACHE, else ~/Library/Caches/mpsgate on macOS, else $XDG_CACHE_HOME/mpsgate or
/// ~/.cache/mpsgate.
fs::path cache_folder();
/// The running executable's own path, symbolic links resolved.
fs::path executable_path();
/// `name` (mpsgate-fetch, mpsgate-device) in the folder of the running executable.
fs::path sibling_executable(const std::string& name);

}  // namespace mpsgate
