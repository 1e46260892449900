#include "environment/environment.h"

#include "base/files.h"
#include "base/text.h"
#include "record/draft.h"
#include "sequence/step.h"

namespace mpsgate {

Records run_environment(const Context& context, const Records& so_far) {
  Records records;
  EnvironmentRequest request;
  request.wanted = &context.protocol.environment;
  request.checkout = context.folder.source();
  const Record* tree = last_of(so_far, Kind::note, "source.tree");
  request.tree = tree ? string_at(tree->data, "value") : "";
  request.cache = context.cache;
  request.fresh = context.options.fresh_environment;
  request.cuda = context.options.reference_arm == "cuda";
  request.own = context.own;
  request.logs = context.folder.logs();
  request.seconds = context.protocol.limits.environment_seconds;
  request.say = [&](const std::string& line) { context.progress.say(line); };
  (void)make_folder(context.folder.logs());

  EnvironmentOutcome outcome = provide_environment(context.processes, request);
  std::string reason;
  for (auto& finding : outcome.findings) {
    if (finding.place.file.empty()) finding.place = context.protocol.place_of("environment");
    if (finding.weight.value_or(finding.row->weight) != Weight::note && reason.empty())
      reason = finding.message;
    records.push_back(to_record(finding));
  }
  if (!outcome.environment) {
    if (reason.empty()) reason = "the environment could not be built";
    records.push_back(step_end(StepStatus::failed, reason));
    return records;
  }
  const BuiltEnvironment& built = *outcome.environment;
  if (auto written = write_file(context.folder.environment(), dump_json(built.to_json(), 2) + "\n");
      !written) {
    records.push_back(step_end(StepStatus::error, written.error().text()));
    return records;
  }
  records.push_back(note("environment.python", "interpreter of the environment", built.python.string()));
  records.push_back(note("environment.folder", "environment", built.folder.string()));
  records.push_back(note("environment.state", "hash of its files", built.state));
  records.push_back(note("environment.key", "content key", built.key));
  records.push_back(note("environment.reused", "reused", built.reused));
  records.push_back(
      note("environment.version", "Python", built.python_version + " (" + built.architecture + ")"));
  records.push_back(note("environment.installer", "installer", built.installer));
  records.push_back(note("environment.index", "package index", built.index));
  Json rows = Json::array();
  for (const auto& rewrite : built.rewrites) {
    rows.push_back(
        Json::array({rewrite.from, rewrite.to.empty() ? "left out" : rewrite.to, rewrite.because}));
  }
  if (!rows.empty()) {
    records.push_back(table("environment.rewrites", "What was changed in the lab's requirements",
                            {{"asked for", ""}, {"installed", ""}, {"because", ""}}, std::move(rows)));
  }
  rows = Json::array();
  for (const auto& package : built.packages)
    rows.push_back(Json::array({package.name, package.version, package.wheel_tag}));
  if (!rows.empty())
    records.push_back(table("environment.packages", "Installed packages",
                            {{"package", ""}, {"version", ""}, {"wheel", ""}}, std::move(rows)));
  records.push_back(reason.empty() ? step_end(StepStatus::passed) : step_end(StepStatus::failed, reason));
  return records;
}

}  // namespace mpsgate
