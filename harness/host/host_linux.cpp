#include "base/files.h"
#include "host/collect.h"
#include "host/parse.h"

#include <algorithm>

#include <sched.h>
#include <unistd.h>

namespace mpsgate {

void collect_system(ProcessRunner&, HostFacts& facts) {
  const auto text = [](const char* path) { return read_file(path, 16 << 20).value_or(""); };
  const std::string cpuinfo = text("/proc/cpuinfo");
  facts.system = "Linux";
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) facts.cores = CPU_COUNT(&set);
  read_cpuinfo(cpuinfo, facts);
  read_meminfo(text("/proc/meminfo"), facts);
  read_os_release(text("/etc/os-release"), facts);
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    read_cgroup_memory(text(path), facts);
  read_cgroup_cpu(text("/sys/fs/cgroup/cpu.max"), facts);
  read_virtualisation(text("/proc/1/cgroup"), cpuinfo, facts);
  std::error_code error;
  if (fs::exists("/.dockerenv", error)) facts.virtualisation = "docker";
  if (facts.virtualisation == "docker" || fs::exists("/run/.containerenv", error))
    facts.session = "container";
}

}  // namespace mpsgate
