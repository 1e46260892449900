#pragma once
#include "record/record.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace mpsgate {

/// The records that count: of each step only its last attempt (see run.resume in docs/record.md), and those
/// of kind run. Pointers live as long as `records`.
std::vector<const Record*> standing_records(const Records& records);

/// A row of the sequence as run.start planned it, and how its step ended.
struct PlannedOutcome {
  std::string id, title;
  bool gating = false;
  bool selected = true;
  std::string why;      ///< why it is not selected or will not run
  std::string dropped;  ///< the protocol's reason for dropping it from the gating steps
  bool began = false;
  bool ended = false;
  std::string status;  ///< "passed", …; empty until it has ended
  std::string reason;

  bool passed() const { return status == "passed"; }
  /// One sentence on why it did not pass; empty when it did.
  std::string obstacle() const;
};

/// A row of the stop table in force.
struct CriterionInForce {
  std::string id, cause, route, effort, rule, unit, title, because;
  double value = 0;
  bool in_force = false;
};

/// What a verdict rests on, read from a journal or any prefix of one; hostile or missing members read as
/// empty.
struct Evidence {
  bool started = false;  ///< there is a run.start
  std::string mode, scope, name, run,
      protocol_file;          ///< protocol_file as a person names it from the protocol's root
  std::string why, workload;  ///< protocol.purpose
  bool macos_required = false;
  std::vector<PlannedOutcome> steps;
  std::vector<CriterionInForce> criteria;
  std::vector<std::string> commands;
  std::vector<const Record*> standing;
  int interrupted = 0;    ///< signal, unless the run was resumed since
  bool finished = false;  ///< there is a run.end

  bool rehearsal() const { return mode != "run"; }
  const PlannedOutcome* step(std::string_view id) const;
  /// Place in the stop table; its length for an id that is not in it.
  std::size_t order_of(std::string_view id) const;
  const CriterionInForce* criterion(std::string_view id) const;
};

Evidence read_evidence(const Records& records);

}  // namespace mpsgate
