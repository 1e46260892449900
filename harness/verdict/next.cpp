#include "verdict/next.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mpsgate {
namespace {

constexpr std::size_t kMostSentences = 6;

std::string command_line(const char* command, const Evidence& evidence) {
  return std::string("mpsgate ") + command + " " + shell_quoted({evidence.protocol_file});
}

/// Where the work should go, as advice.
std::string route_sentence(const std::string& route) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> sentences = {{
      {"adapt", "until then keep it where it runs today: change this code before taking it to mps"},
      {"cpu", "run it on the CPU of a Mac"},
      {"mlx", "take it to MLX instead of PyTorch on mps"},
      {"remote-mac", "take it to a remote Mac with more memory"},
      {"linux-gpu", "keep it on a Linux machine with a GPU"},
      {"split", "split it: train on a Linux GPU and validate on the Mac, or use mps for preprocessing only"},
  }};
  for (const auto& [name, sentence] : sentences) {
    if (name == route) return sentence;
  }
  return {};
}

std::string who_and_effort(const Reason& reason) {
  std::vector<std::string> parts;
  if (!reason.who.empty() && reason.who != "nobody") parts.push_back(reason.who);
  if (!reason.effort.empty() && reason.effort != "none") parts.push_back("effort: " + reason.effort);
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

class Advice {
 public:
  Advice(const Verdict& verdict, const Evidence& evidence) : verdict_(verdict), evidence_(evidence) {}

  std::vector<std::string> sentences() {
    switch (verdict_.decision) {
      case Decision::proceed_or_continue:
        go_on();
        break;
      case Decision::abort:
        mend();
        break;
      case Decision::inconclusive:
        find_out();
        break;
    }
    return sentences_;
  }

 private:
  void say(const std::string& sentence) {
    if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end())
      sentences_.push_back(sentence);
  }

  void go_on() {
    const bool long_session = evidence_.workload == "training";
    const std::string session = long_session
                                    ? "a long session: relaunches, integration, a full training cycle"
                                    : "a short session: installation, inference";
    say(evidence_.rehearsal() ? "take it to a Mac: " + command_line("run", evidence_) + " (" + session + ")"
                              : "take next " + session + " on this Mac");
    if (evidence_.macos_required) {
      say("macOS validation is a required stage of this project" +
          (evidence_.why.empty() ? "" : ": " + evidence_.why));
    } else {
      say("nothing obliges the move: the protocol's purpose does not require macOS");
    }
    if (evidence_.rehearsal() && evidence_.scope != "mps") {
      std::vector<std::string> open;
      for (const auto& [step, why] : verdict_.not_established) {
        // What the protocol does not ask for, no machine will establish.
        if (why.find("the protocol names no") == std::string::npos) open.push_back(step);
      }
      for (const auto& [step, why] : verdict_.not_established) {
        if (step == "census" && why.find("does not have this step yet") != std::string::npos)
          say("this version of mpsgate has no census yet, and census gates a run: until then the Mac's "
              "answer can only be abort or inconclusive, unless the protocol drops it with a reason");
      }
      if (!open.empty()) say("what only the Mac, or a later mpsgate, can establish: " + join(open, ", "));
    }
    for (const auto& note : verdict_.notes) {
      if (note.id == "workload.llm") say("consider MLX: " + note.message);
    }
  }

  void remedies(const std::vector<Reason>& reasons) {
    for (const auto& reason : reasons) {
      if (sentences_.size() == kMostSentences) return;
      if (!reason.remedy.empty()) {
        say(reason.remedy + who_and_effort(reason));
      } else if (!reason.who.empty() && reason.who != "nobody" && reason.id != "run.unfinished") {
        say(reason.message + who_and_effort(reason));
      }
    }
  }

  void mend() {
    remedies(verdict_.reasons);
    if (const std::string sentence = route_sentence(verdict_.route); !sentence.empty()) say(sentence);
    if (std::any_of(verdict_.reasons.begin(), verdict_.reasons.end(),
                    [](const auto& reason) { return reason.standing == "predicted"; })) {
      say("this is predicted on a simulated mps: a Mac may say otherwise");
    }
    say("then ask again: " + command_line(evidence_.rehearsal() ? "rehearse" : "run", evidence_));
  }

  void find_out() {
    if (!verdict_.finished) {
      say("go on where it stopped: mpsgate resume PATH" + (evidence_.run.empty() ? "" : "/" + evidence_.run) +
          ", the path of this run directory");
    }
    // In a run that was cut short the steps still to come are no one's fault.
    if (verdict_.finished || verdict_.rule == 3) remedies(verdict_.reasons);
    if (verdict_.finished)
      say("then ask again: " + command_line(evidence_.rehearsal() ? "rehearse" : "run", evidence_));
  }

  const Verdict& verdict_;
  const Evidence& evidence_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> next_of(const Verdict& verdict, const Evidence& evidence) {
  return Advice(verdict, evidence).sentences();
}

}  // namespace mpsgate
