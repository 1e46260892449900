#include "process/process_tree.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mpsgate {
namespace {

/// The start of a file of /proc; empty when the process is gone.
std::string slurp(const std::string& path) {
  std::string text;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return text;
  std::array<char, 4096> buffer{};
  const ssize_t size = ::read(descriptor, buffer.data(), buffer.size());
  if (size > 0) text.assign(buffer.data(), static_cast<std::size_t>(size));
  ::close(descriptor);
  return text;
}

}  // namespace

std::vector<ProcessEntry> all_processes() {
  std::vector<ProcessEntry> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (!folder) return entries;
  while (const dirent* item = ::readdir(folder.get())) {
    if (item->d_name[0] < '0' || item->d_name[0] > '9') continue;
    // "pid (name) state ppid pgrp …": the name may hold anything, so read on from the last ")". Field 22 is
    // starttime.
    const std::string text = slurp(std::string("/proc/") + item->d_name + "/stat");
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) continue;
    ProcessEntry entry;
    entry.pid = static_cast<pid_t>(std::atoi(item->d_name));
    char state = 0;
    int parent = 0, group = 0;
    unsigned long long started = 0;
    if (std::sscanf(text.c_str() + name_end + 1,
                    " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &state,
                    &parent, &group, &started) != 4) {
      continue;
    }
    entry.parent = parent;
    entry.group = group;
    entry.started = started;
    entry.zombie = state == 'Z' || state == 'X';
    entries.push_back(entry);
  }
  return entries;
}

std::uint64_t memory_of(pid_t pid) {
  unsigned long long size = 0, resident = 0;
  if (std::sscanf(slurp("/proc/" + std::to_string(pid) + "/statm").c_str(), "%llu %llu", &size, &resident) !=
      2)
    return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void become_subreaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

int exit_descriptor(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // close-on-exec by itself
#else
  (void)pid;
  return -1;
#endif
}

bool may_have_other_children(pid_t leader) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/task"), &::closedir);
  if (!folder) return true;
  while (const dirent* item = ::readdir(folder.get())) {
    if (item->d_name[0] == '.') continue;
    const std::string path = std::string("/proc/self/task/") + item->d_name + "/children";
    if (::access(path.c_str(), R_OK) != 0) return true;
    const std::string text = slurp(path);
    for (const char* at = text.c_str(); *at;) {
      char* end = nullptr;
      const long pid = std::strtol(at, &end, 10);
      if (end == at) break;
      if (pid != leader) return true;
      at = end;
    }
  }
  return false;
}

std::uint64_t peak_bytes_of(long ru_maxrss) {
  return static_cast<std::uint64_t>(ru_maxrss) * 1024;
}

}  // namespace mpsgate
