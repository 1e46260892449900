#pragma once
#include "base/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpsgate {

inline constexpr int kRecordVersion = 1;

/// docs/record.md says what `data` holds for each kind.
enum class Kind { run, step, finding, measurement, series, table, artefact, note };
const char* name_of(Kind kind);

/// One line of journal.jsonl. A step returns records with kind, id, arm, pass and data; the runner fills the
/// rest.
struct Record {
  int version = kRecordVersion;
  std::uint64_t seq = 0;
  std::string time;  ///< UTC, see utc_text
  std::string step;  ///< empty for kind run
  std::string arm;   ///< "cpu", "mps", "reference:NAME"; empty where no command was executed
  int pass = 0;      ///< counts from 1; 0: no pass
  Kind kind = Kind::note;
  std::string id;
  Json data = Json::object();
};

using Records = std::vector<Record>;

Json to_json(const Record& record);
/// Error code: "record.invalid". Unknown members are ignored, an unknown kind or version is refused.
Result<Record> record_from_json(const Json& json);

/// Views of records, in order.
std::vector<const Record*> of_kind(const Records& records, Kind kind);
/// The last record of this kind and id (of `step`, where given); nullptr if none.
const Record* last_of(const Records& records, Kind kind, std::string_view id, std::string_view step = {});

}  // namespace mpsgate
