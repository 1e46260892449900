#include "base/files.h"
#include "host/host.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

HostFacts mac() {
  HostFacts facts;
  facts.system = "macOS";
  facts.architecture = "arm64";
  facts.memory_available_bytes = 8ull << 30;
  facts.disk_free_bytes = 50ull << 30;
  return facts;
}

std::string ids(const HostFacts& facts, bool wants_mps = true) {
  std::string text;
  for (const auto& finding : judge_host(facts, wants_mps))
    text += std::string(finding.row->id) + "/" + name_of(finding.row->weight) + " ";
  return text;
}

TEST(JudgeHost, AHealthyMac) {
  EXPECT_EQ(ids(mac()), "");
}

TEST(JudgeHost, WhatDoubtsTheMachine) {
  HostFacts facts = mac();
  facts.virtual_machine = true;
  EXPECT_EQ(ids(facts), "machine.virtual-gpu/doubt ");
  EXPECT_EQ(ids(facts, false), "") << "a rehearsal may run in a virtual machine";
  facts = mac();
  facts.rosetta = true;
  facts.architecture = "x86_64";
  EXPECT_EQ(ids(facts), "machine.rosetta/doubt ");
  facts.rosetta = false;
  EXPECT_EQ(ids(facts), "machine.not-arm64/doubt ");
  facts.system = "Linux";
  EXPECT_EQ(ids(facts), "") << "that there is no mps on Linux is said elsewhere";
}

TEST(JudgeHost, WhatOnlyTimedCriteriaSuffer) {
  HostFacts facts = mac();
  facts.low_power = true;
  facts.thermal_level = 28;
  facts.power_source = "battery";
  facts.memory_available_bytes = 1 << 30;
  facts.disk_free_bytes = 1 << 30;
  EXPECT_EQ(ids(facts),
            "machine.low-power/note machine.thermal/note machine.battery/note machine.memory-low/note "
            "machine.disk-low/note ");
}

TEST(HostFactsHere, AreRead) {
  Supervisor processes;
  const TemporaryFolder folder;
  const HostFacts facts = host_facts(processes, folder.path());
  EXPECT_FALSE(facts.system.empty());
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_GT(facts.memory_bytes, 0u);
  EXPECT_GT(facts.disk_free_bytes, 0u);
  EXPECT_GT(facts.cores, 0);
  EXPECT_GT(logbook(facts).size(), 8u);
}

}  // namespace
}  // namespace mpsgate
