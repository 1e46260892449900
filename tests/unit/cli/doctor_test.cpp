#include "cli/doctor.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

MachineState mac() {
  MachineState state{{}, Interpreter{}, {}, {}, Probe{}, false};
  state.host.system = "macOS";
  state.host.architecture = "arm64";
  state.python->version = "3.12.4";
  state.python->architecture = "arm64";
  state.python->platform = "macosx-14.0-arm64";
  state.libtorch->built = state.libtorch->available = true;
  return state;
}

MachineState linux_machine() {
  MachineState state = mac();
  state.host.system = "Linux";
  state.host.architecture = "x86_64";
  state.python->platform = "linux-x86_64";
  state.libtorch->built = state.libtorch->available = false;
  return state;
}

std::string able(const MachineState& state) {
  std::string names;
  for (const auto& one : diagnose(state).abilities) {
    if (one.able) names += one.name + " ";
  }
  return names;
}

std::string missing(const MachineState& state) {
  std::string names;
  for (const auto& check : diagnose(state).checks) {
    if (check.state != Check::State::missing) continue;
    EXPECT_NE(check.remedy, "") << check.what;
    names += check.what + " ";
  }
  return names;
}

TEST(Doctor, AGoodMacCanDoAll) {
  EXPECT_EQ(able(mac()), "rehearse run capture ");
  EXPECT_EQ(missing(mac()), "");
}

TEST(Doctor, LinuxRehearsesAndCaptures) {
  EXPECT_EQ(able(linux_machine()), "rehearse capture ");
  EXPECT_EQ(missing(linux_machine()), "mps ");
  EXPECT_EQ(diagnose(linux_machine()).ability("capture").why, "--arm cpu only");
  MachineState gpu = linux_machine();
  gpu.nvidia = true;
  EXPECT_EQ(diagnose(gpu).ability("capture").why, "--arm cpu or cuda");
}

TEST(Doctor, WithoutAnIndexBuiltEnvironmentsServe) {
  MachineState state = linux_machine();
  state.index = fail("index.unreachable", "the index does not answer");
  EXPECT_EQ(able(state), "rehearse capture ");
  const auto diagnosis = diagnose(state);
  const auto check = std::find_if(diagnosis.checks.begin(), diagnosis.checks.end(),
                                  [](const auto& one) { return one.what == "package index"; });
  ASSERT_NE(check, diagnosis.checks.end());
  EXPECT_EQ(check->state, Check::State::note);
  EXPECT_NE(check->remedy, "");
}

TEST(Doctor, AVirtualMacIsInDoubt) {
  MachineState state = mac();
  state.host.virtual_machine = true;
  EXPECT_EQ(able(state), "rehearse capture ");
  EXPECT_NE(diagnose(state).ability("run").why.find("in doubt"), std::string::npos);
  EXPECT_EQ(missing(state), "machine ");
}

TEST(Doctor, WithoutPythonOrFetchNothingWorks) {
  MachineState state = mac();
  state.python.reset();
  EXPECT_EQ(able(state), "");
  EXPECT_EQ(missing(state), "Python ");
  state = mac();
  state.python->architecture = "x86_64";  // under Rosetta
  EXPECT_EQ(able(state), "");
  state = mac();
  state.fetch = fail("worker.not-started", "no such file");
  EXPECT_EQ(able(state), "");
  EXPECT_EQ(missing(state), "mpsgate-fetch ");
}

TEST(Doctor, ASecondWitnessIsWanted) {
  MachineState state = linux_machine();
  state.libtorch = tl::unexpected<Error>(Error{"worker.not-started", "no such file", "", {}});
  EXPECT_EQ(able(state), "rehearse capture ") << "the lab's own torch is a witness too";
  EXPECT_EQ(missing(state), "mps ");
}

}  // namespace
}  // namespace mpsgate
