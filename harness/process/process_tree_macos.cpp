#include "process/process_tree.h"

#include <libproc.h>
#include <sys/event.h>
#include <sys/resource.h>
#include <unistd.h>

namespace mpsgate {

std::vector<ProcessEntry> all_processes() {
  std::vector<pid_t> ids(4096);
  const int count = ::proc_listallpids(ids.data(), static_cast<int>(ids.size() * sizeof(pid_t)));
  std::vector<ProcessEntry> entries;
  for (int i = 0; i < count && i < static_cast<int>(ids.size()); ++i) {
    proc_bsdinfo info{};
    if (::proc_pidinfo(ids[static_cast<std::size_t>(i)], PROC_PIDTBSDINFO, 0, &info, sizeof info) !=
        sizeof info)
      continue;
    ProcessEntry entry;
    entry.pid = static_cast<pid_t>(info.pbi_pid);
    entry.parent = static_cast<pid_t>(info.pbi_ppid);
    entry.group = static_cast<pid_t>(info.pbi_pgid);
    entry.started = info.pbi_start_tvsec * 1'000'000ull + info.pbi_start_tvusec;
    entry.zombie = info.pbi_status == 5;  // SZOMB of sys/proc.h
    entries.push_back(entry);
  }
  return entries;
}

std::uint64_t memory_of(pid_t pid) {
  rusage_info_v4 usage{};
  if (::proc_pid_rusage(pid, RUSAGE_INFO_V4, reinterpret_cast<rusage_info_t*>(&usage)) != 0) return 0;
  return usage.ri_phys_footprint;
}

void become_subreaper() {}  // macOS has none: the tree remembers what it has seen

int exit_descriptor(pid_t pid) {
  const int queue = ::kqueue();
  if (queue < 0) return -1;
  struct kevent change {};
  EV_SET(&change, static_cast<uintptr_t>(pid), EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, nullptr);
  if (::kevent(queue, &change, 1, nullptr, 0, nullptr) != 0) {
    ::close(queue);
    return -1;
  }
  return queue;
}

bool may_have_other_children(pid_t) {
  return true;
}

std::uint64_t peak_bytes_of(long ru_maxrss) {
  return static_cast<std::uint64_t>(ru_maxrss);
}

}  // namespace mpsgate
