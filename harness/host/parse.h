#pragma once
#include "host/host.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

// Parsers of what systems and tools say; pure, compiled and tested everywhere. Each fills in what its text
// tells and leaves the rest of the facts alone; text that is empty, cut short or strange changes nothing.

// macOS
/// `sysctl hw.model hw.memsize …`: "name: value" lines.
void read_sysctl(std::string_view text, HostFacts& facts);
/// `sw_vers`.
void read_sw_vers(std::string_view text, HostFacts& facts);
/// `pmset -g`: lowpowermode.
void read_pmset(std::string_view text, HostFacts& facts);
/// `pmset -g batt`: "Now drawing from 'AC Power'".
void read_pmset_batt(std::string_view text, HostFacts& facts);
/// `pmset -g therm`: CPU_Speed_Limit = 100, or that none is recorded.
void read_pmset_therm(std::string_view text, HostFacts& facts);
/// `ioreg -r -c IOAccelerator -d 1 -w 0`: model, gpu-core-count, "Device Utilization %".
void read_ioreg(std::string_view text, HostFacts& facts);
/// `vm_stat`: pages that are free, inactive or speculative.
void read_vm_stat(std::string_view text, HostFacts& facts);
/// `launchctl managername`: Aqua, Background, System.
void read_managername(std::string_view text, HostFacts& facts);
/// `ps -axo %cpu=,comm=`: applications that take half a core or more.
void read_ps(std::string_view text, HostFacts& facts);

// Linux
/// /proc/cpuinfo: the processor's name.
void read_cpuinfo(std::string_view text, HostFacts& facts);
/// /proc/meminfo, in KiB.
void read_meminfo(std::string_view text, HostFacts& facts);
/// /etc/os-release: PRETTY_NAME.
void read_os_release(std::string_view text, HostFacts& facts);
/// A cgroup's memory.max (v2) or memory.limit_in_bytes (v1): a limit below the machine's memory counts
/// instead of it.
void read_cgroup_memory(std::string_view text, HostFacts& facts);
/// A cgroup's cpu.max (v2): "200000 100000".
void read_cgroup_cpu(std::string_view text, HostFacts& facts);
/// /proc/1/cgroup and the flags of /proc/cpuinfo: docker, kubepods, lxc; "hypervisor".
void read_virtualisation(std::string_view cgroup, std::string_view cpuinfo, HostFacts& facts);

}  // namespace mpsgate
