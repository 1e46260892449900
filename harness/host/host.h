#pragma once
#include "base/json.h"
#include "process/process.h"
#include "record/finding.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mpsgate {

/// What is known of this machine. Empty or 0: unknown. Filled from recorded texts in tests.
struct HostFacts {
  std::string system;          ///< "Linux", "macOS"
  std::string system_version;  ///< "Debian GNU/Linux 12 (bookworm)", "26.5"
  std::string system_build;    ///< macOS build "25F71"
  std::string kernel;          ///< uname -r
  std::string architecture;    ///< of the machine: "x86_64", "arm64"
  std::string chip;            ///< "Apple M2 Pro", "AMD EPYC …"
  std::string model;           ///< "Mac14,9"
  int cores = 0;               ///< usable by this process (affinity, cgroup)
  int performance_cores = 0;
  int efficiency_cores = 0;
  std::uint64_t memory_bytes = 0;  ///< of the machine, or the cgroup's limit where smaller
  std::uint64_t memory_available_bytes = 0;
  std::uint64_t swap_used_bytes = 0;
  bool virtual_machine = false;
  std::string virtualisation;  ///< "VirtualMac", "docker", "kvm", …
  bool rosetta = false;        ///< this process is translated
  bool low_power = false;
  std::string power_source;  ///< "AC", "battery"
  int thermal_level = -1;    ///< CPU_Speed_Limit-derived: 0 none, higher is throttled; -1 unknown
  std::string gpu;           ///< "Apple M2 Pro", 19 cores
  int gpu_busy_percent = -1;
  std::string session;                          ///< "gui", "ssh", "launchd", "container", "terminal", "ci"
  std::string xcode_tools;                      ///< version, or "missing"
  std::uint64_t disk_free_bytes = 0;            ///< where the run lies
  std::uint64_t descriptor_limit = 0;           ///< RLIMIT_NOFILE, soft
  std::vector<std::string> heavy_applications;  ///< running now
};

/// This machine's name, as confidentiality.machines of a protocol names it.
std::string machine_name();

/// Asks this machine. `run_folder` tells which disk matters. Tools that are missing or hang leave their facts
/// unknown.
HostFacts host_facts(ProcessRunner& processes, const std::filesystem::path& run_folder);

/// The logbook: every known fact as (name, value), in a fixed order.
std::vector<std::pair<std::string, Json>> logbook(const HostFacts& facts);

/// machine.* findings for a run that is to rest on `wants_mps`.
std::vector<Finding> judge_host(const HostFacts& facts, bool wants_mps);
std::span<const FindingRow> host_findings();

}  // namespace mpsgate
