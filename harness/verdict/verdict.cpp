#include "verdict/verdict.h"

#include "base/text.h"
#include "verdict/evidence.h"
#include "verdict/next.h"
#include "verdict/reasons.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace mpsgate {
namespace {

using Reasons = std::vector<RankedReason>;

/// The verdict on one command.
struct Outcome {
  Decision decision = Decision::inconclusive;
  int rule = 5;
  Reasons reasons, unproven;
};

Reasons select(const Reasons& all, Rank rank, const std::string& command) {
  Reasons found;
  for (const auto& ranked : all) {
    if (ranked.rank == rank && ranked.concerns(command)) found.push_back(ranked);
  }
  return found;
}

void append(Reasons& to, const Reasons& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// By rank, then by the stop table. Equal reasons (the same finding of several passes) are one.
void put_in_order(Reasons& reasons) {
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.order < b.order;
  });
  std::set<Reason> seen;
  std::erase_if(reasons, [&](const auto& ranked) { return !seen.insert(ranked.reason).second; });
}

Reason unfinished(const Evidence& evidence) {
  Reason reason;
  reason.id = "run.unfinished";
  reason.title = "The run has not ended";
  reason.message = evidence.interrupted != 0 ? "the run was interrupted before its end"
                                             : "the journal stops before the run's end";
  reason.standing = "not established";
  reason.who = "machine owner";
  return reason;
}

Reason of_step(const PlannedOutcome& step) {
  Reason reason;
  reason.id = "step." + one_line(step.id);
  reason.title =
      step.title + (step.ended && step.status != "skipped" ? " did not pass" : " was not established");
  reason.message = one_line(step.id) + ": " + step.obstacle();
  reason.step = one_line(step.id);
  reason.standing = "not established";
  if (step.status == "error") {
    reason.cause = "machine";
    reason.who = "machine owner";
  } else if (!step.selected) {
    reason.who = "protocol owner";
    reason.remedy = "run again without --only and --skip";
  }
  return reason;
}

/// Row 5: gating steps that did not pass, each with the findings that say why.
Reasons not_established(const Evidence& evidence, const Reasons& all, const std::string& command) {
  Reasons open;
  const Reasons gaps = select(all, Rank::gap, command);
  for (std::size_t i = 0; i < evidence.steps.size(); ++i) {
    const PlannedOutcome& step = evidence.steps[i];
    if (!step.gating) continue;
    const std::size_t before = open.size();
    const auto add_from = [&](const Reasons& some) {
      for (const auto& gap : some) {
        if (gap.rank == Rank::gap && gap.order == i) open.push_back(gap);
      }
    };
    add_from(gaps);
    if (step.passed() || open.size() > before) continue;
    add_from(all);  // another command's gap: the step did not pass for this one either
    if (open.size() == before) open.push_back({of_step(step), Rank::gap, i});
  }
  for (const auto& gap : gaps) {
    if (gap.order >= evidence.steps.size()) open.push_back(gap);
  }
  if (!evidence.finished) open.push_back({unfinished(evidence), Rank::gap, evidence.steps.size() + 1});
  return open;
}

Outcome judge(const Evidence& evidence, const Reasons& all, const std::string& command) {
  const Reasons fixed = select(all, Rank::fixed, command);
  const Reasons on_cpu = select(all, Rank::on_cpu, command);
  Reasons doubts, speed_doubts, measured, struck;
  for (const auto& doubt : select(all, Rank::doubt, command))
    (doubt.about_speed() ? speed_doubts : doubts).push_back(doubt);
  for (const auto& reason : select(all, Rank::on_device, command)) {
    const bool doubted =
        !on_cpu.empty() || !doubts.empty() || (reason.about_speed() && !speed_doubts.empty());
    (doubted ? struck : measured).push_back(reason);
  }

  Outcome outcome;
  outcome.unproven = struck;
  const auto decide_by = [&](int rule, Decision decision, Reasons reasons) {
    outcome.rule = rule;
    outcome.decision = decision;
    outcome.reasons = std::move(reasons);
    return outcome;
  };
  if (!fixed.empty() || !on_cpu.empty()) {
    Reasons reasons = fixed;
    append(reasons, on_cpu);
    append(reasons, measured);
    return decide_by(fixed.empty() ? 2 : 1, Decision::abort, std::move(reasons));
  }
  if (!doubts.empty()) return decide_by(3, Decision::inconclusive, doubts);
  if (!measured.empty()) return decide_by(4, Decision::abort, measured);
  if (!struck.empty()) return decide_by(3, Decision::inconclusive, speed_doubts);
  Reasons open = not_established(evidence, all, command);
  if (!open.empty()) return decide_by(5, Decision::inconclusive, std::move(open));
  return decide_by(6, Decision::proceed_or_continue, {});
}

const char* word_of(Decision decision, const Evidence& evidence) {
  switch (decision) {
    case Decision::abort:
      return "abort";
    case Decision::inconclusive:
      return "inconclusive";
    case Decision::proceed_or_continue:
      break;
  }
  return evidence.rehearsal() ? "proceed" : "continue";
}

/// Commands that a gating step ran, or that something was found about.
std::set<std::string> judged_commands(const Evidence& evidence, const Reasons& all) {
  std::set<std::string> judged;
  for (const Record* record : evidence.standing) {
    const PlannedOutcome* step = evidence.step(record->step);
    if (step && step->gating && !record->arm.empty()) judged.insert(string_at(record->data, "command"));
  }
  for (const auto& ranked : all) {
    if (ranked.rank != Rank::note) judged.insert(ranked.reason.command);
  }
  judged.erase("");
  return judged;
}

/// Weight of a decision when commands are compared: the worst decides.
int badness(Decision decision) {
  return decision == Decision::abort ? 2 : decision == Decision::inconclusive ? 1 : 0;
}

std::string why_it_may_go_on(const Evidence& evidence) {
  if (!evidence.rehearsal()) return "nothing was found that stops it on mps";
  if (evidence.scope == "simulated")
    return "nothing was found that would stop it on a Mac; mps was simulated";
  return "nothing was found that would stop it on a Mac; mps itself was not asked";
}

std::vector<Reason> plain(Reasons ranked) {
  std::vector<Reason> reasons;
  for (auto& one : ranked) {
    one.reason.command = one_line(one.reason.command);
    reasons.push_back(std::move(one.reason));
  }
  return reasons;
}

/// The verdict's own words are those of its first reason.
void name_first(Verdict& verdict) {
  const Reason& first = verdict.reasons.front();
  verdict.because = first.message;
  verdict.cause = first.cause;
  verdict.route = first.route;
  verdict.effort = first.effort;
  verdict.who = first.who;
}

/// The whole: of several commands the worst decides.
void merge(const Evidence& evidence, const std::vector<std::pair<std::string, Outcome>>& outcomes,
           const Reasons& all, Verdict& verdict) {
  int worst = 0;
  for (const auto& [command, outcome] : outcomes)
    worst = std::max(worst, badness(outcome.decision));
  Reasons reasons, unproven;
  verdict.rule = 6;
  for (const auto& [command, outcome] : outcomes) {
    append(unproven, outcome.unproven);
    if (badness(outcome.decision) != worst) continue;
    verdict.decision = outcome.decision;
    verdict.rule = std::min(verdict.rule, outcome.rule);
    append(reasons, outcome.reasons);
  }
  put_in_order(reasons);
  put_in_order(unproven);
  std::set<Reason> told;
  for (const auto& ranked : reasons)
    told.insert(ranked.reason);
  std::erase_if(unproven, [&](const auto& ranked) { return !told.insert(ranked.reason).second; });
  Reasons notes;
  std::copy_if(all.begin(), all.end(), std::back_inserter(notes),
               [&](const auto& ranked) { return !told.contains(ranked.reason); });
  put_in_order(notes);
  for (auto& ranked : unproven)
    ranked.reason.standing = "unproven";
  verdict.reasons = plain(std::move(reasons));
  verdict.unproven = plain(std::move(unproven));
  verdict.notes = plain(std::move(notes));
  verdict.word = word_of(verdict.decision, evidence);
  if (verdict.reasons.empty()) {
    verdict.because = why_it_may_go_on(evidence);
    verdict.route = "mps";
    verdict.effort = "none";
    verdict.who = "nobody";
    return;
  }
  name_first(verdict);
}

/// An interrupt explains more than the steps that it left open.
void put_first(Reason reason, Verdict& verdict) {
  std::erase(verdict.reasons, reason);
  verdict.reasons.insert(verdict.reasons.begin(), std::move(reason));
  name_first(verdict);
}

Verdict nothing_recorded(const Evidence& evidence) {
  Verdict verdict;
  verdict.word = "inconclusive";
  verdict.scope = "unknown";
  verdict.rule = 5;
  verdict.because = "nothing was recorded";
  verdict.cause = "machine";
  verdict.who = "machine owner";
  verdict.interrupted = evidence.interrupted;
  Reason reason;
  reason.id = "run.unfinished";
  reason.title = "The run did not begin";
  reason.message = verdict.because;
  reason.cause = verdict.cause;
  reason.who = verdict.who;
  reason.standing = "not established";
  verdict.reasons.push_back(std::move(reason));
  verdict.next.push_back("start a new run: this one was stopped before it began");
  return verdict;
}

}  // namespace

Verdict decide(const Records& records) {
  const Evidence evidence = read_evidence(records);
  if (!evidence.started) return nothing_recorded(evidence);
  const Reasons all = rank_reasons(evidence);

  std::set<std::string> judged = judged_commands(evidence, all);
  std::vector<std::string> commands = evidence.commands;
  for (const auto& command : judged) {
    if (std::find(commands.begin(), commands.end(), command) == commands.end()) commands.push_back(command);
  }
  Verdict verdict;
  std::vector<std::pair<std::string, Outcome>> outcomes;
  for (const auto& command : commands) {
    Verdict::OfCommand of{one_line(command), "not judged", "no gating step ran it", "", ""};
    if (judged.contains(command)) {
      Outcome outcome = judge(evidence, all, command);
      put_in_order(outcome.reasons);
      const Reason first = outcome.reasons.empty() ? Reason() : outcome.reasons.front().reason;
      of.word = word_of(outcome.decision, evidence);
      of.because = outcome.reasons.empty() ? why_it_may_go_on(evidence) : first.message;
      of.cause = first.cause;
      of.route = outcome.decision == Decision::proceed_or_continue ? "mps" : first.route;
      outcomes.emplace_back(command, std::move(outcome));
    }
    verdict.commands.push_back(std::move(of));
  }
  if (outcomes.empty()) outcomes.emplace_back("", judge(evidence, all, ""));

  verdict.scope = evidence.scope.empty() ? "unknown" : evidence.scope;
  verdict.interrupted = evidence.interrupted;
  verdict.finished = evidence.finished;
  merge(evidence, outcomes, all, verdict);
  if (evidence.interrupted != 0 && verdict.decision != Decision::abort)
    put_first(unfinished(evidence), verdict);
  // A step that gave a reason to abort has established that much.
  const auto settled = [&](const std::string& id) {
    return verdict.decision == Decision::abort &&
           std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                       [&](const auto& reason) { return reason.step == id; });
  };
  for (const auto& step : evidence.steps) {
    if (!step.dropped.empty()) {
      verdict.dropped.emplace_back(one_line(step.id), step.dropped);
    } else if (!step.passed() && !settled(step.id) && (step.gating || step.ended || !step.why.empty())) {
      verdict.not_established.emplace_back(one_line(step.id), step.obstacle());
    }
  }
  verdict.next = next_of(verdict, evidence);
  return verdict;
}

ExitCode exit_code(const Verdict& verdict) {
  if (verdict.interrupted == 2) return ExitCode::interrupted;
  if (verdict.interrupted != 0) return ExitCode::terminated;
  switch (verdict.decision) {
    case Decision::abort:
      return ExitCode::abort;
    case Decision::inconclusive:
      return ExitCode::inconclusive;
    case Decision::proceed_or_continue:
      break;
  }
  return ExitCode::ok;
}

}  // namespace mpsgate
