#include "base/text.h"
#include "verdict/verdict.h"

namespace mpsgate {
namespace {

Json to_json(const Reason& reason) {
  return {{"id", reason.id},           {"title", reason.title},
          {"message", reason.message}, {"standing", reason.standing},
          {"cause", reason.cause},     {"route", reason.route},
          {"effort", reason.effort},   {"who", reason.who},
          {"basis", reason.basis},     {"step", reason.step},
          {"arm", reason.arm},         {"command", reason.command},
          {"output", reason.output},   {"place", reason.place},
          {"remedy", reason.remedy}};
}

Json to_json(const std::vector<Reason>& reasons) {
  Json json = Json::array();
  for (const auto& reason : reasons)
    json.push_back(to_json(reason));
  return json;
}

Json steps_json(const std::vector<std::pair<std::string, std::string>>& steps) {
  Json json = Json::array();
  for (const auto& [step, why] : steps)
    json.push_back({{"step", step}, {"why", why}});
  return json;
}

}  // namespace

Json to_json(const Verdict& verdict) {
  Json commands = Json::array();
  for (const auto& of : verdict.commands) {
    commands.push_back({{"command", of.command},
                        {"decision", of.word},
                        {"because", of.because},
                        {"cause", of.cause},
                        {"route", of.route}});
  }
  return {{"decision", verdict.word},
          {"scope", verdict.scope},
          {"rule", verdict.rule},
          {"because", verdict.because},
          {"cause", verdict.cause},
          {"route", verdict.route},
          {"effort", verdict.effort},
          {"who", verdict.who},
          {"exit_code", static_cast<int>(exit_code(verdict))},
          {"finished", verdict.finished},
          {"interrupted", verdict.interrupted},
          {"reasons", to_json(verdict.reasons)},
          {"unproven", to_json(verdict.unproven)},
          {"notes", to_json(verdict.notes)},
          {"next", verdict.next},
          {"not_established", steps_json(verdict.not_established)},
          {"dropped", steps_json(verdict.dropped)},
          {"commands", commands}};
}

std::string line_of(const Verdict& verdict) {
  std::string line = verdict.word + " (" + verdict.scope + ")";
  if (verdict.decision == Decision::abort) {
    line += ", " + verdict.cause;
    if (!verdict.route.empty()) line += ", route " + verdict.route;
  }
  return one_line(line + ": " + verdict.because, 1200);
}

}  // namespace mpsgate
