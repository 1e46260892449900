#include "fetch/manifest.h"

#include "base/files.h"

#include <string_view>

namespace mpsgate {
namespace {

// The specification of Git LFS: a pointer is shorter than this and begins with this line.
constexpr std::uint64_t kPointerLimit = 1024;
constexpr std::string_view kPointerLine = "version https://git-lfs.github.com/spec/v1";

bool is_lfs_pointer(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return false;
  const auto text = read_file(path, kPointerLimit);
  return text && text->starts_with(kPointerLine);
}

}  // namespace

Manifest manifest_of(const fs::path& folder) {
  Manifest manifest;
  for (const auto& [path, state] : list_files(folder)) {
    ++manifest.files;
    manifest.bytes += state.size;
    const bool may_point = state.size >= kPointerLine.size() && state.size < kPointerLimit;
    if (may_point && is_lfs_pointer(folder / path)) manifest.lfs_pointers.push_back(path);
  }
  return manifest;
}

}  // namespace mpsgate
