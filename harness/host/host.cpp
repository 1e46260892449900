#include "host/host.h"

#include "base/text.h"
#include "host/collect.h"

#include <array>
#include <cstdlib>

#include <sys/resource.h>
#include <sys/utsname.h>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLeastDisk = 2ull << 30;
constexpr std::uint64_t kLeastMemory = 2ull << 30;
constexpr int kThrottled = 10;  ///< per cent below full speed

Finding host_finding(std::string_view id, std::string message) {
  return finding_of(host_findings(), id, std::move(message));
}

}  // namespace

std::string machine_name() {
  utsname name{};
  return ::uname(&name) == 0 ? name.nodename : "";
}

HostFacts host_facts(ProcessRunner& processes, const std::filesystem::path& run_folder) {
  HostFacts facts;
  utsname name{};
  if (::uname(&name) == 0) {
    facts.kernel = name.release;
    facts.architecture = name.machine;
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    facts.descriptor_limit = limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur;
  std::error_code error;
  const auto space = std::filesystem::space(run_folder, error);
  if (!error) facts.disk_free_bytes = space.available;
  collect_system(processes, facts);
  if (facts.session.empty()) facts.session = std::getenv("SSH_CONNECTION") ? "ssh" : "terminal";
  if (std::getenv("CI")) facts.session = "ci";
  return facts;
}

std::vector<std::pair<std::string, Json>> logbook(const HostFacts& facts) {
  std::vector<std::pair<std::string, Json>> entries;
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) entries.emplace_back(name, value);
  };
  const auto bytes = [&](const char* name, std::uint64_t value) {
    if (value > 0) entries.emplace_back(name, format_bytes(value));
  };
  text("system", facts.system + (facts.system_version.empty() ? "" : " " + facts.system_version) +
                     (facts.system_build.empty() ? "" : " (" + facts.system_build + ")"));
  text("kernel", facts.kernel);
  text("architecture", facts.architecture);
  text("chip", facts.chip);
  text("model", facts.model);
  if (facts.cores > 0) entries.emplace_back("cores", facts.cores);
  if (facts.performance_cores > 0) entries.emplace_back("performance cores", facts.performance_cores);
  if (facts.efficiency_cores > 0) entries.emplace_back("efficiency cores", facts.efficiency_cores);
  bytes("memory", facts.memory_bytes);
  bytes("memory available", facts.memory_available_bytes);
  entries.emplace_back("swap used", format_bytes(facts.swap_used_bytes));
  entries.emplace_back("virtual machine", facts.virtual_machine);
  text("virtualisation", facts.virtualisation);
  if (facts.system == "macOS") {
    entries.emplace_back("Rosetta", facts.rosetta);
    entries.emplace_back("low power mode", facts.low_power);
    if (facts.thermal_level >= 0)
      entries.emplace_back("slowed down by heat", std::to_string(facts.thermal_level) + " %");
    text("Xcode tools", facts.xcode_tools);
  }
  text("power source", facts.power_source);
  text("GPU", facts.gpu);
  if (facts.gpu_busy_percent >= 0)
    entries.emplace_back("GPU busy", std::to_string(facts.gpu_busy_percent) + " %");
  text("session", facts.session);
  bytes("disk free", facts.disk_free_bytes);
  if (facts.descriptor_limit > 0) entries.emplace_back("file descriptors", facts.descriptor_limit);
  text("heavy applications", join(facts.heavy_applications, ", "));
  return entries;
}

std::span<const FindingRow> host_findings() {
  using enum Weight;
  constexpr auto device = Basis::device;
  constexpr auto cause = Cause::machine;
  static constexpr std::array rows = {
      FindingRow{
          "machine.virtual-gpu", cause, device, doubt, Who::machine_owner, "The GPU is virtual",
          "run on a Mac itself: a virtual GPU fails or gives wrong numbers whatever the repository does"},
      FindingRow{"machine.rosetta", cause, device, doubt, Who::machine_owner,
                 "mpsgate runs translated by Rosetta",
                 "start it from a native arm64 shell; a translated process has no mps"},
      FindingRow{"machine.not-arm64", cause, device, doubt, Who::machine_owner,
                 "This Mac has no Apple silicon", "run on a Mac with Apple silicon"},
      FindingRow{"machine.low-power", cause, device, note, Who::machine_owner, "Low power mode is on",
                 "turn it off before anything is timed"},
      FindingRow{"machine.thermal", cause, device, note, Who::machine_owner,
                 "The machine is slowed down by heat", "let it cool before anything is timed"},
      FindingRow{"machine.battery", cause, device, note, Who::machine_owner,
                 "The machine runs on its battery", "plug it in before anything is timed"},
      FindingRow{"machine.memory-low", cause, device, note, Who::machine_owner, "Little memory is available",
                 "close other programs"},
      FindingRow{"machine.disk-low", cause, device, note, Who::machine_owner, "Little disk space is free",
                 "free some disk space"},
  };
  return rows;
}

std::vector<Finding> judge_host(const HostFacts& facts, bool wants_mps) {
  std::vector<Finding> findings;
  if (wants_mps && facts.system == "macOS") {
    if (facts.virtual_machine)
      findings.push_back(host_finding("machine.virtual-gpu",
                                      "this is a virtual machine (" +
                                          (facts.virtualisation.empty() ? "unknown" : facts.virtualisation) +
                                          ")"));
    if (facts.rosetta)
      findings.push_back(host_finding("machine.rosetta", "this process is translated by Rosetta"));
    if (!facts.rosetta && facts.architecture == "x86_64")
      findings.push_back(host_finding("machine.not-arm64", "this Mac has an Intel processor"));
  }
  if (facts.low_power) findings.push_back(host_finding("machine.low-power", "low power mode is on"));
  if (facts.thermal_level >= kThrottled)
    findings.push_back(host_finding(
        "machine.thermal", "the processor is slowed down by " + std::to_string(facts.thermal_level) + " %"));
  if (facts.power_source == "battery")
    findings.push_back(host_finding("machine.battery", "the machine runs on its battery"));
  if (facts.memory_available_bytes > 0 && facts.memory_available_bytes < kLeastMemory)
    findings.push_back(host_finding("machine.memory-low",
                                    format_bytes(facts.memory_available_bytes) + " of memory are available"));
  if (facts.disk_free_bytes > 0 && facts.disk_free_bytes < kLeastDisk)
    findings.push_back(
        host_finding("machine.disk-low", format_bytes(facts.disk_free_bytes) + " of disk space are free"));
  return findings;
}

}  // namespace mpsgate
