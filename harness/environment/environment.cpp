#include "environment/environment.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "environment/builder.h"
#include "environment/dist_info.h"
#include "environment/findings.h"
#include "environment/key.h"
#include "process/lock.h"
#include "process/variables.h"

#include <chrono>
#include <set>

namespace mpsgate {
namespace {

constexpr const char* kMarker = "complete.json";
/// An earlier build of the same key is deleted when nothing has used it for this long.
constexpr auto kUnusedFor = std::chrono::hours(7 * 24);

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
void note_rewrites(const BuildPlan& plan, std::vector<Finding>& findings) {
  if (plan.rewrites.empty() && plan.unused_drops.empty()) return;
  const std::size_t count = plan.rewrites.size();
  Finding finding =
      environment_finding("environment.rewritten",
                          std::to_string(count) + (count == 1 ? " requirement was" : " requirements were") +
                              " changed or left out");
  for (const auto& rewrite : plan.rewrites)
    finding.evidence.push_back(one_line(
        rewrite.from + " → " + (rewrite.to.empty() ? "left out" : rewrite.to) + ": " + rewrite.because));
  for (const auto& name : plan.unused_drops)
    finding.evidence.push_back(
        one_line("drop: " + name +
                 " changes nothing: no file asks for it by name, and what another package needs is kept"));
  findings.push_back(std::move(finding));
}

/// Where builds of one key lie: KEY, then KEY-2, KEY-3 … for those built fresh.
class Builds {
 public:
  Builds(fs::path root, std::string key) : root_(std::move(root)), key_(std::move(key)) {
    std::error_code error;
    while (fs::exists(folder(count_ + 1), error))
      ++count_;
  }
  fs::path newest_complete() const {
    std::error_code error;
    for (int n = count_; n > 0; --n) {
      if (fs::exists(folder(n) / kMarker, error) && fs::exists(folder(n) / "bin" / "python", error))
        return folder(n);
    }
    return {};
  }
  /// The folder for a new build: the first that no complete build holds.
  fs::path next() const {
    std::error_code error;
    for (int n = 1; n <= count_; ++n) {
      if (!fs::exists(folder(n) / kMarker, error)) return folder(n);
    }
    return folder(count_ + 1);
  }
  /// Deletes complete builds other than `kept` that nothing has used lately.
  void delete_unused(const fs::path& kept) const {
    std::error_code error;
    for (int n = 1; n <= count_; ++n) {
      if (folder(n) == kept) continue;
      const auto used = fs::last_write_time(folder(n) / kMarker, error);
      if (!error && fs::file_time_type::clock::now() - used > kUnusedFor) (void)remove_tree(folder(n));
    }
  }

 private:
  fs::path folder(int n) const { return root_ / (n == 1 ? key_ : key_ + "-" + std::to_string(n)); }
  fs::path root_;
  std::string key_;
  int count_ = 0;
};

/// What can be imported: the names at the top of site-packages, with sizes and times of files. All files of a
/// torch would take longer to look at than the rest of the harness works.
std::string top_state(const fs::path& folder) {
  std::set<std::string> lines;
  std::error_code error;
  for (const auto& python : fs::directory_iterator(folder / "lib", error)) {
    for (const auto& entry : fs::directory_iterator(python.path() / "site-packages", error)) {
      std::string line = entry.path().filename().string();
      if (line == "__pycache__") continue;
      if (const auto state = file_state(entry.path()); state && entry.is_regular_file(error))
        line += " " + std::to_string(state->size) + " " + std::to_string(state->modified_ns);
      lines.insert(line);
    }
  }
  return sha256_of(join({lines.begin(), lines.end()}, "\n"));
}

/// What the marker of a complete build says; false when it is not one of this key.
bool read_marker(BuiltEnvironment& built, std::vector<Finding>& findings, std::vector<Rewrite>& rewrites) {
  const auto text = read_file(built.folder / kMarker);
  if (!text) return false;
  const auto json = parse_json(*text, "the environment's marker");
  if (!json || string_at(*json, "key") != built.key) return false;
  // The environment is shared: what some lab left in it must not pass for installed.
  built.state = string_at(*json, "state");
  if (built.state != top_state(built.folder)) return false;
  built.installer = string_at(*json, "installer");
  built.index = string_at(*json, "index");
  rewrites.clear();
  for (const auto& entry : value_at(*json, "rewrites"))
    rewrites.push_back({string_at(entry, "from"), string_at(entry, "to"), string_at(entry, "because")});
  for (const auto& entry : value_at(*json, "findings")) {
    for (const auto& row : environment_findings()) {
      if (row.id == string_at(entry, "id")) findings.push_back(finding_from(entry));
    }
  }
  return true;
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
  return fs::exists(folder / kMarker, error) ? top_state(folder) : std::string();
}

namespace {

Result<BuildPlan> plan_of(const EnvironmentRequest& request, const Interpreter& interpreter) {
  BuildPlan plan;
#ifndef __APPLE__
  plan.linux_cpu_build = !request.cuda;
#endif
  plan.interpreter = interpreter;
  plan.install = request.wanted->install;
  MPSGATE_ASSIGN(auto wanted, wanted_packages(*request.wanted, request.checkout));
  plan.requirements = std::move(wanted.requirements);
  plan.rewrites = std::move(wanted.rewrites);
  plan.unused_drops = std::move(wanted.unused);
  plan.own_index = wanted.own_index;
  plan.torch = pin_torch(plan.requirements, plan.rewrites, plan.linux_cpu_build);
  return plan;
}

Finding python_missing(const EnvironmentRequest& request, const std::optional<Interpreter>& found) {
  const std::string& wanted = request.wanted->python;
  std::string message =
      "there is no Python " + (wanted.empty() ? "3.9 or newer" : wanted) + " on this machine";
  if (found)
    message = "Python " + found->version + " at " + found->path.string() +
              " is built for x86_64: it runs under Rosetta, where torch has no mps";
  Finding finding = environment_finding("environment.python-missing", std::move(message));
  finding.remedy = installation_advice(wanted);
  return finding;
}

/// One process at a time builds or looks for the environment of a key.
Result<FileLock> take_turn(const EnvironmentRequest& request, const fs::path& path) {
  if (auto lock = FileLock::take(path, 0); lock || lock.error().code != "lock.busy") return lock;
  if (request.say) request.say("waiting: another mpsgate builds the same environment");
  return FileLock::take(path, request.seconds);
}

}  // namespace

EnvironmentOutcome provide_environment(ProcessRunner& processes, const EnvironmentRequest& given) {
  EnvironmentRequest request = given;
  request.cache = fs::absolute(given.cache);  // children work in folders of their own
  request.logs = fs::absolute(given.logs);
  EnvironmentOutcome outcome;
  const auto give_up = [&](Finding finding) {
    outcome.findings.push_back(std::move(finding));
    return outcome;
  };
  const auto interpreter = find_interpreter(processes, request.wanted->python, request.own);
  if (!interpreter || interpreter->mac_without_mps()) return give_up(python_missing(request, interpreter));
  auto planned = plan_of(request, *interpreter);
  if (!planned) {
    const bool missing = planned.error().code == "environment.file-missing";
    Finding finding = environment_finding(missing ? "environment.file-missing" : "environment.file-refused",
                                          planned.error().message);
    finding.place = planned.error().place;
    if (!planned.error().advice.empty()) finding.remedy = planned.error().advice;
    return give_up(std::move(finding));
  }
  BuildPlan& plan = *planned;
  // The lab's own packages may still name a release.
  if (plan.torch.unpinned && !plan.local_packages()) return give_up(torch_unpinned(*plan.torch.unpinned));

  BuiltEnvironment built;
  built.key = content_key(request, plan);
  built.python_version = interpreter->version;
  built.architecture = interpreter->architecture;
  const fs::path root = request.cache / "environments";
  const double before = SystemClock().seconds();
  const auto lock = take_turn(request, root / (built.key + ".lock"));
  request.seconds -= SystemClock().seconds() - before;
  if (!lock) {
    return give_up(
        environment_finding(lock.error().code == "lock.busy" ? "environment.timeout" : "environment.failed",
                            lock.error().message));
  }
  const auto finish = [&](const fs::path& folder) {
    built.folder = folder;
    built.python = folder / "bin" / "python";
    built.packages = installed_packages(folder);
    built.rewrites = plan.rewrites;
    note_rewrites(plan, outcome.findings);
    outcome.environment = std::move(built);
    return outcome;
  };
  const Builds builds(root, built.key);
  built.folder = builds.newest_complete();
  if (!request.fresh && !built.folder.empty() && read_marker(built, outcome.findings, plan.rewrites)) {
    built.reused = true;
    std::error_code error;
    fs::last_write_time(built.folder / kMarker, fs::file_time_type::clock::now(), error);
    return finish(built.folder);
  }

  plan.folder = builds.next();
  Builder builder(processes, request, plan);
  outcome.findings = builder.build();
  if (!builder.complete()) {
    (void)remove_tree(plan.folder);
    (void)remove_tree(builder.scratch());
    note_rewrites(plan, outcome.findings);
    return outcome;
  }
  built.installer = builder.installer();
  built.index = builder.index();
  const std::vector<Finding> lasting = outcome.findings;
  finish(plan.folder);
  Json json = outcome.environment->to_json();
  json["state"] = outcome.environment->state = top_state(plan.folder);
  json["findings"] = Json::array();
  for (const auto& finding : lasting)
    json["findings"].push_back(finding_json(finding));
  if (const auto written = write_file(plan.folder / kMarker, dump_json(json, 2) + "\n"); !written) {
    outcome.environment.reset();
    return give_up(environment_finding(
        written.error().code == "disk.full" ? "environment.disk-full" : "environment.failed",
        written.error().message));
  }
  builds.delete_unused(plan.folder);
  return outcome;
}

}  // namespace mpsgate
