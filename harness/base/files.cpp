#include "base/files.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <sys/clonefile.h>
#else
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

#include "base/hash.h"

namespace mpsgate {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

tl::unexpected<Error> unreadable(const fs::path& path) {
  const bool absent = errno == ENOENT || errno == ENOTDIR;
  return fail("file.unreadable", path.string() + " cannot be read: " + std::strerror(errno),
              absent ? "check the path" : "");
}

tl::unexpected<Error> unwritable(const fs::path& path) {
  if (errno == ENOSPC || errno == EDQUOT) {
    return fail("disk.full", "no space left to write " + path.string(), "free some disk space and run again");
  }
  return fail("file.unwritable", path.string() + " cannot be written: " + std::strerror(errno));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool clone_file(int from, int to) {
#ifdef FICLONE
  return ::ioctl(to, FICLONE, from) == 0;
#else
  (void)from;
  (void)to;
  return false;
#endif
}

Result<void> copy_file(const fs::path& from, const fs::path& to, const struct stat& state) {
#ifdef __APPLE__
  if (::clonefile(from.c_str(), to.c_str(), CLONE_NOFOLLOW) == 0) return {};
#endif
  Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) return unreadable(from);
  Descriptor target(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (state.st_mode & 0777) | 0200));
  if (target.get() < 0) return unwritable(to);
  if (!clone_file(source.get(), target.get())) {
    std::vector<char> buffer(256 << 10);
    const std::vector<char> zeros(buffer.size());
    bool hole = false;  // at the end of what was copied
    for (;;) {
      const ssize_t size = ::read(source.get(), buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return unreadable(from);
      if (size == 0) break;
      const auto bytes = static_cast<std::size_t>(size);
      // Zeros stay a hole: a sparse file may claim more than the disk has.
      hole = bytes == buffer.size() && std::memcmp(buffer.data(), zeros.data(), bytes) == 0;
      const bool done =
          hole ? ::lseek(target.get(), size, SEEK_CUR) >= 0 : write_all(target.get(), {buffer.data(), bytes});
      if (!done) return unwritable(to);
    }
    if (hole && ::ftruncate(target.get(), ::lseek(target.get(), 0, SEEK_CUR)) != 0) return unwritable(to);
  }
#ifdef __APPLE__
  const struct timespec times[2] = {state.st_atimespec, state.st_mtimespec};
#else
  const struct timespec times[2] = {state.st_atim, state.st_mtim};
#endif
  ::futimens(target.get(), times);
  ::fchmod(target.get(), state.st_mode & 0777);
  if (!target.close()) return unwritable(to);
  return {};
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::uint64_t cap) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return unreadable(path);
  struct stat state {};
  if (::fstat(file.get(), &state) != 0) return unreadable(path);
  if (!S_ISREG(state.st_mode))  // a pipe would be waited for
    return fail("file.unreadable", path.string() + " is no file", "check the path");
  std::string text;
  std::vector<char> buffer(64 << 10);
  for (;;) {
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return unreadable(path);
    if (size == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
    if (text.size() > cap) {
      return fail("file.too-large", path.string() + " is larger than " + std::to_string(cap) + " bytes");
    }
  }
}

Result<void> write_file(const fs::path& path, std::string_view text) {
  if (path.has_parent_path()) MPSGATE_TRY(make_folder(path.parent_path()));
  std::string name = path.string() + ".XXXXXX";
  Descriptor file(::mkstemp(name.data()));
  if (file.get() < 0) return unwritable(path);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file.get(), 0666 & ~mask);
  if (!write_all(file.get(), text) || ::fsync(file.get()) != 0 || !file.close() ||
      ::rename(name.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(name.c_str());
    errno = reason;
    return unwritable(path);
  }
  return {};
}

Result<void> make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    errno = error.value();
    return unwritable(path);
  }
  return {};
}

Result<void> copy_tree(const fs::path& from, const fs::path& to) {
  struct stat state {};
  if (::lstat(from.c_str(), &state) != 0) return unreadable(from);
  if (S_ISLNK(state.st_mode)) {
    std::error_code error;
    fs::copy_symlink(from, to, error);
    if (error) {
      errno = error.value();
      return unwritable(to);
    }
    return {};
  }
  if (S_ISREG(state.st_mode)) return copy_file(from, to, state);
  if (!S_ISDIR(state.st_mode)) return {};  // sockets, pipes and devices are no part of a checkout
  if (::mkdir(to.c_str(), 0700) != 0) return unwritable(to);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    MPSGATE_TRY(copy_tree(entry.path(), to / entry.path().filename()));
  }
  if (error) {
    errno = error.value();
    return unreadable(from);
  }
  ::chmod(to.c_str(), (state.st_mode & 0777) | 0700);
  return {};
}

Result<void> remove_tree(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return {};
  fs::remove_all(path, error);
  if (error) {
    // A read-only folder keeps its entries: open every folder, then try once more.
    std::error_code ignored;
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
    for (auto at =
             fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ignored);
         at != fs::recursive_directory_iterator(); at.increment(ignored)) {
      if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
        fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
      }
    }
    error.clear();
    fs::remove_all(path, error);
  }
  if (error) {
    errno = error.value();
    return unwritable(path);
  }
  return {};
}

static FileState state_from(const struct stat& status) {
#ifdef __APPLE__
  const auto& modified = status.st_mtimespec;
#else
  const auto& modified = status.st_mtim;
#endif
  return {static_cast<std::uint64_t>(status.st_size),
          static_cast<std::int64_t>(modified.tv_sec) * 1'000'000'000 + modified.tv_nsec,
          static_cast<std::uint64_t>(status.st_ino)};
}

std::optional<FileState> file_state(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return state_from(status);
}

std::map<std::string, FileState> list_files(const fs::path& folder) {
  std::map<std::string, FileState> files;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    struct stat state {};
    if (::lstat(at->path().c_str(), &state) != 0) continue;
    if (S_ISDIR(state.st_mode)) {
      if (at->path().filename() == ".git") at.disable_recursion_pending();
      continue;
    }
    if (at->path().filename() == ".git" || !(S_ISREG(state.st_mode) || S_ISLNK(state.st_mode))) continue;
    files[at->path().lexically_relative(folder).generic_string()] = state_from(state);
  }
  return files;
}

Result<std::string> sha256_of_folder(const fs::path& folder) {
  Sha256 hash;
  for (const auto& [name, state] : list_files(folder)) {
    const fs::path path = folder / name;
    if (path.filename() == ".DS_Store") continue;
    std::string digest;
    if (fs::is_symlink(path)) {
      std::error_code error;
      digest = sha256_of(fs::read_symlink(path, error).string());
    } else {
      MPSGATE_ASSIGN(digest, sha256_of_file(path));
    }
    hash.add(digest + "  " + name + "\n");
  }
  return hash.hex();
}

Result<fs::path> path_inside(const fs::path& root, const fs::path& base, const std::string& relative) {
  std::error_code error;
  const fs::path real_root = fs::weakly_canonical(root, error);
  const fs::path path = fs::weakly_canonical(base / relative, error);
  const fs::path inside = path.lexically_relative(real_root);
  if (fs::path(relative).is_absolute() || inside.empty() || *inside.begin() == "..") {
    return fail("path.outside", "\"" + relative + "\" lies outside " + root.string(),
                "give a relative path that stays inside this folder");
  }
  return path;
}

fs::path root_of(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(file, error).parent_path();
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", error) || fs::exists(at / ".mpsgate-root", error)) return at;
    if (at == at.root_path()) break;
  }
  return folder;
}

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::string name = (fs::temp_directory_path() / (prefix + ".XXXXXX")).string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("cannot create a temporary folder " + name);
  path_ = fs::canonical(name);
}

TemporaryFolder::~TemporaryFolder() {
  (void)remove_tree(path_);
}

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  if (const auto own = variable("MPSGATE_CACHE"); !own.empty()) return fs::absolute(own);
#ifdef __APPLE__
  return variable("HOME") / "Library" / "Caches" / "mpsgate";
#else
  if (const auto caches = variable("XDG_CACHE_HOME"); caches.is_absolute()) return caches / "mpsgate";
  return variable("HOME") / ".cache" / "mpsgate";
#endif
}

fs::path executable_path() {
#ifdef __APPLE__
  std::uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string name(size, '\0');
  _NSGetExecutablePath(name.data(), &size);
  return fs::canonical(name.c_str());
#else
  return fs::read_symlink("/proc/self/exe");
#endif
}

fs::path sibling_executable(const std::string& name) {
  return executable_path().parent_path() / name;
}

}  // namespace mpsgate
