#pragma once
#include "reports/model.h"

#include <string>
#include <string_view>

namespace mpsgate {

/// One workflow command of GitHub Actions, with its end of line: "::error file=…,line=…,title=…::message".
/// Escaped as the runner unescapes it (actions/toolkit, command.ts), so that no text becomes a command of its
/// own. `level`: "error", "warning" or "notice".
std::string annotation(std::string_view level, const Place& place, const std::string& title,
                       const std::string& message);

/// The verdict and its reasons as annotations: reasons to stop are errors, what could not be established are
/// warnings, the rest notices; at most ten of a kind, which is what GitHub shows of a step. Places in the
/// protocol are named by its path from its own repository's root; places in the lab's code too where the
/// protocol lies in the lab's repository (`url: .`), else they are told in the message and the annotation
/// stands at the protocol.
std::string write_annotations(const Report& report);

/// decision, scope, cause, route, effort, who and because as lines "key=value" for GITHUB_OUTPUT: one
/// harmless line each.
std::string write_step_outputs(const Report& report);

}  // namespace mpsgate
