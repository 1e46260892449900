#include "reports/junit.h"

#include "base/text.h"
#include "reports/escape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <sstream>

#include <pugixml.hpp>

namespace mpsgate {
namespace {

/// Some readers refuse larger text nodes or files.
constexpr std::size_t kLargestText = 64u << 10;
/// Azure's limit for a name with its prefix.
constexpr std::size_t kLongestName = 400;
constexpr std::size_t kMostNotes = 20;

constexpr const char* kVerdictCase = "verdict";

/// Fixed point with three decimals in any locale: schemas refuse exponents, readers crash on inf.
std::string time_text(double seconds) {
  const double bounded = seconds > 0 && seconds < 1e9 ? seconds : 0;
  const auto ms = static_cast<long long>(std::llround(bounded * 1000));
  const std::string fraction = std::to_string(ms % 1000);
  return std::to_string(ms / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction;
}

/// "2026-12-01T08:46:09": without a zone, which readers take as UTC.
std::string timestamp(const std::string& utc) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  bool fits = utc.size() >= form.size();
  for (std::size_t i = 0; fits && i < form.size(); ++i) {
    fits = form[i] == 'd' ? utc[i] >= '0' && utc[i] <= '9' : utc[i] == form[i];
  }
  return fits ? utc.substr(0, form.size()) : "1970-01-01T00:00:00";
}

/// Names reach HTML, links and paths as they are.
std::string plain_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == ' ';
    name += plain ? c : '-';
  }
  name = std::string(trim(name)).substr(0, kLongestName);
  return name.empty() ? "unnamed" : name;
}

/// Head and tail of a text that is too long.
std::string capped(const std::string& text) {
  if (text.size() <= kLargestText) return text;
  const std::size_t part = kLargestText / 2 - 100;
  return to_utf8(text.substr(0, part)) + "\n[left out: " + std::to_string(text.size() - 2 * part) +
         " bytes]\n" + to_utf8(text.substr(text.size() - part));
}

/// What a case shows beside its name.
struct CaseResult {
  const char* element = nullptr;  ///< "failure", "error", "skipped"; nullptr: passed
  std::string type, message;
  std::vector<std::string> body;
};

std::string type_of(const std::string& cause) {
  return "mpsgate." + (cause.empty() ? "inconclusive" : plain_name(cause));
}

/// Only says that a step did not pass, which its case says already.
bool of_step(const Reason& reason) {
  return reason.id.starts_with("step.");
}

void add_reason(const Reason& reason, std::vector<std::string>& body) {
  std::string line = reason.id + " (" + reason.standing + "): " + reason.message;
  if (!reason.place.empty()) line += ", at " + reason.place;
  body.push_back(line);
  if (!reason.remedy.empty()) body.push_back("  what to do: " + reason.remedy);
}

std::string measurement_line(const ReportMeasurement& measurement) {
  std::string line;
  for (const auto* part :
       {&measurement.origin.arm, &measurement.origin.command, &measurement.origin.output}) {
    if (!part->empty()) line += *part + " ";
  }
  if (measurement.origin.pass > 0) line += "pass " + std::to_string(measurement.origin.pass) + " ";
  return line + measurement.origin.id + " " + format_number(measurement.value, 12) +
         (measurement.unit.empty() ? "" : " " + measurement.unit);
}

class JunitWriter {
 public:
  JunitWriter(const Report& report, JunitProfile profile)
      : report_(report),
        rich_(profile == JunitProfile::rich),
        suite_name_("mpsgate." + plain_name(report.name.empty() ? "unnamed" : report.name)) {}

  std::string write() {
    pugi::xml_document document;
    auto declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    auto suites = document.append_child("testsuites");
    auto suite = suites.append_child("testsuite");
    add_properties(suite);
    for (const auto& step : report_.steps)
      add_step(suite, step);
    add_named(suite, kVerdictCase, 0, 0, result_of_verdict(), {});
    if (!rich_) {
      add_text(suite.append_child("system-out"), join(summary(), "\n"));
      suite.append_child("system-err");
    }
    set_attributes(suites, suite);
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
    return text.str();
  }

 private:
  static void add_attribute(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name).set_value(xml_characters(value).c_str());
  }

  static void add_text(pugi::xml_node node, const std::string& text) {
    node.append_child(pugi::node_pcdata).set_value(xml_characters(capped(text)).c_str());
  }

  void add_properties(pugi::xml_node suite) const {
    const Verdict& verdict = report_.verdict;
    auto properties = suite.append_child("properties");
    const auto add = [&](const char* name, const std::string& value) {
      if (value.empty()) return;
      auto property = properties.append_child("property");
      add_attribute(property, "name", name);
      add_attribute(property, "value", value);
    };
    add("decision", verdict.word);
    add("scope", verdict.scope);
    add("cause", verdict.cause);
    add("route", verdict.route);
    add("effort", verdict.effort);
    add("who", verdict.who);
    add("exit-code", std::to_string(static_cast<int>(exit_code(verdict))));
    add("run", report_.run);
    add("mode", report_.mode);
    add("tool", report_.tool);
    add("protocol", report_.protocol_file);
    add("protocol-sha256", report_.protocol_sha256);
  }

  /// The decision's own lines, for people who open the file.
  std::vector<std::string> summary() const {
    const Verdict& verdict = report_.verdict;
    std::vector<std::string> lines = {line_of(verdict)};
    for (const auto& sentence : verdict.next)
      lines.push_back("next: " + sentence);
    for (std::size_t i = 0; i < verdict.notes.size() && i < kMostNotes; ++i)
      lines.push_back("note: " + verdict.notes[i].message);
    for (const auto& [step, why] : verdict.dropped)
      lines.push_back("dropped by the protocol: " + step + ": " + why);
    for (const auto& [steps, why] : by_reason(verdict.not_established))
      lines.push_back("not established: " + join(steps, ", ") + ": " + why);
    return lines;
  }

  std::vector<const Reason*> reasons_of(const std::string& step) const {
    std::vector<const Reason*> reasons;
    for (const auto& reason : report_.verdict.reasons) {
      if (reason.step == step) reasons.push_back(&reason);
    }
    return reasons;
  }

  /// A divergence of the repository is a failure; trouble of the harness or the machine, and what could not
  /// be found out, an error. What was not executed is never passed.
  CaseResult result_of(const ReportStep& step) const {
    const auto reasons = reasons_of(step.id);
    const bool found =
        std::any_of(reasons.begin(), reasons.end(), [](const Reason* reason) { return !of_step(*reason); });
    const bool executed = step.status == "passed" || step.status == "failed" || step.status == "error";
    CaseResult result;
    if (!executed && !found) {
      result = {"skipped", "mpsgate.skipped", step.reason, {}};
    } else if (found && report_.verdict.decision == Decision::abort) {
      result = {"failure", type_of(reasons.front()->cause), reasons.front()->message, {}};
    } else if (found) {
      result = {"error", type_of(reasons.front()->cause), reasons.front()->message, {}};
    } else if (step.status != "passed") {
      result = {"error", "mpsgate.step", step.reason, {}};
    } else {
      return result;
    }
    if (result.message.empty()) result.message = "not passed";
    for (const Reason* reason : reasons) {
      if (!of_step(*reason)) add_reason(*reason, result.body);
    }
    if (!step.reason.empty() && step.reason != result.message) result.body.push_back(step.reason);
    if (!step.reproduce.empty()) result.body.push_back("run it again by hand: " + step.reproduce);
    if (!step.log.empty()) result.body.push_back("log: " + step.log);
    if (!step.tail.empty()) {
      result.body.push_back("last lines:");
      result.body.insert(result.body.end(), step.tail.begin(), step.tail.end());
    }
    return result;
  }

  CaseResult result_of_verdict() const {
    const Verdict& verdict = report_.verdict;
    if (verdict.decision == Decision::proceed_or_continue) return {};
    const bool abort = verdict.decision == Decision::abort;
    CaseResult result{abort ? "failure" : "error", type_of(abort ? verdict.cause : ""), line_of(verdict), {}};
    for (const auto& reason : verdict.reasons)
      add_reason(reason, result.body);
    const auto lines = summary();
    result.body.insert(result.body.end(), lines.begin() + 1, lines.end());
    return result;
  }

  /// What was noted and measured in a step: passing cases are read too.
  std::vector<std::string> output_of(const std::string& step) const {
    std::vector<std::string> lines;
    for (const auto& note : report_.verdict.notes) {
      if (note.step == step && lines.size() < kMostNotes) lines.push_back("note: " + note.message);
    }
    for (const auto& measurement : report_.measurements) {
      if (measurement.origin.step == step) lines.push_back(measurement_line(measurement));
    }
    return lines;
  }

  void add_step(pugi::xml_node suite, const ReportStep& step) {
    add_case(suite, step.id, step.seconds, step.line, result_of(step),
             rich_ ? output_of(step.id) : std::vector<std::string>());
  }

  void add_case(pugi::xml_node suite, const std::string& wanted, double seconds, int line,
                const CaseResult& result, const std::vector<std::string>& output) {
    std::string name = plain_name(wanted);
    for (int number = 2; !names_.insert(name).second; ++number)
      name = plain_name(wanted) + "-" + std::to_string(number);
    add_named(suite, name, seconds, line, result, output);
  }

  void add_named(pugi::xml_node suite, const std::string& name, double seconds, int line,
                 const CaseResult& result, const std::vector<std::string>& output) {
    auto element = suite.append_child("testcase");
    add_attribute(element, "classname", suite_name_);
    add_attribute(element, "name", name);
    if (rich_ && !report_.protocol_file.empty()) {
      add_attribute(element, "file", report_.protocol_file);
      add_attribute(element, "line", std::to_string(std::max(line, 1)));
    }
    add_attribute(element, "time", time_text(seconds));
    ++tests_;
    seconds_ += seconds;
    if (result.element) {
      auto child = element.append_child(result.element);
      const std::string message = one_line(result.message);
      // Windyroad knows no type of what was skipped.
      if (rich_ || result.element != std::string_view("skipped")) add_attribute(child, "type", result.type);
      add_attribute(child, "message", message);
      // Readers that take the body show nothing else; one counts an empty element as passed.
      std::vector<std::string> body = {message};
      body.insert(body.end(), result.body.begin(), result.body.end());
      add_text(child, join(body, "\n"));
      ++counts_[result.element == std::string_view("failure") ? 0
                : result.element == std::string_view("error") ? 1
                                                              : 2];
    }
    if (!output.empty()) add_text(element.append_child("system-out"), join(output, "\n"));
  }

  void set_attributes(pugi::xml_node suites, pugi::xml_node suite) const {
    if (!rich_) {
      add_attribute(suite, "id", "0");
      add_attribute(suite, "package", "mpsgate");
    }
    add_attribute(suite, "name", suite_name_);
    // No record names the machine, and the schemas want the word for that.
    if (!rich_) add_attribute(suite, "hostname", "localhost");
    add_attribute(suite, "timestamp", timestamp(report_.started));
    const auto add_counts = [&](pugi::xml_node node) {
      add_attribute(node, "tests", std::to_string(tests_));
      add_attribute(node, "failures", std::to_string(counts_[0]));
      add_attribute(node, "errors", std::to_string(counts_[1]));
      add_attribute(node, "skipped", std::to_string(counts_[2]));
      add_attribute(node, "time", time_text(seconds_));
    };
    add_counts(suite);
    if (rich_) {
      add_attribute(suites, "name", suite_name_);
      add_counts(suites);
    }
  }

  const Report& report_;
  const bool rich_;
  const std::string suite_name_;
  std::set<std::string> names_ = {kVerdictCase};
  std::size_t tests_ = 0;
  std::array<std::size_t, 3> counts_{};  ///< failures, errors, skipped
  double seconds_ = 0;
};

}  // namespace

std::string write_junit(const Report& report, JunitProfile profile) {
  return JunitWriter(report, profile).write();
}

}  // namespace mpsgate
