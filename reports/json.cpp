#include "reports/json.h"

#include <string_view>

namespace mpsgate {

extern const std::string_view kReportSchema;

namespace {

/// Members that say where a record belongs; what does not apply is left out.
Json origin_json(const ReportOrigin& origin) {
  Json json = {{"id", origin.id}, {"step", origin.step}};
  if (!origin.arm.empty()) json["arm"] = origin.arm;
  if (origin.pass > 0) json["pass"] = origin.pass;
  if (!origin.command.empty()) json["command"] = origin.command;
  if (!origin.output.empty()) json["output"] = origin.output;
  return json;
}

template <class Item, class Fill>
Json list_json(const std::vector<Item>& items, Fill fill) {
  Json list = Json::array();
  for (const auto& item : items) {
    Json json = origin_json(item.origin);
    fill(item, json);
    list.push_back(std::move(json));
  }
  return list;
}

Json step_json(const ReportStep& step) {
  Json json = {{"id", step.id},
               {"number", step.number},
               {"title", step.title},
               {"establishes", step.establishes},
               {"gating", step.gating},
               {"status", step.status},
               {"reason", step.reason},
               {"seconds", json_number(step.seconds)},
               {"child_seconds", json_number(step.child_seconds)},
               {"line", step.line}};
  if (!step.tail.empty()) json["tail"] = step.tail;
  if (!step.reproduce.empty()) json["reproduce"] = step.reproduce;
  if (!step.log.empty()) json["log"] = step.log;
  return json;
}

Json run_json(const Report& report) {
  return {{"name", report.name},
          {"run", report.run},
          {"mode", report.mode},
          {"tool", report.tool},
          {"protocol_file", report.protocol_file},
          {"protocol_sha256", report.protocol_sha256},
          {"evaluated", report.evaluated},
          {"started", report.started},
          {"ended", report.ended},
          {"seconds", json_number(report.seconds)},
          {"child_seconds", json_number(report.child_seconds)},
          {"commands", report.commands},
          {"options", report.options}};
}

}  // namespace

Json to_json(const Report& report) {
  Json steps = Json::array();
  for (const auto& step : report.steps)
    steps.push_back(step_json(step));
  return {{"report", kReportVersion},
          {"verdict", to_json(report.verdict)},
          {"run", run_json(report)},
          {"steps", steps},
          {"findings", list_json(report.findings,
                                 [](const ReportFinding& finding, Json& json) {
                                   json["title"] = finding.title;
                                   json["message"] = finding.message;
                                   json["cause"] = finding.cause;
                                   json["basis"] = finding.basis;
                                   json["weight"] = finding.weight;
                                   json["who"] = finding.who;
                                   json["remedy"] = finding.remedy;
                                   if (!finding.place.file.empty()) {
                                     json["place"] = {{"file", finding.place.file},
                                                      {"line", finding.place.line},
                                                      {"column", finding.place.column}};
                                   }
                                   if (!finding.evidence.empty()) json["evidence"] = finding.evidence;
                                 })},
          {"measurements", list_json(report.measurements,
                                     [](const ReportMeasurement& measurement, Json& json) {
                                       json["value"] = json_number(measurement.value);
                                       json["unit"] = measurement.unit;
                                     })},
          {"series", list_json(report.series,
                               [](const ReportSeries& series, Json& json) {
                                 json["values"] = Json::array();
                                 for (const double value : series.values)
                                   json["values"].push_back(json_number(value));
                                 json["unit"] = series.unit;
                               })},
          {"tables", list_json(report.tables,
                               [](const ReportTable& table, Json& json) {
                                 json["title"] = table.title;
                                 json["columns"] = Json::array();
                                 for (const auto& [name, unit] : table.columns)
                                   json["columns"].push_back({{"name", name}, {"unit", unit}});
                                 json["rows"] = table.rows;
                               })},
          {"logbook", list_json(report.logbook,
                                [](const ReportNote& note, Json& json) {
                                  json["name"] = note.name;
                                  json["value"] = note.value;
                                })},
          {"artefacts", list_json(report.artefacts,
                                  [](const ReportArtefact& artefact, Json& json) {
                                    json["path"] = artefact.path;
                                    json["bytes"] = static_cast<std::uint64_t>(artefact.bytes);
                                    json["sha256"] = artefact.sha256;
                                  })},
          {"criteria", report.criteria},
          {"protocol", report.protocol}};
}

std::string write_json(const Report& report) {
  return dump_json(to_json(report), 2) + "\n";
}

std::string_view report_schema() {
  return kReportSchema;
}

}  // namespace mpsgate
