#include "verdict/evidence.h"

#include "base/text.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace mpsgate {
namespace {

std::string line_at(const Json& json, const char* key) {
  return one_line(string_at(json, key), 1000);
}

/// Elements of json[key] where that is an array; else none.
std::vector<Json> elements_at(const Json& json, const char* key) {
  const Json& value = value_at(json, key);
  return value.is_array() ? std::vector<Json>(value.begin(), value.end()) : std::vector<Json>();
}

/// As it is written on a command line from the protocol's root: a run is repeated on other machines.
std::string portable_path(const std::string& file, const std::string& root) {
  const auto relative = std::filesystem::path(file).lexically_relative(root);
  if (root.empty() || relative.empty() || *relative.begin() == "..") return one_line(file, 1000);
  return one_line(relative.generic_string(), 1000);
}

int whole_at(const Json& json, const char* key) {
  const double value = number_at(json, key);
  return value > 0 && value < 1e6 ? static_cast<int>(value) : 0;
}

void read_start(const Json& data, Evidence& evidence) {
  evidence.started = true;
  evidence.mode = string_at(data, "mode", "rehearse");
  evidence.scope = line_at(data, "scope");
  evidence.name = line_at(data, "name");
  evidence.run = line_at(data, "run");
  evidence.protocol_file = portable_path(string_at(data, "protocol_file"), string_at(data, "protocol_root"));
  const Json& purpose = value_at(value_at(data, "protocol"), "purpose");
  evidence.why = line_at(purpose, "why");
  evidence.workload = line_at(purpose, "workload");
  // The resolved protocol may keep the keys as they are written in YAML.
  evidence.macos_required = bool_at(purpose, "macos_required", bool_at(purpose, "macos-required"));
  for (const auto& row : elements_at(data, "steps")) {
    PlannedOutcome step;
    step.id = string_at(row, "id");
    step.title = line_at(row, "title");
    step.gating = bool_at(row, "gating");
    step.selected = bool_at(row, "selected", true);
    step.why = line_at(row, "why");
    step.dropped = line_at(row, "dropped");
    if (step.title.empty()) step.title = one_line(step.id);
    evidence.steps.push_back(std::move(step));
  }
  for (const auto& row : elements_at(data, "criteria")) {
    CriterionInForce criterion;
    criterion.id = string_at(row, "id");
    criterion.cause = line_at(row, "cause");
    criterion.route = line_at(row, "route");
    criterion.effort = line_at(row, "effort");
    criterion.rule = string_at(row, "rule", "any");
    criterion.value = number_at(row, "value");
    criterion.unit = line_at(row, "unit");
    criterion.title = line_at(row, "title");
    criterion.in_force = bool_at(row, "in_force", true);
    criterion.because = line_at(row, "because");
    evidence.criteria.push_back(std::move(criterion));
  }
  for (const auto& command : elements_at(data, "commands")) {
    if (command.is_string()) evidence.commands.push_back(command.get<std::string>());
  }
}

}  // namespace

std::string PlannedOutcome::obstacle() const {
  if (passed()) return {};
  if (!selected) return why.empty() ? "left out of this run" : why;
  if (ended) return reason.empty() ? "ended " + one_line(status) : reason;
  if (!why.empty()) return why;
  return began ? "has begun and not ended" : "has not run yet";
}

std::vector<const Record*> standing_records(const Records& records) {
  std::map<std::string, std::size_t> last_begin;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].kind == Kind::step && records[i].id == "begin") last_begin[records[i].step] = i;
  }
  std::vector<const Record*> standing;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    const auto begin = last_begin.find(record.step);
    if (record.kind == Kind::run || begin == last_begin.end() || i >= begin->second)
      standing.push_back(&record);
  }
  return standing;
}

const PlannedOutcome* Evidence::step(std::string_view id) const {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const auto& step) { return step.id == id; });
  return found == steps.end() ? nullptr : &*found;
}

std::size_t Evidence::order_of(std::string_view id) const {
  const auto found =
      std::find_if(criteria.begin(), criteria.end(), [&](const auto& row) { return row.id == id; });
  return static_cast<std::size_t>(found - criteria.begin());
}

const CriterionInForce* Evidence::criterion(std::string_view id) const {
  const std::size_t order = order_of(id);
  return order < criteria.size() ? &criteria[order] : nullptr;
}

Evidence read_evidence(const Records& records) {
  Evidence evidence;
  evidence.standing = standing_records(records);
  std::map<std::string, std::size_t> index;
  for (const Record* record : evidence.standing) {
    if (record->kind == Kind::run) {
      if (record->id == "run.start" && !evidence.started) {
        read_start(record->data, evidence);
        for (std::size_t i = 0; i < evidence.steps.size(); ++i)
          index.emplace(evidence.steps[i].id, i);
      } else if (record->id == "run.interrupt") {
        evidence.interrupted = whole_at(record->data, "signal");
        if (evidence.interrupted == 0) evidence.interrupted = 15;
      } else if (record->id == "run.resume") {
        evidence.interrupted = 0;
      } else if (record->id == "run.end") {
        evidence.finished = true;
      }
    } else if (record->kind == Kind::step) {
      const auto found = index.find(record->step);
      if (found == index.end()) continue;
      PlannedOutcome& step = evidence.steps[found->second];
      if (record->id == "begin") step.began = true;
      if (record->id == "end") {
        step.ended = true;
        step.status = string_at(record->data, "status", "error");
        step.reason = line_at(record->data, "reason");
      }
    }
  }
  return evidence;
}

}  // namespace mpsgate
