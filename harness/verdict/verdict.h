#pragma once
#include "base/exit_code.h"
#include "base/json.h"
#include "record/finding.h"
#include "record/record.h"

#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpsgate {

enum class Decision { proceed_or_continue, abort, inconclusive };

/// One reason, copied from its finding, from a measurement over its criterion, or from a step that did not
/// pass (id "step.ID").
struct Reason {
  std::string id, title, message, cause, route, effort, who, basis;
  std::string step, arm, command, output, place, remedy;
  std::string
      standing;  ///< "static", "measured", "predicted" (simulated device), "unproven", "not established"
  auto operator<=>(const Reason&) const = default;
};

/// Every text is one harmless line (see one_line), though not escaped for any format.
struct Verdict {
  Decision decision = Decision::inconclusive;
  std::string word;                       ///< "continue", "proceed", "abort", "inconclusive"
  std::string scope;                      ///< "mps", "simulated", "cpu"; "unknown" where nothing was recorded
  int rule = 0;                           ///< row 1–6 of the order in docs/verdict.md that decided
  std::string because;                    ///< one sentence: the first reason, or why it may go on
  std::string cause, route, effort, who;  ///< empty where there is nothing to name
  std::vector<Reason>
      reasons;  ///< those of the deciding rule, in the order of the stop table, then others that stand
  std::vector<Reason> unproven;   ///< measured on the device, but something stands before it
  std::vector<Reason> notes;      ///< context: findings that decide nothing
  std::vector<std::string> next;  ///< what to do now, most important first
  std::vector<std::pair<std::string, std::string>> not_established;  ///< step → why
  std::vector<std::pair<std::string, std::string>>
      dropped;            ///< gating steps dropped by the protocol → reason
  int interrupted = 0;    ///< signal number
  bool finished = false;  ///< the journal has its run.end
  /// `word` is also "not judged" where no gating step ran the command: it then counts for nothing.
  struct OfCommand {
    std::string command, word, because, cause, route;
  };
  std::vector<OfCommand> commands;
};

/// Pure: from the records of a run, or of any prefix of them, and from nothing else. Never throws for what a
/// journal can hold.
Verdict decide(const Records& records);
/// The one function from a verdict to an exit code.
ExitCode exit_code(const Verdict& verdict);
Json to_json(const Verdict& verdict);
/// "proceed (cpu): …", one line without its end: verdict.txt.
std::string line_of(const Verdict& verdict);

/// Criteria of the stop table whose rooms are not built yet; they move there when they are.
std::span<const CriterionRow> awaited_criteria();
/// Place of a criterion in the design's stop table, whatever room declares it; ids that it does not name come
/// last.
std::size_t stop_order(std::string_view id);

}  // namespace mpsgate
