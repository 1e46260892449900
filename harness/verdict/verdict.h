#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/json.h"
#include "record/finding.h"
#include "record/record.h"

namespace mpsgate {

enum class Decision { proceed_or_continue, abort, inconclusive };

/// One reason, copied from its finding.
struct Reason {
  std::string id, title, message, cause, route, effort, who, basis;
  std::string step, arm, command, output, place, remedy;
  std::string standing;  ///< "static", "measured", "predicted" (simulated device), "unproven", "not established"
};

struct Verdict {
  Decision decision = Decision::inconclusive;
  std::string word;      ///< "continue", "proceed", "abort", "inconclusive"
  std::string scope;     ///< "mps", "simulated", "cpu"
  int rule = 0;          ///< row 1–6 of the order in docs/verdict.md that decided
  std::string because;   ///< one sentence: the first reason, or why it may go on
  std::string cause, route, effort, who;  ///< empty where there is nothing to name
  std::vector<Reason> reasons;            ///< what decided, in the order of the stop table
  std::vector<Reason> unproven;           ///< measured on the device, but something stands before it
  std::vector<Reason> notes;              ///< context: findings that decide nothing
  std::vector<std::string> next;          ///< what to do now, most important first
  std::vector<std::pair<std::string, std::string>> not_established;  ///< step → why
  std::vector<std::pair<std::string, std::string>> dropped;          ///< gating steps dropped by the protocol → reason
  int interrupted = 0;                    ///< signal number
  bool finished = false;                  ///< the journal has its run.end
  struct OfCommand {
    std::string command, word, because, cause, route;
  };
  std::vector<OfCommand> commands;
};

/// Pure: from the records of a run, or of any prefix of them, and from nothing else.
Verdict decide(const Records& records);
/// The one function from a verdict to an exit code.
ExitCode exit_code(const Verdict& verdict);
Json to_json(const Verdict& verdict);
/// "proceed (cpu): …", one line without its end: verdict.txt.
std::string line_of(const Verdict& verdict);

/// Criteria of the stop table whose rooms are not built yet; they move there when they are.
std::span<const CriterionRow> awaited_criteria();

}  // namespace mpsgate
