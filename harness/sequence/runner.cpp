#include "sequence/runner.h"

#include "base/files.h"
#include "base/text.h"
#include "base/version.h"
#include "process/interrupt.h"
#include "process/lock.h"
#include "record/draft.h"
#include "record/journal.h"
#include "sequence/findings.h"
#include "verdict/verdict.h"

#include <algorithm>
#include <array>
#include <random>

namespace mpsgate {
namespace {

constexpr double kLockSeconds = 0;

Json options_json(const RunOptions& options) {
  Json sources = Json::object();
  for (const auto& [url, folder] : options.sources)
    sources[url] = folder.string();
  Json artefacts = Json::object();
  for (const auto& [id, path] : options.artefacts)
    artefacts[id] = path.string();
  return {{"reference_arm", options.reference_arm},
          {"keep_going", options.keep_going},
          {"only", options.only},
          {"skip", options.skip},
          {"source", sources},
          {"artefact", artefacts},
          {"fresh_environment", options.fresh_environment}};
}

RunOptions options_from(const Json& start) {
  RunOptions options;
  options.mode = string_at(start, "mode") == "run" ? Mode::run : Mode::rehearse;
  const Json& json = value_at(start, "options");
  options.reference_arm = string_at(json, "reference_arm", "cpu");
  options.keep_going = bool_at(json, "keep_going");
  options.fresh_environment = bool_at(json, "fresh_environment");
  const auto words = [&](const char* key) {
    std::vector<std::string> found;
    for (const auto& word : value_at(json, key)) {
      if (word.is_string()) found.push_back(word.get<std::string>());
    }
    return found;
  };
  options.only = words("only");
  options.skip = words("skip");
  for (const auto& [url, folder] : value_at(json, "source").items()) {
    if (folder.is_string()) options.sources[url] = folder.get<std::string>();
  }
  for (const auto& [id, path] : value_at(json, "artefact").items()) {
    if (path.is_string()) options.artefacts[id] = path.get<std::string>();
  }
  return options;
}

Json criteria_json(const Registry& registry, const Protocol& protocol) {
  static constexpr std::array rules = {"any", "over", "asked", "report"};
  Json criteria = Json::array();
  for (const auto* row : registry.criteria()) {
    const auto stop = protocol.stop.find(row->id);
    const bool set = stop != protocol.stop.end();
    const bool asked = row->rule != CriterionRow::Rule::asked || (set && stop->second.asked);
    criteria.push_back({{"id", row->id},
                        {"cause", name_of(row->cause)},
                        {"route", name_of(row->route)},
                        {"effort", name_of(row->effort)},
                        {"rule", rules[static_cast<std::size_t>(row->rule)]},
                        {"value", set && stop->second.value ? *stop->second.value : row->value},
                        {"unit", row->unit},
                        {"title", row->title},
                        {"in_force", asked && !(set && stop->second.off)},
                        {"because", set ? stop->second.because : ""}});
  }
  return criteria;
}

Json start_data(const Protocol& protocol, const RunOptions& options, const RunFolder& folder,
                const Surroundings& around, const std::vector<PlannedStep>& plan, const std::string& scope) {
  Json steps = Json::array();
  for (const auto& step : plan) {
    steps.push_back({{"id", step.row->id},
                     {"number", step.row->number},
                     {"title", step.row->title},
                     {"establishes", step.row->establishes},
                     {"gating", step.gating},
                     {"selected", step.selected},
                     {"why", step.why},
                     {"dropped", step.dropped},
                     {"line", protocol.place_of("steps." + std::string(step.row->id)).line}});
  }
  Json commands = Json::array();
  for (const auto& command : protocol.commands)
    commands.push_back(command.name);
  return {{"mode", name_of(options.mode)},
          {"scope", scope},
          {"name", protocol.name},
          {"run", folder.root().filename().string()},
          {"protocol", to_json(protocol)},
          {"protocol_file", protocol.file.string()},
          {"protocol_root", protocol.root.string()},
          {"protocol_sha256", protocol.sha256},
          {"tool", {{"name", "mpsgate"}, {"version", kVersion}}},
          {"versions", {{"record", kRecordVersion}, {"report", 1}}},
          {"evaluated", utc_date(around.clock.now_ms())},
          {"history", Json::array()},
          {"options", options_json(options)},
          {"steps", steps},
          {"criteria", criteria_json(around.registry, protocol)},
          {"commands", commands}};
}

/// One execution of the sequence over a journal: the rest of it, after a resume.
class Runner {
 public:
  Runner(const Protocol& protocol, const RunOptions& options, const RunFolder& folder,
         const Surroundings& around, std::vector<PlannedStep> plan, std::string scope, Journal& journal)
      : around_(around),
        plan_(std::move(plan)),
        journal_(journal),
        context_{protocol,        options,    folder,       around.registry,  around.processes, around.clock,
                 around.progress, around.own, around.cache, std::move(scope), around.machine},
        started_(around.clock.seconds()),
        children_(around.child_seconds()) {}

  Result<void> go() {
    for (const auto& step : plan_) {
      if (!step.selected || finished(step.row->id)) continue;
      if (Interrupt::signal() != 0) break;
      MPSGATE_TRY(execute(step));
    }
    if (const int signal = Interrupt::signal(); signal != 0) {
      Record record;
      record.kind = Kind::run;
      record.id = "run.interrupt";
      record.data = {{"signal", signal}};
      MPSGATE_TRY(journal_.append("", std::move(record)));
      return journal_.sync();
    }
    Record end;
    end.kind = Kind::run;
    end.id = "run.end";
    end.data = {{"seconds", around_.clock.seconds() - started_},
                {"child_seconds", around_.child_seconds() - children_}};
    MPSGATE_TRY(journal_.append("", std::move(end)));
    return journal_.sync();
  }

 private:
  bool finished(std::string_view id) const {
    return last_of(journal_.records(), Kind::step, "end", id) != nullptr;
  }

  /// Why a step is not executed now; empty when it is.
  std::string obstacle(const PlannedStep& step) const {
    if (!step.why.empty()) return step.why;
    const std::string_view id = step.row->id;
    if (id == "cleanup" || id == "host") return {};
    const Verdict verdict = decide(journal_.records());
    if (context_.options.mode == Mode::run && !context_.options.keep_going) {
      if (verdict.decision == Decision::abort && !(id == "census" && verdict.rule == 4))
        return "the verdict stands: abort, " + verdict.because;
      if (const Record* finding = last_of(journal_.records(), Kind::finding, "machine.no-mps")) {
        return "no usable mps device: " + string_at(finding->data, "message");
      }
    }
    for (const auto need : needs_of(step)) {
      const Record* end = last_of(journal_.records(), Kind::step, "end", need);
      const std::string status = end ? string_at(end->data, "status") : "";
      if (status == "passed" || dropped(need)) continue;
      return "needs " + std::string(need) + ", which " +
             (end ? (status == "skipped" ? "was skipped" : "did not pass") : "was left out");
    }
    return {};
  }

  /// On a device of their own the later steps build on strict.
  std::vector<std::string_view> needs_of(const PlannedStep& step) const {
    auto needs = mpsgate::needs_of(*step.row, context_.protocol);
    const std::string_view id = step.row->id;
    if (context_.device_arm() == "mps" &&
        (id == "repeat" || id == "parity" || id == "export" || id == "relaunch"))
      needs.push_back("strict");
    return needs;
  }

  bool dropped(std::string_view id) const {
    return std::any_of(plan_.begin(), plan_.end(),
                       [&](const auto& step) { return step.row->id == id && !step.dropped.empty(); });
  }

  Result<void> execute(const PlannedStep& step) {
    const std::string id = step.row->id;
    around_.progress.step_began(id, step.row->establishes);
    Record begin;
    begin.kind = Kind::step;
    begin.id = "begin";
    MPSGATE_TRY(journal_.append(id, std::move(begin)));

    const double started = around_.clock.seconds();
    const double children = around_.child_seconds();
    const std::string why = obstacle(step);
    Records emitted = why.empty() ? guarded(*step.row) : Records{step_end(StepStatus::skipped, why)};
    // An interrupted step has not ended: a resume repeats it, and nothing it saw may count.
    if (Interrupt::signal() != 0 && why.empty()) return journal_.sync();

    emitted.back().data["seconds"] = around_.clock.seconds() - started;
    emitted.back().data["child_seconds"] = around_.child_seconds() - children;
    for (const auto& record : emitted)
      MPSGATE_TRY(journal_.append(id, record));
    MPSGATE_TRY(journal_.sync());
    around_.progress.step_ended(journal_.records().back(), emitted);
    return {};
  }

  /// A bug in a step ends the step, never the report.
  Records guarded(const StepRow& row) const {
    try {
      Records records = row.function(context_, journal_.records());
      if (records.empty() || records.back().kind != Kind::step || records.back().id != "end") {
        records.push_back(step_end(StepStatus::error, "the step returned no end: a bug in mpsgate"));
      }
      for (const auto& record : records) {
        if (record.kind == Kind::finding && !around_.registry.finding(record.id)) {
          return {step_end(StepStatus::error,
                           "the step raised the undeclared finding " + record.id + ": a bug in mpsgate")};
        }
      }
      return records;
    } catch (const std::exception& error) {
      Finding finding = sequence_finding(
          "step.error", "internal error in step " + std::string(row.id) + ": " + one_line(error.what()));
      finding.remedy = "this is a bug in mpsgate: please report it with the run directory";
      return {to_record(finding), step_end(StepStatus::error, finding.message)};
    }
  }

  const Surroundings& around_;
  std::vector<PlannedStep> plan_;
  Journal& journal_;
  Context context_;
  double started_, children_;
};

}  // namespace

std::string scope_of(const RunOptions& options) {
  return options.mode == Mode::run ? "mps" : "cpu";
}

std::string new_run_id(const std::string& protocol_name, const Clock& clock) {
  std::string stamp = utc_text(clock.now_ms()).substr(0, 19);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  stamp[8] = '-';
  std::random_device random;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string tail;
  for (int i = 0; i < 6; ++i)
    tail += digits[random() % 16];
  return protocol_name + "-" + stamp + "-" + tail;
}

Result<Records> start_run(const Protocol& protocol, const RunOptions& options, const RunFolder& folder,
                          const Surroundings& around) {
  const std::string scope = scope_of(options);
  MPSGATE_ASSIGN(auto plan, plan_steps(protocol, options, scope, around.steps));
  if (!anything_selected(plan)) {
    return fail("nothing.selected", "no step of the sequence is left to run",
                "loosen --only and --skip, or see --plan");
  }
  MPSGATE_TRY(make_folder(folder.root()));
  MPSGATE_ASSIGN(const FileLock lock, FileLock::take(folder.lock(), kLockSeconds));
  MPSGATE_TRY(write_file(folder.protocol(), protocol.text));
  MPSGATE_ASSIGN(Journal journal, Journal::open(folder.journal(), around.clock));
  Record start;
  start.kind = Kind::run;
  start.id = "run.start";
  start.data = start_data(protocol, options, folder, around, plan, scope);
  MPSGATE_TRY(journal.append("", std::move(start)));
  MPSGATE_TRY(journal.sync());
  around.progress.run_began(journal.records().front());
  MPSGATE_TRY(Runner(protocol, options, folder, around, std::move(plan), scope, journal).go());
  return journal.records();
}

Result<Records> resume_run(const RunFolder& folder, const Surroundings& around) {
  if (!fs::exists(folder.journal())) {
    return fail("resume.not-a-run",
                folder.root().string() + " is not a run directory: it has no journal.jsonl",
                "give the directory of a run");
  }
  MPSGATE_ASSIGN(const FileLock lock, FileLock::take(folder.lock(), kLockSeconds));
  MPSGATE_ASSIGN(Journal journal, Journal::open(folder.journal(), around.clock));
  if (journal.records().empty() || journal.records().front().id != "run.start") {
    return fail("resume.not-a-run", folder.journal().string() + " does not begin with run.start",
                "the run was killed before it began: start a new one");
  }
  if (last_of(journal.records(), Kind::run, "run.end")) return journal.records();
  const Json start = journal.records().front().data;
  MPSGATE_ASSIGN(const std::string text, read_file(folder.protocol()));
  Reading reading = read_protocol(text, string_at(start, "protocol_file"), string_at(start, "protocol_root"),
                                  around.registry);
  if (!reading.protocol || reading.protocol->sha256 != string_at(start, "protocol_sha256")) {
    return fail("resume.protocol-changed",
                folder.protocol().string() + " is not the protocol that the run began with",
                "start a new run");
  }
  const RunOptions options = options_from(start);
  const std::string scope = string_at(start, "scope");
  MPSGATE_ASSIGN(auto plan, plan_steps(*reading.protocol, options, scope, around.steps));
  Record resume;
  resume.kind = Kind::run;
  resume.id = "run.resume";
  resume.data = {{"options", options_json(options)}};
  MPSGATE_TRY(journal.append("", std::move(resume)));
  around.progress.run_began(journal.records().front());
  MPSGATE_TRY(Runner(*reading.protocol, options, folder, around, std::move(plan), scope, journal).go());
  return journal.records();
}

}  // namespace mpsgate
