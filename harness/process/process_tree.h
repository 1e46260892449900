#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include <sys/types.h>

namespace mpsgate {

/// One process as the system tells it.
struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  std::uint64_t started = 0;  ///< tells a process from a later one with the same id
  bool zombie = false;
};

// By platform: process_tree_linux.cpp, process_tree_macos.cpp.

/// Every process that this user can see.
std::vector<ProcessEntry> all_processes();
/// Memory that a process holds now, in bytes: resident (Linux) or footprint, Metal's buffers included
/// (macOS); 0 unknown.
std::uint64_t memory_of(pid_t pid);
/// Lets orphans below this process become its children, where the system can.
void become_subreaper();
/// A descriptor that is readable once `pid` has ended; -1 where there is none.
int exit_descriptor(pid_t pid);
/// Whether this process has children besides `leader`; true where that cannot be told cheaply.
bool may_have_other_children(pid_t leader);
/// ru_maxrss in bytes.
std::uint64_t peak_bytes_of(long ru_maxrss);

/// The processes that descend from one leader, remembered across samples: a descendant that called setsid, or
/// whose parent is gone, stays known.
class ProcessTree {
 public:
  explicit ProcessTree(pid_t leader) : leader_(leader) {}
  /// Looks again. Living processes, the leader included until it has ended.
  const std::vector<ProcessEntry>& sample();
  const std::vector<ProcessEntry>& living() const { return living_; }
  /// Sends `signal` to each of the last sample, checked against its start time by sample() just before.
  void send(int signal) const;

 private:
  pid_t leader_;
  std::map<pid_t, std::uint64_t> known_;
  std::vector<ProcessEntry> living_;
};

}  // namespace mpsgate
