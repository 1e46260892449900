#include "base/text.h"
#include "host/parse.h"

#include <algorithm>
#include <cstdlib>

namespace mpsgate {
namespace {

/// "name: value" lines, or with another separator.
std::map<std::string, std::string> pairs_of(std::string_view text, char separator) {
  std::map<std::string, std::string> pairs;
  for (const auto& line : lines_of(text)) {
    const auto cut = line.find(separator);
    if (cut != std::string::npos)
      pairs[std::string(trim(std::string_view(line).substr(0, cut)))] =
          one_line(trim(std::string_view(line).substr(cut + 1)));
  }
  return pairs;
}

std::uint64_t whole(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

/// The number after `"key"=` or `"key" = `; -1 if there is none.
long long number_after(std::string_view text, std::string_view key) {
  const auto at = text.find("\"" + std::string(key) + "\"");
  if (at == std::string_view::npos) return -1;
  const auto digit = text.find_first_of("0123456789\n", at + key.size() + 2);
  if (digit == std::string_view::npos || text[digit] == '\n') return -1;
  return std::strtoll(std::string(text.substr(digit, 18)).c_str(), nullptr, 10);
}

}  // namespace

void read_sysctl(std::string_view text, HostFacts& facts) {
  const auto pairs = pairs_of(text, ':');
  const auto take = [&](const char* name, auto use) {
    if (const auto found = pairs.find(name); found != pairs.end() && !found->second.empty())
      use(found->second);
  };
  take("hw.model", [&](const auto& value) {
    facts.model = value;
    if (value.starts_with("VirtualMac")) {
      facts.virtual_machine = true;
      facts.virtualisation = "VirtualMac";
    }
  });
  take("machdep.cpu.brand_string", [&](const auto& value) { facts.chip = value; });
  take("hw.memsize", [&](const auto& value) { facts.memory_bytes = whole(value); });
  take("hw.logicalcpu", [&](const auto& value) { facts.cores = static_cast<int>(whole(value)); });
  take("hw.perflevel0.logicalcpu",
       [&](const auto& value) { facts.performance_cores = static_cast<int>(whole(value)); });
  take("hw.perflevel1.logicalcpu",
       [&](const auto& value) { facts.efficiency_cores = static_cast<int>(whole(value)); });
  take("kern.hv_vmm_present", [&](const auto& value) {
    if (value != "1") return;
    facts.virtual_machine = true;
    if (facts.virtualisation.empty()) facts.virtualisation = "hypervisor";
  });
  take("sysctl.proc_translated", [&](const auto& value) { facts.rosetta = value == "1"; });
  // "total = 2048.00M  used = 512.25M  free = …"
  take("vm.swapusage", [&](const auto& value) {
    const auto used = value.find("used = ");
    if (used != std::string::npos)
      facts.swap_used_bytes =
          static_cast<std::uint64_t>(std::strtod(value.c_str() + used + 7, nullptr) * (1 << 20));
  });
}

void read_sw_vers(std::string_view text, HostFacts& facts) {
  const auto pairs = pairs_of(text, ':');
  if (const auto found = pairs.find("ProductVersion"); found != pairs.end())
    facts.system_version = found->second;
  if (const auto found = pairs.find("BuildVersion"); found != pairs.end()) facts.system_build = found->second;
}

void read_pmset(std::string_view text, HostFacts& facts) {
  for (const auto& line : lines_of(text)) {
    const std::string_view setting = trim(line);
    if (setting.starts_with("lowpowermode")) facts.low_power = setting.back() == '1';
  }
}

void read_pmset_batt(std::string_view text, HostFacts& facts) {
  if (text.find("'AC Power'") != std::string_view::npos) facts.power_source = "AC";
  if (text.find("'Battery Power'") != std::string_view::npos) facts.power_source = "battery";
}

void read_pmset_therm(std::string_view text, HostFacts& facts) {
  if (text.find("No thermal warning level has been recorded") != std::string_view::npos)
    facts.thermal_level = 0;
  for (const auto& [name, value] : pairs_of(text, '=')) {
    if (name == "CPU_Speed_Limit" && !value.empty())
      facts.thermal_level = 100 - static_cast<int>(std::min<std::uint64_t>(whole(value), 100));
  }
}

void read_ioreg(std::string_view text, HostFacts& facts) {
  const auto model = text.find("\"model\" = ");
  if (model != std::string_view::npos) {
    const auto start = text.find('"', model + 10);
    const auto end = start == std::string_view::npos ? start : text.find('"', start + 1);
    if (end != std::string_view::npos) facts.gpu = one_line(text.substr(start + 1, end - start - 1), 80);
  }
  if (const auto cores = number_after(text, "gpu-core-count"); cores > 0 && !facts.gpu.empty())
    facts.gpu += ", " + std::to_string(cores) + " cores";
  if (const auto busy = number_after(text, "Device Utilization %"); busy >= 0 && busy <= 100)
    facts.gpu_busy_percent = static_cast<int>(busy);
  if (text.find("Paravirtual") != std::string_view::npos) {
    facts.virtual_machine = true;
    if (facts.virtualisation.empty()) facts.virtualisation = "paravirtual GPU";
  }
}

void read_vm_stat(std::string_view text, HostFacts& facts) {
  const auto size = text.find("page size of ");
  if (size == std::string_view::npos) return;
  const std::uint64_t page = whole(std::string(text.substr(size + 13, 12)));
  std::uint64_t pages = 0;
  for (const auto& [name, value] : pairs_of(text, ':')) {
    if (name == "Pages free" || name == "Pages inactive" || name == "Pages speculative")
      pages += whole(value);
  }
  facts.memory_available_bytes = pages * page;
}

void read_managername(std::string_view text, HostFacts& facts) {
  const std::string_view name = trim(text);
  if (name == "Aqua") facts.session = "gui";
  if (name == "Background" || name == "System") facts.session = "launchd";
}

void read_ps(std::string_view text, HostFacts& facts) {
  for (const auto& line : lines_of(text)) {
    char* end = nullptr;
    const double busy = std::strtod(line.c_str(), &end);
    if (end == line.c_str() || busy < 50) continue;
    const std::string path(trim(end));
    const std::string name = one_line(path.substr(path.rfind('/') + 1), 60);
    if (!name.empty() && name != "mpsgate" && name != "ps" && facts.heavy_applications.size() < 10)
      facts.heavy_applications.push_back(name);
  }
}

}  // namespace mpsgate
