#include "protocol/protocol.h"

namespace mpsgate {
namespace {

Json to_json(const Tolerance& tolerance) {
  return {{"name", tolerance.name},
          {"rtol", tolerance.rtol},
          {"atol", tolerance.atol},
          {"nan", tolerance.nan_equal ? "equal" : "fail"}};
}

Json environment_json(const Protocol::Environment& environment) {
  Json replace = Json::object();
  for (const auto& [name, replacement] : environment.replace)
    replace[name] = {{"with", replacement.with}, {"because", replacement.because}};
  Json drop = Json::object();
  for (const auto& [name, reason] : environment.drop)
    drop[name] = reason;
  return {{"python", environment.python},   {"files", environment.files}, {"packages", environment.packages},
          {"install", environment.install}, {"replace", replace},         {"drop", drop}};
}

}  // namespace

Json to_json(const Protocol& protocol) {
  Json commands = Json::object();
  for (const auto& command : protocol.commands)
    commands[command.name] = {{"run", command.argv},
                              {"directory", command.directory},
                              {"environment", command.environment},
                              {"exit", command.exit_code}};
  Json devices = Json::object();
  for (const auto& [arm, words] : protocol.devices)
    devices[arm] = words;
  Json outputs = Json::object();
  for (const auto& output : protocol.outputs) {
    const bool printed = !output.printed.empty();
    outputs[output.name] = {{"of", output.of},
                            {printed              ? "printed"
                             : output.in_checkout ? "checkout"
                                                  : "file",
                             printed ? output.printed : output.path},
                            {"tolerance", to_json(output.tolerance)}};
  }
  Json references = Json::object();
  for (const auto& [name, folder] : protocol.references)
    references[name] = folder.lexically_relative(protocol.root).generic_string();
  Json stop = Json::object();
  for (const auto& [id, setting] : protocol.stop) {
    stop[id] = {{"over", setting.value ? Json(*setting.value) : Json()},
                {"off", setting.off},
                {"ask", setting.asked},
                {"because", setting.because}};
  }
  Json drop = Json::object();
  for (const auto& [step, reason] : protocol.gating_drop)
    drop[step] = reason;
  const auto& steps = protocol.steps;
  const auto& limits = protocol.limits;
  return {{"mpsgate", protocol.version},
          {"name", protocol.name},
          {"purpose",
           {{"why", protocol.purpose.why},
            {"macos-required", protocol.purpose.macos_required},
            {"workload", protocol.purpose.workload}}},
          {"repository",
           {{"url", protocol.repository.url},
            {"commit", protocol.repository.commit},
            {"submodules", protocol.repository.submodules},
            {"credential", protocol.repository.credential}}},
          {"environment", environment_json(protocol.environment)},
          {"commands", commands},
          {"devices", devices},
          {"outputs", outputs},
          {"references", references},
          {"files", protocol.files},
          {"steps",
           {{"control", steps.control},
            {"strict", steps.strict},
            {"census", steps.census},
            {"repeat",
             {{"command", steps.repeat}, {"passes", steps.repeat_passes}, {"bitwise", steps.repeat_bitwise}}},
            {"relaunch", steps.relaunch},
            {"export", {{"command", steps.export_command}, {"check", steps.export_check}}}}},
          {"gating", {{"add", protocol.gating_add}, {"drop", drop}}},
          {"stop", stop},
          {"limits",
           {{"command", limits.command_seconds},
            {"silence", limits.silence_seconds},
            {"environment", limits.environment_seconds},
            {"source", limits.source_seconds},
            {"processes", limits.processes},
            {"output", limits.output_bytes},
            {"log", limits.log_bytes}}},
          {"cleanup", {{"delete", protocol.cleanup}}}};
}

}  // namespace mpsgate
