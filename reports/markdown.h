#pragma once
#include "reports/model.h"

#include <cstddef>
#include <string>

namespace mpsgate {

/// GitHub drops a summary beyond 1 MiB whole.
inline constexpr std::size_t kLargestMarkdown = 900u << 10;

/// report.md: on the first screen verdict, why and what next; then tables, worst first, at most `limit`
/// bytes.
std::string write_markdown(const Report& report, std::size_t limit = kLargestMarkdown);

}  // namespace mpsgate
