#include "record/record.h"

#include "base/text.h"

#include <array>

namespace mpsgate {
namespace {

constexpr std::array<const char*, 8> kKindNames = {"run",    "step",  "finding",  "measurement",
                                                   "series", "table", "artefact", "note"};

}  // namespace

const char* name_of(Kind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

Json to_json(const Record& record) {
  Json json = {{"v", record.version}, {"seq", record.seq}, {"time", record.time}, {"step", record.step}};
  if (!record.arm.empty()) json["arm"] = record.arm;
  if (record.pass > 0) json["pass"] = record.pass;
  json["kind"] = name_of(record.kind);
  json["id"] = record.id;
  json["data"] = record.data;
  return json;
}

Result<Record> record_from_json(const Json& json) {
  const auto invalid = [](const std::string& why) {
    return fail("record.invalid", "not a record of a journal: " + one_line(why));
  };
  if (!json.is_object()) return invalid("not an object");
  Record record;
  record.version = static_cast<int>(number_at(json, "v", 0));
  if (record.version != kRecordVersion) {
    return fail("record.version",
                "the journal has record version " + std::to_string(record.version) + ", this mpsgate reads " +
                    std::to_string(kRecordVersion),
                "use the mpsgate that wrote it");
  }
  const double seq = number_at(json, "seq", -1);
  if (!(seq >= 0 && seq < 9e15)) return invalid("no seq");
  record.seq = static_cast<std::uint64_t>(seq);
  record.time = string_at(json, "time");
  record.step = string_at(json, "step");
  record.arm = string_at(json, "arm");
  const double pass = number_at(json, "pass", 0);
  record.pass = pass > 0 && pass < 1e6 ? static_cast<int>(pass) : 0;
  record.id = string_at(json, "id");
  if (record.id.empty()) return invalid("no id");
  const std::string kind = string_at(json, "kind");
  std::size_t index = 0;
  while (index < kKindNames.size() && kind != kKindNames[index])
    ++index;
  if (index == kKindNames.size()) return invalid("kind \"" + kind + "\"");
  record.kind = static_cast<Kind>(index);
  record.data = value_at(json, "data");
  if (!record.data.is_object()) return invalid("data is not an object");
  return record;
}

std::vector<const Record*> of_kind(const Records& records, Kind kind) {
  std::vector<const Record*> found;
  for (const auto& record : records) {
    if (record.kind == kind) found.push_back(&record);
  }
  return found;
}

const Record* last_of(const Records& records, Kind kind, std::string_view id, std::string_view step) {
  const Record* found = nullptr;
  for (const auto& record : records) {
    if (record.kind == kind && record.id == id && (step.empty() || record.step == step)) found = &record;
  }
  return found;
}

}  // namespace mpsgate
