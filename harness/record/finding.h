#pragma once
#include "record/record.h"
#include "record/vocabulary.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpsgate {

/// The declaration of a finding: one row in the table of the room that raises it. The page
/// docs/diagnostics/ID.md must exist (a test checks it).
struct FindingRow {
  const char* id;  ///< "crash.signal": dotted, lower case, never reused
  Cause cause;
  Basis basis;
  Weight weight;
  Who who;
  const char* title;   ///< what it is, in a few words
  const char* remedy;  ///< what to do, one sentence
};

/// The declaration of a stop criterion: a rule that turns findings or measurements of the same id into a
/// reason to stop. Rows of the design's stop table; a protocol changes them under `stop:`.
struct CriterionRow {
  const char* id;
  Cause cause;
  Route route;
  Effort effort;
  /// `any`: every finding of this id stops. `over`: a measurement of this id over the value stops.
  /// `asked`: as `any`, but in force only where the protocol asks for it. `report`: never stops, is listed.
  enum class Rule { any, over, asked, report } rule;
  double value;      ///< for `over`
  const char* unit;  ///< of the value and the measurement: "%", "GiB", "s", ""
  const char* title;
};

/// One finding of a run: what a step fills in. The row's words are copied into the record, so a record needs
/// no table.
struct Finding {
  const FindingRow* row = nullptr;
  std::string message;  ///< what happened, one sentence
  std::string command;  ///< the protocol's command concerned; empty: all
  std::string arm;
  int pass = 0;
  Place place;                        ///< in the lab's code or the protocol
  std::vector<std::string> evidence;  ///< lines, harmless (see one_line)
  std::string remedy;                 ///< instead of the row's, where this case knows better
  std::string output;                 ///< the protocol's output concerned
  std::optional<Weight> weight;       ///< instead of the row's, where this case weighs less
};

/// The record of a finding.
Record to_record(const Finding& finding);

/// All findings and criteria of all rooms. Built by `cli`; handed down.
class Registry {
 public:
  void add(std::span<const FindingRow> rows);
  void add(std::span<const CriterionRow> rows);
  const std::vector<const FindingRow*>& findings() const { return findings_; }
  const std::vector<const CriterionRow*>& criteria() const { return criteria_; }
  const FindingRow* finding(std::string_view id) const;
  const CriterionRow* criterion(std::string_view id) const;
  /// Ids declared twice, or malformed; empty when all is well. A test demands that.
  std::vector<std::string> problems() const;

 private:
  std::vector<const FindingRow*> findings_;
  std::vector<const CriterionRow*> criteria_;
};

/// The row of `id` in `rows`; an id that is not there is a bug and throws std::logic_error.
const FindingRow& row_of(std::span<const FindingRow> rows, std::string_view id);
/// A finding with that row.
Finding finding_of(std::span<const FindingRow> rows, std::string_view id, std::string message = {});

}  // namespace mpsgate
