#include "cli/doctor.h"

#include "base/text.h"

#include <algorithm>
#include <stdexcept>

namespace mpsgate {
namespace {

using State = Check::State;

const char* name_of(State state) {
  return state == State::good ? "good" : state == State::note ? "note" : "missing";
}

class Doctor {
 public:
  explicit Doctor(const MachineState& state) : state_(state) {}

  Diagnosis diagnose() {
    const bool linux_machine = state_.host.system == "Linux";
    const bool system = linux_machine || state_.host.system == "macOS";
    add("system", system ? State::good : State::missing,
        state_.host.system + " " + state_.host.system_version + ", " + state_.host.architecture,
        system ? "" : "take Debian 12 or newer, Ubuntu 24.04 or newer, or macOS on Apple silicon");
    const bool python = state_.python.has_value() && !state_.python->mac_without_mps();
    add("Python", python ? State::good : State::missing,
        state_.python ? state_.python->version + " (" + state_.python->architecture + ") at " +
                            state_.python->path.string()
                      : "none from 3.9 on",
        python ? "" : installation_advice(""));
    const bool fetch = state_.fetch.has_value();
    add("mpsgate-fetch", fetch ? State::good : State::missing,
        fetch ? "answers" : state_.fetch.error().message,
        fetch ? "" : "install mpsgate again: ci/mpsgate --version");
    const bool index = state_.index.has_value();
    add("package index", index ? State::good : State::note, index ? "answers" : state_.index.error().message,
        index ? "" : "without it only environments that are built already can be used; see pip's settings");
    const bool libtorch = state_.libtorch.has_value();
    add("mpsgate-device", libtorch ? State::good : State::note,
        libtorch ? "LibTorch " + state_.libtorch->torch : one_line(state_.libtorch.error().message),
        libtorch ? ""
                 : "the lab's own torch is the only witness of the probe; a build with torch brings the "
                   "second one");
    const bool mps = libtorch && state_.libtorch->available;
    add("mps", mps ? State::good : State::missing,
        mps             ? "available"
        : linux_machine ? "not on Linux"
                        : "not available",
        mps             ? ""
        : linux_machine ? "a Mac with Apple silicon"
                        : "macOS 13 or newer on Apple silicon, and a torch built with mps");
    add("CUDA", state_.nvidia ? State::good : State::note,
        state_.nvidia ? "an NVIDIA driver is there" : "no NVIDIA driver", "");
    bool doubt = false;
    for (const auto& finding : judge_host(state_.host, true)) {
      const bool grave = finding.weight.value_or(finding.row->weight) == Weight::doubt;
      doubt = doubt || grave;
      add("machine", grave ? State::missing : State::note, finding.message, finding.row->remedy);
    }

    const std::string obstacle = !system   ? "this system is not supported"
                                 : !python ? "no Python to build environments with"
                                 : !fetch  ? "mpsgate-fetch does not answer"
                                           : "";
    able("rehearse", obstacle, "");
    able("run",
         !obstacle.empty() ? obstacle
         : !mps            ? "no mps device"
         : doubt           ? "the machine is in doubt: every run would end inconclusive"
                           : "",
         "");
    able("capture", obstacle, state_.nvidia ? "--arm cpu or cuda" : "--arm cpu only");
    return std::move(diagnosis_);
  }

 private:
  void add(const std::string& what, State state, const std::string& said, const std::string& remedy) {
    diagnosis_.checks.push_back({what, state, one_line(said), remedy});
  }
  void able(const std::string& name, const std::string& obstacle, const std::string& limit) {
    diagnosis_.abilities.push_back({name, obstacle.empty(), obstacle.empty() ? limit : obstacle});
  }

  const MachineState& state_;
  Diagnosis diagnosis_;
};

}  // namespace

const Ability& Diagnosis::ability(const std::string& name) const {
  for (const auto& one : abilities) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no ability " + name);
}

Diagnosis diagnose(const MachineState& state) {
  return Doctor(state).diagnose();
}

Json to_json(const Diagnosis& diagnosis) {
  Json checks = Json::array(), abilities = Json::object();
  for (const auto& check : diagnosis.checks)
    checks.push_back({{"what", check.what},
                      {"state", name_of(check.state)},
                      {"said", check.said},
                      {"remedy", check.remedy}});
  for (const auto& one : diagnosis.abilities)
    abilities[one.name] = {{"able", one.able}, {"why", one.why}};
  return {{"abilities", abilities}, {"checks", checks}};
}

}  // namespace mpsgate
