#include "environment/environment.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "environment/builder.h"
#include "environment/dist_info.h"
#include "environment/findings.h"
#include "process/lock.h"
#include "process/variables.h"

namespace mpsgate {
namespace {

constexpr int kFormat = 1;  ///< of an environment's folder; part of the key
constexpr const char* kMarker = "mpsgate.json";

std::string content_key(const EnvironmentRequest& request, const BuildPlan& plan) {
  Json key = {{"format", kFormat},
              {"python",
               {plan.interpreter.path.string(), plan.interpreter.version, plan.interpreter.architecture,
                plan.interpreter.platform}},
              {"pip", plan.interpreter.pip},
              {"constraint", plan.torch.constraint},
              {"requirements", Json::array()},
              {"rewrites", Json::array()},
              {"index", Json::object()}};
  bool local = !request.wanted->install.empty();
  for (const auto& requirement : plan.requirements) {
    key["requirements"].push_back(requirement.text);
    local = local || requirement.name.empty();
  }
  for (const auto& rewrite : plan.rewrites)
    key["rewrites"].push_back({rewrite.from, rewrite.to});
  for (const auto& [name, value] : without_credentials(request.own)) {
    if (name.starts_with("PIP_") && name != "PIP_CACHE_DIR") key["index"][name] = value;
  }
  if (local) key["tree"] = {request.tree, request.wanted->install};
  return sha256_of(dump_json(key)).substr(0, 32);
}

Json finding_json(const Finding& finding) {
  return {{"id", finding.row->id},
          {"message", finding.message},
          {"file", finding.place.file},
          {"line", finding.place.line},
          {"evidence", finding.evidence}};
}

Finding finding_from(const Json& json) {
  Finding finding = environment_finding(string_at(json, "id"), string_at(json, "message"));
  finding.place = {string_at(json, "file"), static_cast<int>(number_at(json, "line")), 0};
  for (const auto& line : value_at(json, "evidence")) {
    if (line.is_string()) finding.evidence.push_back(line.get<std::string>());
  }
  return finding;
}

/// One note for all changes; the table in the record has the details.
void note_rewrites(const std::vector<Rewrite>& rewrites, std::vector<Finding>& findings) {
  if (rewrites.empty()) return;
  Finding finding = environment_finding(
      "environment.rewritten", std::to_string(rewrites.size()) +
                                   (rewrites.size() == 1 ? " requirement was" : " requirements were") +
                                   " changed or left out");
  for (const auto& rewrite : rewrites)
    finding.evidence.push_back(one_line(
        rewrite.from + " → " + (rewrite.to.empty() ? "left out" : rewrite.to) + ": " + rewrite.because));
  findings.push_back(std::move(finding));
}

}  // namespace

Json BuiltEnvironment::to_json() const {
  Json listed = Json::array(), changed = Json::array();
  for (const auto& package : packages)
    listed.push_back({{"name", package.name}, {"version", package.version}, {"wheel", package.wheel_tag}});
  for (const auto& rewrite : rewrites)
    changed.push_back({{"from", rewrite.from}, {"to", rewrite.to}, {"because", rewrite.because}});
  return {{"key", key},
          {"folder", folder.string()},
          {"python", python.string()},
          {"python_version", python_version},
          {"architecture", architecture},
          {"installer", installer},
          {"index", index},
          {"packages", listed},
          {"rewrites", changed}};
}

std::string environment_state(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kMarker, error)) return {};
  std::string text;
  for (const auto& package : installed_packages(folder))
    text += package.name + "==" + package.version + "\n";
  return sha256_of(text);
}

EnvironmentOutcome provide_environment(ProcessRunner& processes, const EnvironmentRequest& request) {
  EnvironmentOutcome outcome;
  const auto give_up = [&](Finding finding) {
    outcome.findings.push_back(std::move(finding));
    return outcome;
  };
  BuildPlan plan;
#ifndef __APPLE__
  plan.linux_cpu_build = request.rehearsal;
#endif
  const auto interpreter = find_interpreter(processes, request.wanted->python, request.own);
  if (!interpreter) {
    Finding finding = environment_finding(
        "environment.python-missing",
        request.wanted->python.empty() ? "there is no Python of 3.9 or newer on this machine"
                                       : "there is no Python " + request.wanted->python + " on this machine");
    finding.remedy = installation_advice(request.wanted->python);
    return give_up(std::move(finding));
  }
  plan.interpreter = *interpreter;
  auto wanted = wanted_packages(*request.wanted, request.checkout);
  if (!wanted) {
    Finding finding = environment_finding("environment.file-missing", wanted.error().message);
    if (!wanted.error().advice.empty()) finding.remedy = wanted.error().advice;
    return give_up(std::move(finding));
  }
  plan.requirements = std::move(wanted->requirements);
  plan.rewrites = std::move(wanted->rewrites);
  plan.torch = pin_torch(plan.requirements, plan.rewrites, plan.linux_cpu_build);
  if (plan.torch.unpinned) {
    return give_up(environment_finding("environment.torch-unpinned",
                                       "the requirement \"" + one_line(*plan.torch.unpinned) +
                                           "\" does not say which release of torch is judged"));
  }

  BuiltEnvironment built;
  built.key = content_key(request, plan);
  const fs::path root = request.cache / "environments";
  plan.folder = built.folder = root / built.key;
  const auto lock = FileLock::take(root / (built.key + ".lock"), request.seconds);
  if (!lock)
    return give_up(environment_finding(
        "environment.timeout", "another mpsgate has been building the same environment for too long"));
  built.python = built.folder / "bin" / "python";
  built.python_version = interpreter->version;
  built.architecture = interpreter->architecture;
  built.rewrites = plan.rewrites;

  const fs::path marker = built.folder / kMarker;
  std::error_code error;
  if (!request.fresh && fs::exists(marker, error) && fs::exists(built.python, error)) {
    if (const auto text = read_file(marker)) {
      if (const auto json = parse_json(*text, marker.string());
          json && string_at(*json, "key") == built.key) {
        built.reused = true;
        built.installer = string_at(*json, "installer");
        built.index = string_at(*json, "index");
        for (const auto& finding : value_at(*json, "findings"))
          outcome.findings.push_back(finding_from(finding));
        built.packages = installed_packages(built.folder);
        note_rewrites(plan.rewrites, outcome.findings);
        outcome.environment = std::move(built);
        return outcome;
      }
    }
  }
  Builder builder(processes, request, plan);
  outcome.findings = builder.build();
  if (!builder.complete()) {
    (void)remove_tree(built.folder);
    (void)remove_tree(built.folder.string() + ".build");
    note_rewrites(plan.rewrites, outcome.findings);
    return outcome;
  }
  built.installer = builder.installer();
  built.index = hide_credentials(builder.index());
  built.packages = installed_packages(built.folder);
  Json json = built.to_json();
  json["findings"] = Json::array();
  for (const auto& finding : outcome.findings)
    json["findings"].push_back(finding_json(finding));
  if (const auto written = write_file(marker, dump_json(json, 2) + "\n"); !written) {
    return give_up(environment_finding(
        written.error().code == "disk.full" ? "environment.disk-full" : "environment.failed",
        written.error().message));
  }
  note_rewrites(plan.rewrites, outcome.findings);
  outcome.environment = std::move(built);
  return outcome;
}

}  // namespace mpsgate
