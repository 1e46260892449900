#include "host/collect.h"
#include "host/parse.h"

namespace mpsgate {
namespace {

constexpr double kToolSeconds = 5;

std::string output_of(ProcessRunner& processes, std::vector<std::string> argv) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.environment = {{"PATH", "/usr/bin:/bin:/usr/sbin:/sbin"}, {"LC_ALL", "C"}};
  request.limits.wall_seconds = kToolSeconds;
  request.limits.memory_bytes = 4 << 20;
  const ProcessResult result = processes.run(request);
  // sysctl ends with 1 when one name is unknown and still prints the others.
  return result.ending == Ending::exited ? result.out.text() : "";
}

}  // namespace

void collect_system(ProcessRunner& processes, HostFacts& facts) {
  facts.system = "macOS";
  read_sysctl(output_of(processes,
                        {"/usr/sbin/sysctl", "hw.model", "hw.memsize", "hw.logicalcpu",
                         "hw.perflevel0.logicalcpu", "hw.perflevel1.logicalcpu", "machdep.cpu.brand_string",
                         "kern.hv_vmm_present", "sysctl.proc_translated", "vm.swapusage"}),
              facts);
  read_sw_vers(output_of(processes, {"/usr/bin/sw_vers"}), facts);
  read_pmset(output_of(processes, {"/usr/bin/pmset", "-g"}), facts);
  read_pmset_batt(output_of(processes, {"/usr/bin/pmset", "-g", "batt"}), facts);
  read_pmset_therm(output_of(processes, {"/usr/bin/pmset", "-g", "therm"}), facts);
  read_ioreg(output_of(processes, {"/usr/sbin/ioreg", "-r", "-c", "IOAccelerator", "-d", "1", "-w", "0"}),
             facts);
  read_vm_stat(output_of(processes, {"/usr/bin/vm_stat"}), facts);
  read_managername(output_of(processes, {"/bin/launchctl", "managername"}), facts);
  read_ps(output_of(processes, {"/bin/ps", "-axo", "%cpu=,comm="}), facts);
  facts.xcode_tools = output_of(processes, {"/usr/bin/xcode-select", "-p"}).empty() ? "missing" : "installed";
}

}  // namespace mpsgate
