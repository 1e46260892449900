#include "protocol/protocol.h"

namespace mpsgate {
namespace {

Json to_json(const Tolerance& tolerance) {
  return {{"name", tolerance.name},
          {"rtol", tolerance.rtol},
          {"atol", tolerance.atol},
          {"nan", tolerance.nan_equal ? "equal" : "fail"}};
}

Json artefacts_json(const Protocol& protocol, const std::string& kind) {
  Json artefacts = Json::object();
  for (const auto& artefact : protocol.artefacts) {
    if (artefact.kind != kind) continue;
    Json json;
    // The query of a presigned URL is a secret.
    if (!artefact.url.empty()) json["url"] = artefact.url.substr(0, artefact.url.find_first_of("?#"));
    if (!artefact.url_from.empty()) json["url-from"] = artefact.url_from;
    if (!artefact.local.empty())
      json["path"] = artefact.local.lexically_relative(protocol.root).generic_string();
    if (!artefact.checkout.empty()) json["checkout"] = artefact.checkout;
    json["sha256"] = artefact.sha256;
    json["bytes"] = artefact.size ? Json::array({artefact.size->least, artefact.size->most}) : Json();
    json["file"] = artefact.file;
    json["credential"] = artefact.credential;
    json["confidentiality"] = artefact.level;
    artefacts[artefact.name] = std::move(json);
  }
  return artefacts;
}

Json stop_json(const Protocol::Stop& setting) {
  Json allow = Json::object();
  for (const auto& [name, allowed] : setting.allow)
    allow[name] = {{"because", allowed.because}, {"until", allowed.until}};
  return {{"over", setting.value ? Json(*setting.value) : Json()},
          {"off", setting.off},
          {"ask", setting.asked},
          {"because", setting.because},
          {"allow", allow}};
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
                              {"notebook", command.notebook},
                              {"parameters", command.parameters},
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
                            {"json", output.json},
                            {"compare",
                             {{"command", output.script.command},
                              {"printed", output.script.printed},
                              {"at-most", output.script.at_most ? Json(*output.script.at_most) : Json()}}},
                            {"tolerance", to_json(output.tolerance)}};
  }
  Json references = Json::object();
  for (const auto& [name, folder] : protocol.references)
    references[name] = folder.lexically_relative(protocol.root).generic_string();
  Json stop = Json::object();
  for (const auto& [id, setting] : protocol.stop)
    stop[id] = stop_json(setting);
  Json drop = Json::object();
  for (const auto& [step, reason] : protocol.gating_drop)
    drop[step] = reason;
  const auto& steps = protocol.steps;
  const auto& limits = protocol.limits;
  return {
      {"mpsgate", protocol.version},
      {"name", protocol.name},
      {"purpose",
       {{"why", protocol.purpose.why},
        {"macos-required", protocol.purpose.macos_required},
        {"workload", protocol.purpose.workload}}},
      {"repository",
       {{"url", protocol.repository.url},
        {"commit", protocol.repository.commit},
        {"sparse", protocol.repository.sparse},
        {"submodules", protocol.repository.submodules},
        {"credential", protocol.repository.credential}}},
      {"environment", environment_json(protocol.environment)},
      {"weights", artefacts_json(protocol, "weights")},
      {"data", artefacts_json(protocol, "data")},
      {"confidentiality",
       {{"class", protocol.confidentiality.level},
        {"machines", protocol.confidentiality.machines},
        {"allowed-by", protocol.confidentiality.allowed_by},
        {"retention", protocol.confidentiality.retention_seconds}}},
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
        {"sweep", {{"command", steps.sweep}, {"batch", steps.sweep_batch}, {"epochs", steps.sweep_epochs}}},
        {"soak", {{"command", steps.soak}, {"epochs", steps.soak_epochs}, {"batch", steps.soak_batch}}},
        {"speed", steps.speed},
        {"export", {{"command", steps.export_command}, {"check", steps.export_check}}}}},
      {"gating", {{"add", protocol.gating_add}, {"drop", drop}}},
      {"stop", stop},
      {"limits",
       {{"command", limits.command_seconds},
        {"silence", limits.silence_seconds},
        {"environment", limits.environment_seconds},
        {"source", limits.source_seconds},
        {"artefacts", limits.artefacts_seconds},
        {"processes", limits.processes},
        {"output", limits.output_bytes},
        {"log", limits.log_bytes}}},
      {"cleanup", {{"delete", protocol.cleanup}}}};
}

}  // namespace mpsgate
