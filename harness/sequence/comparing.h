#pragma once
#include "compare/compare.h"
#include "record/draft.h"
#include "sequence/step.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mpsgate {

/// Two sets of collected outputs of one command, by output name.
struct OutputSets {
  std::string command;
  std::map<std::string, std::filesystem::path> actual, expected;
};

/// Compares every output of the command that the protocol names; one that a set lacks is "missing". `bitwise`
/// asks for equal bytes instead of the tolerances and the lab's own comparisons. Error codes: those of
/// compare_supervised and compare_by_script, "compare.nothing".
Result<std::vector<Comparison>> compare_sets(const Context& context, const Records& so_far,
                                             const OutputSets& sets, bool bitwise,
                                             const std::string& log_name);

/// Rows of a comparison table and its columns, the same for repeat, relaunch and parity.
const std::vector<Column>& comparison_columns();
Json comparison_row(const std::string& against, const Comparison& comparison);

/// The finding for a comparison that is not within: message, evidence with worst index and needed tolerance.
Finding comparison_finding(Finding finding, const std::string& between, const Comparison& comparison);

/// Whether a comparison that is not within shows two results; else, as with a NaN that is always there, it
/// only could not be judged, and kUnjudgedRemedy says what to do.
bool shows_difference(const Comparison& comparison);
inline constexpr const char* kUnjudgedRemedy =
    "let the outputs hold numbers that can be compared, or allow NaN with nan: equal";

/// One finding for all comparisons of a step that are not within: many outputs may differ for one reason.
/// `lead` says what they have in common; the first of `differences` (at least one) gives the rest.
Finding common_finding(const std::string& lead, const std::vector<Finding>& differences);

}  // namespace mpsgate
