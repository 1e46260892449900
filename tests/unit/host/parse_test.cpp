#include "host/parse.h"

#include "base/files.h"

#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

std::string recorded(const std::string& name) {
  return read_file(fs::path(MPSGATE_SOURCE_DIR) / "fixtures/host" / name).value();
}

TEST(ParseMac, ALaptopOnItsBattery) {
  HostFacts facts;
  read_sysctl(recorded("macbook/sysctl.txt"), facts);
  read_sw_vers(recorded("macbook/sw_vers.txt"), facts);
  read_pmset(recorded("macbook/pmset.txt"), facts);
  read_pmset_batt(recorded("macbook/pmset-batt.txt"), facts);
  read_pmset_therm(recorded("macbook/pmset-therm.txt"), facts);
  read_ioreg(recorded("macbook/ioreg.txt"), facts);
  read_vm_stat(recorded("macbook/vm_stat.txt"), facts);
  read_ps(recorded("macbook/ps.txt"), facts);
  read_managername("Aqua\n", facts);
  EXPECT_EQ(facts.model, "Mac14,9");
  EXPECT_EQ(facts.chip, "Apple M2 Pro");
  EXPECT_EQ(facts.memory_bytes, 16ull << 30);
  EXPECT_EQ(facts.cores, 10);
  EXPECT_EQ(facts.performance_cores, 6);
  EXPECT_EQ(facts.efficiency_cores, 4);
  EXPECT_EQ(facts.swap_used_bytes, static_cast<std::uint64_t>(512.25 * (1 << 20)));
  EXPECT_FALSE(facts.virtual_machine);
  EXPECT_FALSE(facts.rosetta);
  EXPECT_EQ(facts.system_version, "26.5");
  EXPECT_EQ(facts.system_build, "25F71");
  EXPECT_TRUE(facts.low_power);
  EXPECT_EQ(facts.power_source, "battery");
  EXPECT_EQ(facts.thermal_level, 28);
  EXPECT_EQ(facts.gpu, "Apple M2 Pro, 19 cores");
  EXPECT_EQ(facts.gpu_busy_percent, 7);
  EXPECT_EQ(facts.memory_available_bytes, 160'000ull * 16384);
  EXPECT_EQ(facts.session, "gui");
  EXPECT_EQ(facts.heavy_applications, (std::vector<std::string>{"Blender", "ffmpeg"}));
}

TEST(ParseMac, AHostedRunner) {
  HostFacts facts;
  read_sysctl(recorded("virtual/sysctl.txt"), facts);
  read_ioreg(recorded("virtual/ioreg.txt"), facts);
  EXPECT_TRUE(facts.virtual_machine);
  EXPECT_EQ(facts.virtualisation, "VirtualMac");
  EXPECT_EQ(facts.gpu, "Apple Paravirtual device");
  EXPECT_EQ(facts.gpu_busy_percent, -1);
}

TEST(ParseMac, RosettaAndOtherSingleFacts) {
  HostFacts facts;
  read_sysctl("sysctl.proc_translated: 1\n", facts);
  EXPECT_TRUE(facts.rosetta);
  read_pmset_batt("Now drawing from 'AC Power'\n", facts);
  EXPECT_EQ(facts.power_source, "AC");
  read_managername("Background\n", facts);
  EXPECT_EQ(facts.session, "launchd");
  HostFacts cool;
  read_pmset_therm("Note: No thermal warning level has been recorded\n", cool);
  EXPECT_EQ(cool.thermal_level, 0);
}

TEST(ParseLinux, TheRecordedMachine) {
  HostFacts facts;
  read_cpuinfo(recorded("linux/cpuinfo.txt"), facts);
  read_meminfo(recorded("linux/meminfo.txt"), facts);
  read_os_release(recorded("linux/os-release.txt"), facts);
  EXPECT_FALSE(facts.chip.empty());
  EXPECT_GT(facts.memory_bytes, 1ull << 30);
  EXPECT_GT(facts.memory_available_bytes, 0u);
  EXPECT_EQ(facts.system_version, "Debian GNU/Linux 12 (bookworm)");
}

TEST(ParseLinux, TheSmallerLimitCounts) {
  HostFacts facts;
  facts.memory_bytes = 8ull << 30;
  facts.memory_available_bytes = 6ull << 30;
  facts.cores = 8;
  read_cgroup_memory("max\n", facts);
  read_cgroup_memory("9223372036854771712\n", facts);
  EXPECT_EQ(facts.memory_bytes, 8ull << 30);
  read_cgroup_memory("2147483648\n", facts);
  EXPECT_EQ(facts.memory_bytes, 2ull << 30);
  EXPECT_EQ(facts.memory_available_bytes, 2ull << 30);
  read_cgroup_cpu("max 100000\n", facts);
  EXPECT_EQ(facts.cores, 8);
  read_cgroup_cpu("250000 100000\n", facts);
  EXPECT_EQ(facts.cores, 3);
}

TEST(ParseLinux, Virtualisation) {
  HostFacts facts;
  read_virtualisation("0::/kubepods/burstable/pod1\n", "flags : fpu hypervisor lahf\n", facts);
  EXPECT_TRUE(facts.virtual_machine);
  EXPECT_EQ(facts.virtualisation, "kubepods");
}

TEST(Parsers, StrangeTextChangesNothingAndNeverCrashes) {
  using Parser = void (*)(std::string_view, HostFacts&);
  const Parser parsers[] = {
      read_sysctl,  read_sw_vers,    read_pmset,         read_pmset_batt, read_pmset_therm,
      read_ioreg,   read_vm_stat,    read_managername,   read_ps,         read_cpuinfo,
      read_meminfo, read_os_release, read_cgroup_memory, read_cgroup_cpu};
  const std::string whole = recorded("macbook/sysctl.txt") + recorded("macbook/ioreg.txt") +
                            recorded("macbook/pmset-therm.txt") + recorded("macbook/vm_stat.txt");
  std::mt19937 random(2);
  for (const Parser parser : parsers) {
    HostFacts facts;
    parser("", facts);
    parser("\n\n:\n=\n", facts);
    EXPECT_EQ(facts.memory_bytes, 0u);
    EXPECT_EQ(facts.gpu_busy_percent, -1);
    for (int round = 0; round < 200; ++round) {
      std::string text = whole.substr(0, random() % whole.size());
      for (int i = 0; i < 5 && !text.empty(); ++i)
        text[random() % text.size()] = static_cast<char>(random() % 256);
      parser(text, facts);
    }
    EXPECT_LE(facts.gpu_busy_percent, 100);
    EXPECT_LE(facts.thermal_level, 100);
  }
}

}  // namespace
}  // namespace mpsgate
