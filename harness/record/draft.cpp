#include "record/draft.h"

#include <stdexcept>

namespace mpsgate {
namespace {

Record draft(Kind kind, const std::string& id, const About& about) {
  Record record;
  record.kind = kind;
  record.id = id;
  record.arm = about.arm;
  record.pass = about.pass;
  if (!about.command.empty()) record.data["command"] = about.command;
  if (!about.output.empty()) record.data["output"] = about.output;
  return record;
}

}  // namespace

Record measurement(const std::string& id, double value, const std::string& unit, const About& about) {
  Record record = draft(Kind::measurement, id, about);
  record.data["value"] = json_number(value);
  record.data["unit"] = unit;
  return record;
}

Record series(const std::string& id, const std::vector<double>& values, const std::string& unit,
              const About& about) {
  Record record = draft(Kind::series, id, about);
  record.data["unit"] = unit;
  record.data["values"] = Json::array();
  for (const double value : values)
    record.data["values"].push_back(json_number(value));
  return record;
}

Record table(const std::string& id, const std::string& title, const std::vector<Column>& columns, Json rows,
             const About& about) {
  Record record = draft(Kind::table, id, about);
  record.data["title"] = title;
  record.data["columns"] = Json::array();
  for (const auto& column : columns)
    record.data["columns"].push_back({{"name", column.name}, {"unit", column.unit}});
  for (const auto& row : rows) {
    if (!row.is_array() || row.size() != columns.size())
      throw std::logic_error("table " + id + " has a row of another width");
  }
  record.data["rows"] = std::move(rows);
  return record;
}

Record artefact(const std::string& id, const std::string& path, std::uint64_t bytes,
                const std::string& sha256, const About& about) {
  Record record = draft(Kind::artefact, id, about);
  record.data["path"] = path;
  record.data["bytes"] = bytes;
  record.data["sha256"] = sha256;
  return record;
}

Record note(const std::string& id, const std::string& name, const Json& value) {
  Record record = draft(Kind::note, id, {});
  record.data["name"] = name;
  record.data["value"] = value;
  return record;
}

Record step_end(StepStatus status, const std::string& reason) {
  if (status != StepStatus::passed && reason.empty())
    throw std::logic_error("a step that did not pass needs a reason");
  Record record = draft(Kind::step, "end", {});
  record.data["status"] = name_of(status);
  record.data["reason"] = reason;
  return record;
}

}  // namespace mpsgate
