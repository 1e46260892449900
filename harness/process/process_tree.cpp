#include "process/process_tree.h"

#include <csignal>

#include <unistd.h>

namespace mpsgate {

const std::vector<ProcessEntry>& ProcessTree::sample() {
  const auto entries = all_processes();
  const pid_t self = ::getpid();
  std::map<pid_t, const ProcessEntry*> by_id;
  for (const auto& entry : entries)
    by_id[entry.pid] = &entry;
  // Forget ids that now belong to others.
  for (auto at = known_.begin(); at != known_.end();) {
    const auto found = by_id.find(at->first);
    at = found == by_id.end() || found->second->started != at->second ? known_.erase(at) : std::next(at);
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& entry : entries) {
      if (entry.pid == self || known_.contains(entry.pid)) continue;
      const bool ours = entry.pid == leader_ || entry.group == leader_ || entry.parent == self ||
                        known_.contains(entry.parent);
      if (ours) grew = known_.emplace(entry.pid, entry.started).second || grew;
    }
  }
  living_.clear();
  for (const auto& [pid, started] : known_) {
    if (!by_id[pid]->zombie) living_.push_back(*by_id[pid]);
  }
  return living_;
}

void ProcessTree::send(int signal) const {
  for (const auto& entry : living_)
    ::kill(entry.pid, signal);
}

}  // namespace mpsgate
