#include "sequence/comparing.h"

#include "base/text.h"
#include "record/draft.h"
#include "sequence/comparison_script.h"
#include "sequence/findings.h"

#include <cmath>

namespace mpsgate {
namespace {

/// "[2, 0]"; nothing where no element is worst.
std::string index_text(const std::vector<std::uint64_t>& index) {
  if (index.empty()) return {};
  std::vector<std::string> parts;
  parts.reserve(index.size());
  for (const auto i : index)
    parts.push_back(std::to_string(i));
  return "[" + join(parts, ", ") + "]";
}

}  // namespace

Result<std::vector<Comparison>> compare_sets(const Context& context, const Records& so_far,
                                             const OutputSets& sets, bool bitwise,
                                             const std::string& log_name) {
  std::vector<ComparePair> pairs;
  std::vector<Comparison> comparisons;
  for (const Output* output : context.protocol.outputs_of(sets.command)) {
    const auto actual = sets.actual.find(output->name);
    const auto expected = sets.expected.find(output->name);
    if (actual == sets.actual.end() || expected == sets.expected.end()) {
      Comparison missing;
      missing.name = output->name;
      missing.status = "missing";
      missing.message =
          actual == sets.actual.end() ? "the output is not there" : "there is nothing to compare it with";
      comparisons.push_back(std::move(missing));
      continue;
    }
    if (!output->script.command.empty() && !bitwise) {
      MPSGATE_ASSIGN(auto comparison,
                     compare_by_script(context, so_far, *output, actual->second, expected->second, log_name));
      comparisons.push_back(std::move(comparison));
      continue;
    }
    Tolerance tolerance = output->tolerance;
    if (bitwise) tolerance = {0, 0, true, "bitwise"};
    pairs.push_back({output->name, actual->second, expected->second, tolerance});
  }
  if (!pairs.empty()) {
    auto compared = compare_supervised(context.processes, context.own, pairs,
                                       context.folder.log(log_name + ".compare.err"));
    if (!compared) return tl::unexpected<Error>(compared.error());
    comparisons.insert(comparisons.end(), compared->begin(), compared->end());
  }
  if (comparisons.empty()) {
    return fail("compare.nothing", "command " + sets.command + " has no output to compare",
                "declare at least one under outputs");
  }
  return comparisons;
}

const std::vector<Column>& comparison_columns() {
  static const std::vector<Column> columns = {
      {"output", ""},   {"between", ""},  {"status", ""},           {"elements", ""},
      {"beyond", "%"},  {"max abs", ""},  {"max rel", ""},          {"worst index", ""},
      {"actual", ""},   {"expected", ""}, {"rtol that passes", ""}, {"atol that passes", ""},
      {"bit-equal", ""}};
  return columns;
}

Json comparison_row(const std::string& between, const Comparison& comparison) {
  if (comparison.status != "within" && comparison.status != "beyond") {
    return Json::array({comparison.name, between, comparison.status, "", "", "", "", "", "", "", "", "", ""});
  }
  if (comparison.dtype == kScriptDtype) {
    const bool figure = !std::isnan(comparison.worst_actual);
    return Json::array({comparison.name, between, comparison.status, "", "", "", "",
                        "the lab's own comparison", figure ? json_number(comparison.worst_actual) : Json(""),
                        std::isnan(comparison.worst_expected)
                            ? Json("")
                            : Json("at most " + format_number(comparison.worst_expected)),
                        "", "", comparison.bit_equal ? "yes" : "no"});
  }
  const double share = comparison.elements ? 100.0 * static_cast<double>(comparison.beyond) /
                                                 static_cast<double>(comparison.elements)
                                           : 0;
  return Json::array({comparison.name, between, comparison.status, comparison.elements, share,
                      json_number(comparison.max_abs), json_number(comparison.max_rel),
                      index_text(comparison.worst_index), json_number(comparison.worst_actual),
                      json_number(comparison.worst_expected), json_number(comparison.needed_rtol),
                      json_number(comparison.needed_atol), comparison.bit_equal ? "yes" : "no"});
}

bool shows_difference(const Comparison& comparison) {
  return !comparison.bit_equal && comparison.status != "empty" && comparison.status != "unreadable";
}

Finding comparison_finding(Finding finding, const std::string& between, const Comparison& comparison) {
  finding.output = comparison.name;
  finding.message = "output " + comparison.name + " (" + between + "): " + comparison.message;
  if (comparison.status == "beyond" && comparison.dtype != "text" && comparison.dtype != kScriptDtype) {
    const std::string index = index_text(comparison.worst_index);
    finding.evidence.push_back("worst" + (index.empty() ? "" : " at " + index) + ": " +
                               format_number(comparison.worst_actual, 9) + " against " +
                               format_number(comparison.worst_expected, 9));
    finding.evidence.push_back("beyond tolerance: " + std::to_string(comparison.beyond) + " of " +
                               std::to_string(comparison.elements) + " elements");
    finding.evidence.push_back("the smallest tolerance that would pass: rtol " +
                               format_number(comparison.needed_rtol) + " (atol as given), or atol " +
                               format_number(comparison.needed_atol) + " (rtol as given)");
  }
  return finding;
}

Finding common_finding(const std::string& lead, const std::vector<Finding>& differences) {
  constexpr std::size_t kMostListed = 6;
  Finding finding = differences.front();
  const std::size_t others = differences.size() - 1;
  finding.message = lead + ": " + finding.message;
  if (others > 0)
    finding.message +=
        "; and " + std::to_string(others) + (others == 1 ? " other comparison" : " other comparisons");
  for (std::size_t i = 1; i < differences.size() && i <= kMostListed; ++i)
    finding.evidence.push_back(differences[i].message);
  return finding;
}

}  // namespace mpsgate
