#include "reports/model.h"

#include "reports/escape.h"
#include "verdict/evidence.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mpsgate {
namespace {

constexpr std::size_t kLongLine = 8000;
constexpr std::size_t kTailLines = 40;
constexpr std::size_t kEvidenceLines = 100;

std::string text_at(const Json& json, const char* key, std::size_t limit = 1000) {
  return harmless(string_at(json, key), limit);
}

int whole_at(const Json& json, const char* key) {
  const double value = number_at(json, key);
  return value > 0 && value < 1e9 ? static_cast<int>(value) : 0;
}

/// A duration as reports can print it.
double seconds_at(const Json& json, const char* key) {
  const double value = number_at(json, key);
  return value > 0 && value < 1e9 ? value : 0;
}

std::vector<std::string> log_lines_at(const Json& json, const char* key, std::size_t most) {
  std::vector<std::string> lines;
  const Json& value = value_at(json, key);
  if (!value.is_array()) return lines;
  for (const auto& line : value) {
    if (line.is_string() && lines.size() < most) lines.push_back(harmless_log_line(line.get<std::string>()));
  }
  return lines;
}

/// Scalars as they are, with harmless text; anything else as its text.
Json scalar(const Json& json) {
  if (json.is_string()) return harmless(json.get<std::string>());
  if (json.is_number_float()) return json_number(json.get<double>());
  if (json.is_primitive()) return json.is_binary() ? Json(nullptr) : json;
  return harmless(dump_json(json));
}

/// A whole value of the protocol's, texts made harmless; nested deeper than any protocol, it is cut off.
Json harmless_json(const Json& json, int depth = 0) {
  if (depth > 16) return nullptr;
  if (json.is_object()) {
    Json object = Json::object();
    for (const auto& [key, value] : json.items())
      object[harmless(key)] = harmless_json(value, depth + 1);
    return object;
  }
  if (json.is_array()) {
    Json array = Json::array();
    for (const auto& value : json)
      array.push_back(harmless_json(value, depth + 1));
    return array;
  }
  return scalar(json);
}

void make_harmless(std::string& text) {
  text = harmless(text);
}

void make_harmless(std::vector<Reason>& reasons) {
  for (auto& reason : reasons) {
    for (auto* text : {&reason.id, &reason.title, &reason.message, &reason.cause, &reason.route,
                       &reason.effort, &reason.who, &reason.basis, &reason.step, &reason.arm, &reason.command,
                       &reason.output, &reason.place, &reason.remedy}) {
      make_harmless(*text);
    }
  }
}

Verdict harmless_verdict(Verdict verdict) {
  for (auto* text :
       {&verdict.scope, &verdict.because, &verdict.cause, &verdict.route, &verdict.effort, &verdict.who})
    make_harmless(*text);
  for (auto* reasons : {&verdict.reasons, &verdict.unproven, &verdict.notes})
    make_harmless(*reasons);
  for (auto& sentence : verdict.next)
    make_harmless(sentence);
  for (auto* steps : {&verdict.not_established, &verdict.dropped}) {
    for (auto& [step, why] : *steps) {
      make_harmless(step);
      make_harmless(why);
    }
  }
  for (auto& of : verdict.commands) {
    for (auto* text : {&of.command, &of.because, &of.cause, &of.route})
      make_harmless(*text);
  }
  return verdict;
}

ReportOrigin origin_of(const Record& record) {
  return {harmless(record.step),          harmless(record.id),
          harmless(record.arm),           text_at(record.data, "command"),
          text_at(record.data, "output"), record.pass};
}

ReportFinding finding_of(const Record& record) {
  const Json& data = record.data;
  ReportFinding finding;
  finding.origin = origin_of(record);
  finding.title = text_at(data, "title");
  finding.message = text_at(data, "message");
  finding.cause = text_at(data, "cause");
  finding.basis = text_at(data, "basis");
  finding.weight = text_at(data, "weight");
  finding.who = text_at(data, "who");
  finding.remedy = text_at(data, "remedy");
  const Json& place = value_at(data, "place");
  finding.place = {text_at(place, "file"), whole_at(place, "line"), whole_at(place, "column")};
  finding.evidence = log_lines_at(data, "evidence", kEvidenceLines);
  return finding;
}

ReportTable table_of(const Record& record) {
  ReportTable table;
  table.origin = origin_of(record);
  table.title = text_at(record.data, "title");
  const Json& columns = value_at(record.data, "columns");
  if (columns.is_array()) {
    for (const auto& column : columns)
      table.columns.emplace_back(text_at(column, "name"), text_at(column, "unit"));
  }
  const Json& rows = value_at(record.data, "rows");
  if (!rows.is_array()) return table;
  for (const auto& row : rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      cells.push_back(row.is_array() && i < row.size() ? scalar(row[i]) : Json(nullptr));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

ReportSeries series_of(const Record& record) {
  ReportSeries series;
  series.origin = origin_of(record);
  series.unit = text_at(record.data, "unit");
  const Json& values = value_at(record.data, "values");
  if (values.is_array()) {
    for (const auto& value : values)
      series.values.push_back(number_of(value, std::nan("")));
  }
  return series;
}

void read_start(const Record& record, Report& report) {
  const Json& data = record.data;
  report.name = text_at(data, "name", 200);
  report.run = text_at(data, "run");
  report.mode = text_at(data, "mode");
  report.protocol_sha256 = text_at(data, "protocol_sha256");
  const Json& tool = value_at(data, "tool");
  report.tool = text_at(tool, "name");
  if (const std::string version = text_at(tool, "version"); !version.empty()) report.tool += " " + version;
  report.evaluated = text_at(data, "evaluated");
  if (const Json& protocol = value_at(data, "protocol"); protocol.is_object())
    report.protocol = harmless_json(protocol);
  if (const Json& options = value_at(data, "options"); options.is_object())
    report.options = harmless_json(options);
  const Json& criteria = value_at(data, "criteria");
  if (criteria.is_array()) {
    for (const auto& criterion : criteria) {
      if (criterion.is_object()) report.criteria.push_back(harmless_json(criterion));
    }
  }
  const Json& rows = value_at(data, "steps");
  if (!rows.is_array()) return;
  for (const auto& row : rows) {
    ReportStep step;
    step.id = text_at(row, "id", 100);
    step.title = text_at(row, "title", 100);
    step.establishes = text_at(row, "establishes");
    step.number = whole_at(row, "number");
    step.gating = bool_at(row, "gating");
    step.line = whole_at(row, "line");
    if (step.title.empty()) step.title = step.id;
    report.steps.push_back(std::move(step));
  }
}

/// What the verdict's evidence knows of each step, in the same order.
void add_outcomes(const Evidence& evidence, Report& report) {
  for (std::size_t i = 0; i < std::min(report.steps.size(), evidence.steps.size()); ++i) {
    const PlannedOutcome& outcome = evidence.steps[i];
    ReportStep& step = report.steps[i];
    const bool known = outcome.status == "passed" || outcome.status == "failed" ||
                       outcome.status == "skipped" || outcome.status == "error";
    step.status = !outcome.selected ? "left-out"
                  : !outcome.ended  ? "not-run"
                  : known           ? outcome.status
                                    : "error";
    step.reason = harmless(outcome.obstacle());
  }
}

void add_end(const Record& record, ReportStep& step) {
  step.seconds = seconds_at(record.data, "seconds");
  step.child_seconds = seconds_at(record.data, "child_seconds");
  step.tail = log_lines_at(record.data, "tail", kTailLines);
  step.reproduce = text_at(record.data, "reproduce", kLongLine);
  step.log = text_at(record.data, "log");
}

}  // namespace

std::vector<std::pair<std::vector<std::string>, std::string>> by_reason(
    const std::vector<std::pair<std::string, std::string>>& steps) {
  std::vector<std::pair<std::vector<std::string>, std::string>> groups;
  for (const auto& step : steps) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& one) { return one.second == step.second; });
    if (group == groups.end()) {
      groups.push_back({{step.first}, step.second});
    } else {
      group->first.push_back(step.first);
    }
  }
  return groups;
}

Report build_report(const Records& records) {
  const Evidence evidence = read_evidence(records);
  Report report;
  report.verdict = harmless_verdict(decide(records));
  report.protocol_file = harmless(evidence.protocol_file);
  for (const auto& command : evidence.commands)
    report.commands.push_back(harmless(command));
  if (!records.empty()) {
    report.started = harmless(records.front().time);
    report.ended = harmless(records.back().time);
  }
  std::map<std::string, std::size_t> index;
  bool begun = false, summed = false;
  for (const Record* record : evidence.standing) {
    const Json& data = record->data;
    switch (record->kind) {
      case Kind::run:
        if (record->id == "run.start" && !begun) {
          begun = true;
          read_start(*record, report);
          add_outcomes(evidence, report);
          for (std::size_t i = 0; i < evidence.steps.size(); ++i)
            index.emplace(evidence.steps[i].id, i);
        } else if (record->id == "run.end") {
          summed = true;
          report.seconds = seconds_at(data, "seconds");
          report.child_seconds = seconds_at(data, "child_seconds");
        }
        break;
      case Kind::step:
        if (const auto found = index.find(record->step); record->id == "end" && found != index.end()) {
          add_end(*record, report.steps[found->second]);
        }
        break;
      case Kind::finding:
        report.findings.push_back(finding_of(*record));
        break;
      case Kind::measurement:
        report.measurements.push_back(
            {origin_of(*record), number_of(value_at(data, "value"), std::nan("")), text_at(data, "unit")});
        break;
      case Kind::series:
        report.series.push_back(series_of(*record));
        break;
      case Kind::table:
        report.tables.push_back(table_of(*record));
        break;
      case Kind::note:
        report.logbook.push_back(
            {origin_of(*record), text_at(data, "name"), scalar(value_at(data, "value"))});
        break;
      case Kind::artefact: {
        const double bytes = number_at(data, "bytes");
        report.artefacts.push_back({origin_of(*record), text_at(data, "path"), text_at(data, "sha256"),
                                    bytes > 0 && bytes < 9e15 ? bytes : 0});
        break;
      }
    }
  }
  if (!summed) {
    for (const auto& step : report.steps) {
      report.seconds += step.seconds;
      report.child_seconds += step.child_seconds;
    }
  }
  return report;
}

}  // namespace mpsgate
