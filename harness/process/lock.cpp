#include "process/lock.h"

#include "base/files.h"
#include "process/interrupt.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace mpsgate {

Result<FileLock> FileLock::take(const std::filesystem::path& path, double seconds) {
  if (path.has_parent_path()) MPSGATE_TRY(make_folder(path.parent_path()));
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail("file.unwritable", path.string() + " cannot be opened: " + std::strerror(errno));
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (std::chrono::steady_clock::now() >= give_up || Interrupt::signal() != 0) {
      ::close(descriptor);
      return fail("lock.busy", "another mpsgate is at work on " + path.parent_path().string(),
                  "wait until it has ended, then try again");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return FileLock(descriptor);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace mpsgate
