#include "reports/annotations.h"

#include "base/text.h"
#include "reports/escape.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace mpsgate {
namespace {

constexpr std::size_t kMostOfAKind = 10;

std::string escaped_data(const std::string& text) {
  return replace_all(replace_all(replace_all(harmless(text), "%", "%25"), "\r", "%0D"), "\n", "%0A");
}

std::string escaped_property(const std::string& text) {
  return replace_all(replace_all(escaped_data(text), ":", "%3A"), ",", "%2C");
}

/// Whether the protocol lies in the lab's own repository: then places of both are places of one checkout.
bool in_one_repository(const Report& report) {
  const std::string url = string_at(value_at(report.protocol, "repository"), "url");
  return url == "." || url == "./";
}

class Annotations {
 public:
  explicit Annotations(const Report& report) : report_(report) {}

  std::string write() {
    const auto& verdict = report_.verdict;
    const bool abort = verdict.decision == Decision::abort;
    const char* level = abort ? "error" : verdict.decision == Decision::inconclusive ? "warning" : "notice";
    // The verdict stands where its first reason does, which needs no annotation of its own.
    const std::string title = "mpsgate: " + report_.name + ": " + verdict.word + " (" + verdict.scope + ")";
    const bool reasoned = !verdict.reasons.empty() && verdict.reasons.front().message == verdict.because;
    if (reasoned) {
      add(verdict.reasons.front(), level, title);
    } else {
      add(level, {report_.protocol_file, 1, 0}, title, verdict.because);
    }
    for (std::size_t i = reasoned ? 1 : 0; i < verdict.reasons.size(); ++i)
      add(verdict.reasons[i],
          verdict.reasons[i].standing == "not established" || !abort ? "warning" : "error");
    for (const auto& reason : verdict.unproven)
      add(reason, "warning");
    for (const auto& reason : verdict.notes)
      add(reason, "notice");
    std::string text;
    for (const char* kind : {"error", "warning", "notice"})
      text += limited(kind);
    return text;
  }

 private:
  void add(const Reason& reason, const char* level, std::string title = {}) {
    // The verdict may have put words before those of the finding.
    const auto found =
        std::find_if(report_.findings.begin(), report_.findings.end(), [&](const auto& finding) {
          return finding.origin.id == reason.id && reason.message.ends_with(finding.message);
        });
    Place place = found == report_.findings.end() ? Place{} : found->place;
    std::string message = reason.message;
    if (place.file.empty()) {
      place = {report_.protocol_file, 1, 0};
    } else if (place.file != report_.protocol_file && !in_one_repository(report_)) {
      message += " (" + place.text() + " of the lab's repository)";
      place = {report_.protocol_file, 1, 0};
    }
    if (!reason.remedy.empty()) message += ". To do: " + reason.remedy;
    if (!reason.command.empty()) message += " [" + reason.command + "]";
    if (title.empty()) title = "mpsgate: " + reason.id;
    add(level, place, title, message);
  }

  void add(const char* level, const Place& place, const std::string& title, const std::string& message) {
    const std::string line = annotation(level, place, title, message);
    if (seen_.insert(line).second) lines_[level].push_back(line);
  }

  std::string limited(const char* kind) const {
    const auto found = lines_.find(kind);
    if (found == lines_.end()) return {};
    const auto& lines = found->second;
    std::string text;
    const std::size_t shown = lines.size() > kMostOfAKind ? kMostOfAKind - 1 : lines.size();
    for (std::size_t i = 0; i < shown; ++i)
      text += lines[i];
    if (shown < lines.size())
      text += annotation(kind, {report_.protocol_file, 1, 0}, "mpsgate: more",
                         std::to_string(lines.size() - shown) + " more: see the report");
    return text;
  }

  const Report& report_;
  std::map<std::string, std::vector<std::string>> lines_;
  std::set<std::string> seen_;
};

}  // namespace

std::string annotation(std::string_view level, const Place& place, const std::string& title,
                       const std::string& message) {
  std::string text = "::" + std::string(level) + " ";
  if (!place.file.empty()) {
    text += "file=" + escaped_property(place.file) + ",";
    if (place.line > 0) text += "line=" + std::to_string(place.line) + ",";
    if (place.line > 0 && place.column > 0) text += "col=" + std::to_string(place.column) + ",";
  }
  return text + "title=" + escaped_property(title) + "::" + escaped_data(message) + "\n";
}

std::string write_annotations(const Report& report) {
  return Annotations(report).write();
}

std::string write_step_outputs(const Report& report) {
  const auto& verdict = report.verdict;
  const std::array<std::pair<const char*, const std::string*>, 7> values = {{{"decision", &verdict.word},
                                                                             {"scope", &verdict.scope},
                                                                             {"cause", &verdict.cause},
                                                                             {"route", &verdict.route},
                                                                             {"effort", &verdict.effort},
                                                                             {"who", &verdict.who},
                                                                             {"because", &verdict.because}}};
  std::string text;
  for (const auto& [key, value] : values)
    text += std::string(key) + "=" + harmless(*value) + "\n";
  return text;
}

}  // namespace mpsgate
