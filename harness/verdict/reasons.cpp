#include "verdict/reasons.h"

#include "base/text.h"

#include <cmath>

namespace mpsgate {
namespace {

constexpr std::size_t kLineLimit = 1000;

std::string line_at(const Json& json, const char* key) {
  return one_line(string_at(json, key), kLineLimit);
}

std::string place_text(const Json& place) {
  const auto whole = [&](const char* key) {
    const double value = number_at(place, key);
    return value > 0 && value < 1e9 ? static_cast<int>(value) : 0;
  };
  return one_line(Place{string_at(place, "file"), whole("line"), whole("column")}.text(), kLineLimit);
}

class Ranking {
 public:
  explicit Ranking(const Evidence& evidence) : evidence_(evidence) {}

  std::vector<RankedReason> all() {
    for (const Record* record : evidence_.standing) {
      if (record->kind == Kind::finding) add_finding(*record);
      if (record->kind == Kind::measurement) add_measurement(*record);
    }
    add_workload();
    add_demand();
    return std::move(ranked_);
  }

 private:
  /// Whether what was observed there may be held against mps.
  bool on_device(const Record& record) const {
    if (record.arm == "mps") return true;
    return record.arm.empty() && evidence_.scope != "cpu" && !record.id.starts_with("numerics.");
  }

  std::string device_standing() const { return evidence_.scope == "simulated" ? "predicted" : "measured"; }

  Reason reason_of(const Record& record) const {
    Reason reason;
    reason.id = one_line(record.id);
    reason.title = line_at(record.data, "title");
    reason.message = line_at(record.data, "message");
    reason.cause = line_at(record.data, "cause");
    reason.who = line_at(record.data, "who");
    reason.basis = line_at(record.data, "basis");
    reason.step = one_line(record.step);
    reason.arm = one_line(record.arm);
    reason.command = string_at(record.data, "command");
    reason.output = line_at(record.data, "output");
    reason.place = place_text(value_at(record.data, "place"));
    reason.remedy = line_at(record.data, "remedy");
    if (reason.message.empty()) reason.message = reason.title.empty() ? reason.id : reason.title;
    return reason;
  }

  void keep(Reason reason, Rank rank, std::size_t order) {
    ranked_.push_back({std::move(reason), rank, order});
  }

  /// What gates stops the verdict from being reached; elsewhere it is context.
  void keep_gap(Reason reason, const std::string& step_id) {
    reason.standing = "not established";
    const PlannedOutcome* step = evidence_.step(step_id);
    const bool gates = step && step->gating;
    keep(std::move(reason), gates ? Rank::gap : Rank::note,
         step ? static_cast<std::size_t>(step - evidence_.steps.data()) : 0);
  }

  void add_finding(const Record& record) {
    Reason reason = reason_of(record);
    reason.standing = reason.basis == "static" ? "static" : device_standing();
    const std::string weight = string_at(record.data, "weight", "note");
    if (weight == "stop") return add_stop(record, std::move(reason));
    if (weight == "doubt") {
      reason.standing = "not established";
      return keep(std::move(reason), Rank::doubt, evidence_.order_of(record.id));
    }
    if (weight == "gap") return keep_gap(std::move(reason), record.step);
    keep(std::move(reason), Rank::note, evidence_.order_of(record.id));
  }

  void add_stop(const Record& record, Reason reason) {
    const std::size_t order = evidence_.order_of(record.id);
    const CriterionInForce* criterion = evidence_.criterion(record.id);
    if (!criterion) {
      reason.message += " (this journal has no criterion " + reason.id + " to judge it by)";
      reason.standing = "not established";
      return keep(std::move(reason), Rank::gap, evidence_.steps.size());
    }
    if (!criterion->in_force || criterion->rule == "report") {
      if (!criterion->because.empty())
        reason.message += " (set aside by the protocol: " + criterion->because + ")";
      return keep(std::move(reason), Rank::note, order);
    }
    reason.route = criterion->route;
    reason.effort = criterion->effort;
    if (!criterion->cause.empty()) reason.cause = criterion->cause;
    if (reason.basis == "static") return keep(std::move(reason), Rank::fixed, order);
    const bool of_command = record.id.starts_with("crash.") || record.id.starts_with("result.");
    if (of_command && record.arm == "cpu") {
      reason.standing = "measured";
      reason.route = "adapt";
      reason.message = (reason.command.empty() ? "fails" : one_line(reason.command) + " fails") +
                       " on the CPU too: " + reason.message;
      return keep(std::move(reason), Rank::on_cpu, order);
    }
    if (on_device(record)) return keep(std::move(reason), Rank::on_device, order);
    // Seen where it says nothing about mps: its step has not passed, and that is all that is known.
    reason.route.clear();
    reason.effort.clear();
    keep_gap(std::move(reason), record.step);
  }

  void add_measurement(const Record& record) {
    const CriterionInForce* criterion = evidence_.criterion(record.id);
    if (!criterion || criterion->rule != "over") return;
    const double value = number_of(value_at(record.data, "value"), std::nan(""));
    const std::string unit = line_at(record.data, "unit");
    const bool comparable = !std::isnan(value) && unit == criterion->unit;
    if (comparable && value <= criterion->value) return;

    Reason reason = reason_of(record);
    const auto quantity = [](double number, const std::string& of) {
      return format_number(number) + (of.empty() ? "" : " " + of);
    };
    reason.title = criterion->title;
    reason.message = criterion->title + ": " + quantity(value, unit) + ", over the limit of " +
                     quantity(criterion->value, criterion->unit);
    reason.cause = criterion->cause;
    reason.basis = "device";
    reason.who = "lab";
    reason.standing = device_standing();
    if (reason.remedy.empty())
      reason.remedy = "mend it where that pays, or go where it fits; docs/diagnostics/" + reason.id + ".md";
    const std::size_t order = evidence_.order_of(record.id);
    if (!criterion->in_force) {
      if (!criterion->because.empty())
        reason.message += " (set aside by the protocol: " + criterion->because + ")";
      return keep(std::move(reason), Rank::note, order);
    }
    if (!comparable) {
      reason.message = criterion->title + ": " + quantity(value, unit) +
                       " cannot be compared with the limit of " + quantity(criterion->value, criterion->unit);
      reason.who = "machine owner";
      reason.remedy = "look for what disturbed the measurement, and run again";
      reason.standing = "not established";
      return keep(std::move(reason), Rank::gap, evidence_.steps.size());
    }
    if (!on_device(record)) return keep_gap(std::move(reason), record.step);
    reason.route = criterion->route;
    reason.effort = criterion->effort;
    keep(std::move(reason), Rank::on_device, order);
  }

  /// The workload is what the protocol says; no step has to find it out.
  void add_workload() {
    const CriterionInForce* criterion = evidence_.criterion("workload.llm");
    if (evidence_.workload != "llm" || !criterion || !criterion->in_force) return;
    Reason reason;
    reason.id = criterion->id;
    reason.title = criterion->title;
    reason.message =
        "the protocol says that language-model inference dominates: MLX serves that better than PyTorch on a "
        "Mac";
    reason.cause = criterion->cause;
    reason.route = criterion->route;
    reason.effort = criterion->effort;
    reason.who = "lab";
    reason.basis = reason.standing = "static";
    reason.remedy = "compare with mlx-lm before porting more";
    keep(std::move(reason), Rank::note, evidence_.order_of("workload.llm"));
  }

  /// Bit-for-bit agreement with CUDA is not measured: where a protocol demands it, no other device will do.
  void add_demand() {
    const CriterionInForce* criterion = evidence_.criterion("numerics.bitwise-cuda");
    if (!criterion || !criterion->in_force) return;
    Reason reason;
    reason.id = criterion->id;
    reason.title = criterion->title;
    reason.message = "the protocol demands bit-for-bit agreement with CUDA, which no other device gives";
    reason.cause = criterion->cause;
    reason.route = criterion->route;
    reason.effort = criterion->effort;
    reason.who = "protocol owner";
    reason.basis = reason.standing = "static";
    reason.remedy =
        "keep this work on CUDA, or take stop.numerics.bitwise-cuda out of the protocol and name tolerances";
    keep(std::move(reason), Rank::fixed, evidence_.order_of(criterion->id));
  }

  const Evidence& evidence_;
  std::vector<RankedReason> ranked_;
};

}  // namespace

std::vector<RankedReason> rank_reasons(const Evidence& evidence) {
  return Ranking(evidence).all();
}

}  // namespace mpsgate
