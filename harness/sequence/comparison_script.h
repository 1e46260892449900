#pragma once
#include "compare/compare.h"
#include "sequence/step.h"

#include <filesystem>
#include <string>

namespace mpsgate {

/// The dtype of a Comparison that the lab's own script made: worst_actual is the figure that it printed and
/// worst_expected the largest that agrees, NaN where there is none.
inline constexpr const char* kScriptDtype = "script";

/// Executes the command of output.script in a pass of its own on the CPU, with {actual} and {expected}: exit
/// code 0 says within, 1 beyond, and a figure over at-most beyond too. Error codes: those of execute, and
/// "compare.script" (any other end, or no figure).
Result<Comparison> compare_by_script(const Context& context, const Records& so_far, const Output& output,
                                     const std::filesystem::path& actual,
                                     const std::filesystem::path& expected, const std::string& step);

}  // namespace mpsgate
