#include "base/files.h"
#include "device/device.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

Probe well(bool mps) {
  Probe probe;
  probe.torch = "2.13.0";
  probe.architecture = "arm64";
  probe.built = probe.available = mps;
  probe.device = mps ? "mps" : "cpu";
  probe.canaries = {{"witness-matmul", "passed", 0, 0, ""},
                    {"softmax", "passed", 0, 1e-5, ""},
                    {"allocation-1-GiB", "not-run", 0, 0, "little memory"}};
  return probe;
}

std::string ids(const std::vector<Finding>& findings) {
  std::string text;
  for (const auto& finding : findings)
    text += std::string(finding.row->id) + " ";
  return text;
}

TEST(Probe, AHealthyMachineRaisesNothing) {
  const Probe mac = well(true);
  EXPECT_EQ(ids(judge_probe(mac, &mac, true)), "");
  const Probe linux_machine = well(false);
  EXPECT_EQ(ids(judge_probe(linux_machine, &linux_machine, false)), "");
}

TEST(Probe, WithoutMpsARunSaysWhy) {
  Probe probe = well(false);
  EXPECT_NE(judge_probe(probe, nullptr, true)[0].message.find("not built with mps"), std::string::npos);
  probe.built = true;
  EXPECT_NE(judge_probe(probe, nullptr, true)[0].message.find("finds no usable device"), std::string::npos);
  probe.architecture = "x86_64";
  EXPECT_NE(judge_probe(probe, nullptr, true)[0].remedy.find("arm64 Python"), std::string::npos);
  EXPECT_EQ(judge_probe(probe, nullptr, true)[0].row->weight, Weight::doubt);
}

TEST(Probe, WrongNumbersDoubtTheMachineNotTheLab) {
  Probe probe = well(true);
  probe.canaries[1] = {"softmax", "wrong", 0.5, 1e-5, "the result is off by 0.5"};
  const Probe own = well(true);
  const auto findings = judge_probe(probe, &own, true);
  EXPECT_EQ(ids(findings), "machine.canary-wrong probe.disagreement ");
  EXPECT_EQ(findings[0].row->weight, Weight::doubt);
  EXPECT_EQ(findings[0].evidence, (std::vector<std::string>{"softmax: the result is off by 0.5"}));
  EXPECT_EQ(findings[0].arm, "mps");
}

TEST(Probe, AFailingCanaryAndAnEmptyProbe) {
  Probe probe = well(true);
  probe.canaries[0] = {"witness-matmul", "failed", 0, 0,
                       "RuntimeError: MPS backend out of memory (MPS allocated: 0 bytes"};
  EXPECT_EQ(ids(judge_probe(probe, nullptr, true)), "machine.canary-failed ");
  EXPECT_EQ(ids(judge_probe(Probe{}, nullptr, false)), "machine.canary-failed ")
      << "a probe that says nothing proves nothing";
}

/// Answers as a worker would.
class Answering : public ProcessRunner {
 public:
  explicit Answering(std::string answer) : answer_(std::move(answer)) {}
  ProcessResult run(const ProcessRequest& request) override {
    asked = request;
    ProcessResult result;
    result.ending = Ending::exited;
    result.exit_code = 0;
    result.out.head = answer_;
    result.out.bytes = answer_.size();
    return result;
  }
  ProcessRequest asked;

 private:
  std::string answer_;
};

TEST(Probe, AsksTheLabsOwnTorchWithoutAnyFallback) {
  Answering processes(
      R"({"result": {"torch": "2.13.0", "available": true, "device": "mps", "canaries": [{"name": "softmax", "status": "passed", "max_abs_error": 1e-9}]}})");
  const auto probe = probe_python(processes, "/env/bin/python", {{"HOME", "/h"}}, "/log", 5);
  ASSERT_TRUE(probe) << probe.error().text();
  EXPECT_EQ(probe->device, "mps");
  ASSERT_EQ(probe->canaries.size(), 1u);
  EXPECT_EQ(processes.asked.argv[0], "/env/bin/python");
  EXPECT_EQ(processes.asked.argv[1], "-I");
  EXPECT_NE(processes.asked.argv[3].find("CANARIES"), std::string::npos)
      << "the script is part of the program";
  EXPECT_EQ(processes.asked.environment.at("PYTORCH_ENABLE_MPS_FALLBACK"), "0");
}

TEST(Probe, ErrorsAndStrangeAnswers) {
  Answering none(R"({"error": {"code": "probe.no-torch", "message": "the environment has no torch"}})");
  EXPECT_EQ(probe_python(none, "/p", {}, "", 5).error().code, "probe.no-torch");
  for (const char* strange :
       {"", "{}", "{\"result\": 3}", "{\"result\": {\"canaries\": [1, {\"status\": 7}]}}"}) {
    Answering processes(strange);
    const auto probe = probe_python(processes, "/p", {}, "", 5);
    if (probe) {
      EXPECT_NE(ids(judge_probe(*probe, nullptr, false)), "")
          << strange << ": what says nothing must not pass";
    }
  }
}

}  // namespace
}  // namespace mpsgate
