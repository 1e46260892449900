#pragma once
#include "base/result.h"

#include <filesystem>

namespace mpsgate {

/// An advisory lock on a file (flock), held for as long as this lives; freed by the kernel when the process
/// dies.
class FileLock {
 public:
  /// Waits for the lock, at most `seconds` (0: one try). Error code: "lock.busy" or "file.unwritable".
  static Result<FileLock> take(const std::filesystem::path& path, double seconds);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace mpsgate
