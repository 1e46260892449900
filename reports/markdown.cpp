#include "reports/markdown.h"

#include "base/text.h"
#include "reports/escape.h"

#include <algorithm>
#include <array>

namespace mpsgate {
namespace {

/// More rows than this are no longer read; report.json has them all.
constexpr std::size_t kMostRows = 300;

std::string escaped(const std::string& text) {
  return markdown_text(text);
}
std::string code(const std::string& text) {
  return markdown_code(text);
}

/// "10.0 s" that no phone breaks after the number.
std::string unbroken(const std::string& text) {
  return replace_all(escaped(text), " ", "&nbsp;");
}

std::string quantity(double value, const std::string& unit) {
  if (unit == "s") return unbroken(format_seconds(value));
  if (unit == "B" && value >= 0 && value < 9e18)
    return unbroken(format_bytes(static_cast<std::uint64_t>(value)));
  return unbroken(format_number(value) + (unit.empty() ? "" : " " + unit));
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number())
    return unbroken(value.is_number_float() ? format_number(value.get<double>()) : dump_json(value));
  return value.is_string() ? code(value.get<std::string>()) : code(dump_json(value));
}

std::string row(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}

std::string header(const std::vector<std::string>& names) {
  return row(names) + row(std::vector<std::string>(names.size(), "---"));
}

/// cpu, infer, pass 2.
std::string whereabouts(const ReportOrigin& origin) {
  std::vector<std::string> parts;
  for (const auto* part : {&origin.step, &origin.arm, &origin.command, &origin.output}) {
    if (!part->empty()) parts.push_back(code(*part));
  }
  if (origin.pass > 0) parts.push_back("pass&nbsp;" + std::to_string(origin.pass));
  return join(parts, " ");
}

int weight_order(const std::string& weight) {
  static constexpr std::array<std::string_view, 3> order = {"stop", "doubt", "gap"};
  return static_cast<int>(std::find(order.begin(), order.end(), weight) - order.begin());
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(const Report& report) : report_(report), verdict_(report.verdict) {}

  std::string write() {
    first_screen();
    commands();
    steps();
    failures();
    reasons("Unproven", "Measured on mps, but something stands before it:", verdict_.unproven);
    reasons("Notes", "Context that decides nothing:", verdict_.notes);
    findings();
    tables();
    measurements();
    series();
    criteria();
    logbook();
    artefacts();
    provenance();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }
  void heading(const std::string& text) { text_ += "\n## " + text + "\n\n"; }
  void more(std::size_t left) {
    if (left > 0) line("\n" + std::to_string(left) + " more in report.json.");
  }

  void first_screen() {
    line("# " + escaped(report_.name.empty() ? "mpsgate" : report_.name) + ": " + escaped(verdict_.word) +
         " (scope " + escaped(verdict_.scope) + ")\n");
    line("**Verdict:** " + escaped(verdict_.word) + ", resting on " + scope_words() + ".\n");
    line("**Why:** " + escaped(verdict_.because) + "\n");
    std::vector<std::string> facts;
    for (const auto& [name, value] : {std::pair{"cause", &verdict_.cause},
                                      {"route", &verdict_.route},
                                      {"effort", &verdict_.effort},
                                      {"who must act", &verdict_.who}}) {
      if (!value->empty()) facts.push_back(std::string(name) + " **" + escaped(*value) + "**");
    }
    if (!facts.empty()) line(join(facts, " · ") + "\n");
    if (verdict_.interrupted != 0)
      line("The run was interrupted by signal " + std::to_string(verdict_.interrupted) + ".\n");
    line("**What next:**\n");
    for (std::size_t i = 0; i < verdict_.next.size(); ++i)
      line(std::to_string(i + 1) + ". " + escaped(verdict_.next[i]));
    reasons("Reasons", "What decided, most important first:", verdict_.reasons);
    if (!verdict_.dropped.empty()) {
      line("\n**Dropped by the protocol**, though it decides elsewhere:\n");
      for (const auto& [step, why] : verdict_.dropped)
        line("- " + code(step) + ": " + escaped(why));
    }
    if (!verdict_.not_established.empty()) {
      line("\n**Not established:**\n");
      for (const auto& [steps, why] : by_reason(verdict_.not_established)) {
        std::vector<std::string> names;
        for (const auto& step : steps)
          names.push_back(code(step));
        line("- " + join(names, ", ") + ": " + escaped(why));
      }
    }
  }

  std::string scope_words() const {
    if (verdict_.scope == "mps") return "a real mps device";
    if (verdict_.scope == "simulated") return "a simulated mps device";
    if (verdict_.scope == "cpu") return "the CPU of this machine: mps was not asked";
    return "nothing";
  }

  void commands() {
    if (verdict_.commands.size() < 2) return;
    heading("Commands");
    text_ += header({"Command", "Decision", "Why"});
    for (const auto& of : verdict_.commands)
      text_ += row({code(of.command), escaped(of.word), escaped(of.because)});
  }

  void steps() {
    heading("Steps");
    text_ += header({"#", "Step", "Status", "Time", "Why"});
    for (const auto& step : report_.steps) {
      const bool executed = step.status == "passed" || step.status == "failed" || step.status == "error";
      text_ +=
          row({std::to_string(step.number), escaped(step.title) + (step.gating ? "" : " (does not gate)"),
               escaped(step.status), executed ? quantity(step.seconds, "s") : "", escaped(step.reason)});
    }
  }

  void failures() {
    for (const auto& step : report_.steps) {
      if (step.tail.empty() && step.reproduce.empty()) continue;
      line("\n### " + escaped(step.title) + ": last lines\n");
      if (!step.log.empty()) line("Log: " + code(step.log) + "\n");
      if (!step.tail.empty()) line(markdown_fence(step.tail));
      if (step.reproduce.empty()) continue;
      line("The reproduce line, which runs it again by hand:\n");
      text_ += markdown_fence({step.reproduce});
    }
  }

  void reasons(const char* title, const char* introduction, const std::vector<Reason>& list) {
    if (list.empty()) return;
    heading(title);
    line(std::string(introduction) + "\n");
    for (std::size_t i = 0; i < std::min(list.size(), kMostRows); ++i) {
      const Reason& reason = list[i];
      line("- **" + escaped(reason.id) + "** (" + escaped(reason.standing) + "): " + escaped(reason.message));
      if (!reason.place.empty()) line("  at " + code(reason.place));
      if (!reason.remedy.empty()) line("  *What to do:* " + escaped(reason.remedy));
    }
    more(list.size() - std::min(list.size(), kMostRows));
  }

  void findings() {
    std::vector<const ReportFinding*> sorted;
    for (const auto& finding : report_.findings)
      sorted.push_back(&finding);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return weight_order(a->weight) < weight_order(b->weight);
    });
    if (sorted.empty()) return;
    heading("Findings");
    for (std::size_t i = 0; i < std::min(sorted.size(), kMostRows); ++i) {
      const ReportFinding& finding = *sorted[i];
      line("<details><summary>" + escaped(finding.weight) + ": " + code(finding.origin.id) + " " +
           escaped(finding.title) + "</summary>\n");
      line(escaped(finding.message) + "\n");
      std::vector<std::string> facts = {whereabouts(finding.origin), escaped(finding.basis),
                                        "cause " + escaped(finding.cause)};
      if (!finding.place.file.empty()) facts.push_back("at " + code(finding.place.text()));
      std::erase(facts, "");
      line(join(facts, " · ") + "\n");
      if (!finding.evidence.empty()) line(markdown_fence(finding.evidence));
      line("</details>\n");
    }
    more(sorted.size() - std::min(sorted.size(), kMostRows));
  }

  void tables() {
    for (const auto& table : report_.tables) {
      if (table.columns.empty()) continue;
      heading(escaped(table.title.empty() ? table.origin.id : table.title));
      std::vector<std::string> names;
      for (const auto& [name, unit] : table.columns)
        names.push_back(escaped(unit.empty() ? name : name + " (" + unit + ")"));
      text_ += header(names);
      const std::size_t shown = std::min(table.rows.size(), kMostRows);
      for (std::size_t i = 0; i < shown; ++i) {
        std::vector<std::string> cells;
        for (const auto& value : table.rows[i])
          cells.push_back(cell(value));
        text_ += row(cells);
      }
      more(table.rows.size() - shown);
    }
  }

  void measurements() {
    if (report_.measurements.empty()) return;
    heading("Measurements");
    text_ += header({"Where", "What", "Value"});
    const std::size_t shown = std::min(report_.measurements.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& measurement = report_.measurements[i];
      text_ += row({whereabouts(measurement.origin), code(measurement.origin.id),
                    quantity(measurement.value, measurement.unit)});
    }
    more(report_.measurements.size() - shown);
  }

  void series() {
    if (report_.series.empty()) return;
    heading("Series");
    text_ += header({"Where", "What", "Points", "First", "Last"});
    const std::size_t shown = std::min(report_.series.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& series = report_.series[i];
      const bool empty = series.values.empty();
      text_ += row({whereabouts(series.origin), code(series.origin.id), std::to_string(series.values.size()),
                    empty ? "" : quantity(series.values.front(), series.unit),
                    empty ? "" : quantity(series.values.back(), series.unit)});
    }
    more(report_.series.size() - shown);
  }

  /// Only what the protocol changed: the defaults are in the documentation.
  void criteria() {
    std::string rows;
    for (const auto& criterion : report_.criteria) {
      const std::string because = string_at(criterion, "because");
      if (because.empty()) continue;
      rows += row({code(string_at(criterion, "id")),
                   bool_at(criterion, "in_force", true) ? "in force" : "set aside", escaped(because)});
    }
    if (rows.empty()) return;
    heading("Criteria changed by the protocol");
    text_ += header({"Criterion", "State", "Because"}) + rows;
  }

  void logbook() {
    if (report_.logbook.empty()) return;
    heading("Logbook");
    text_ += header({"Step", "What", "Value"});
    const std::size_t shown = std::min(report_.logbook.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& note = report_.logbook[i];
      text_ += row({code(note.origin.step), escaped(note.name), cell(note.value)});
    }
    more(report_.logbook.size() - shown);
  }

  void artefacts() {
    if (report_.artefacts.empty()) return;
    heading("Artefacts");
    text_ += header({"Where", "Path", "Size", "SHA-256"});
    const std::size_t shown = std::min(report_.artefacts.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& artefact = report_.artefacts[i];
      text_ += row({whereabouts(artefact.origin), code(artefact.path), quantity(artefact.bytes, "B"),
                    code(artefact.sha256.substr(0, 12))});
    }
    more(report_.artefacts.size() - shown);
  }

  void provenance() {
    line("\n---\n");
    std::vector<std::string> facts;
    for (const auto& [name, value] : {std::pair{"run", &report_.run},
                                      {"protocol", &report_.protocol_file},
                                      {"sha256", &report_.protocol_sha256},
                                      {"by", &report_.tool},
                                      {"evaluated", &report_.evaluated}}) {
      if (!value->empty()) facts.push_back(std::string(name) + " " + code(*value));
    }
    facts.push_back("took " + quantity(report_.seconds, "s"));
    line(join(facts, " · "));
  }

  const Report& report_;
  const Verdict& verdict_;
  std::string text_;
};

}  // namespace

std::string write_markdown(const Report& report, std::size_t limit) {
  return fit_markdown(MarkdownWriter(report).write(), limit);
}

}  // namespace mpsgate
