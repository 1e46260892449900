#pragma once
#include "process/process.h"
#include "record/finding.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mpsgate {

/// The last traceback that Python printed.
struct Traceback {
  std::string exception;  ///< "RuntimeError: …", one harmless line
  std::string type;       ///< "RuntimeError", "urllib.error.URLError"
  Place place;            ///< innermost frame inside `checkout`, relative to it; empty if none
};
std::optional<Traceback> last_traceback(std::string_view text, const std::filesystem::path& checkout);

/// What a command's end says, or nothing when it exited with `expected_exit`. Reads PyTorch's and Python's
/// own wording (sources in facts: MPSFallback.mm, EmptyTensor.cpp, MPSAllocator.h; see the implementation).
std::optional<Finding> classify_failure(const ProcessResult& process, const std::string& arm,
                                        const std::filesystem::path& checkout, int expected_exit = 0);

}  // namespace mpsgate
