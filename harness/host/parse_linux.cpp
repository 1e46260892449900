#include "base/text.h"
#include "host/parse.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mpsgate {

void read_cpuinfo(std::string_view text, HostFacts& facts) {
  for (const auto& line : lines_of(text)) {
    if (!line.starts_with("model name") && !line.starts_with("Hardware")) continue;
    const auto cut = line.find(':');
    if (cut != std::string::npos) facts.chip = one_line(trim(std::string_view(line).substr(cut + 1)), 100);
    return;
  }
}

void read_meminfo(std::string_view text, HostFacts& facts) {
  std::uint64_t swap_total = 0, swap_free = 0;
  for (const auto& line : lines_of(text)) {
    const auto cut = line.find(':');
    if (cut == std::string::npos) continue;
    const std::string name = line.substr(0, cut);
    const std::uint64_t bytes = std::strtoull(line.c_str() + cut + 1, nullptr, 10) * 1024;
    if (name == "MemTotal") facts.memory_bytes = bytes;
    if (name == "MemAvailable") facts.memory_available_bytes = bytes;
    if (name == "SwapTotal") swap_total = bytes;
    if (name == "SwapFree") swap_free = bytes;
  }
  facts.swap_used_bytes = swap_total > swap_free ? swap_total - swap_free : 0;
}

void read_os_release(std::string_view text, HostFacts& facts) {
  for (const auto& line : lines_of(text)) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::string value = line.substr(12);
    if (value.size() > 1 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    facts.system_version = one_line(value, 100);
  }
}

void read_cgroup_memory(std::string_view text, HostFacts& facts) {
  const std::uint64_t limit = std::strtoull(std::string(trim(text)).c_str(), nullptr, 10);  // "max" is 0
  if (limit == 0 || (facts.memory_bytes > 0 && limit >= facts.memory_bytes)) return;
  facts.memory_bytes = limit;
  facts.memory_available_bytes = std::min(facts.memory_available_bytes, limit);
}

void read_cgroup_cpu(std::string_view text, HostFacts& facts) {
  char* end = nullptr;
  const std::string copy(text);
  const double quota = std::strtod(copy.c_str(), &end);
  const double period = std::strtod(end, nullptr);
  if (quota <= 0 || period <= 0) return;
  const int cores = static_cast<int>(std::ceil(quota / period));
  if (facts.cores == 0 || cores < facts.cores) facts.cores = std::max(1, cores);
}

void read_virtualisation(std::string_view cgroup, std::string_view cpuinfo, HostFacts& facts) {
  for (const char* name : {"docker", "kubepods", "lxc", "podman", "containerd"}) {
    if (cgroup.find(name) != std::string_view::npos) facts.virtualisation = name;
  }
  for (const auto& line : lines_of(cpuinfo)) {
    if (!line.starts_with("flags")) continue;
    if (line.find(" hypervisor") != std::string::npos) {
      facts.virtual_machine = true;
      if (facts.virtualisation.empty()) facts.virtualisation = "hypervisor";
    }
    return;
  }
}

}  // namespace mpsgate
