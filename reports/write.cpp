#include "reports/write.h"

#include "base/files.h"
#include "reports/escape.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"

#include <array>
#include <fstream>

namespace mpsgate {
namespace {

constexpr std::uintmax_t kLargestSummary = 1u << 20;

}  // namespace

Result<void> write_reports(const Records& records, const fs::path& run_folder) {
  const Report report = build_report(records);
  const std::array<std::pair<const char*, std::string>, 5> files = {{
      {"report.json", write_json(report)},
      {"junit.xml", write_junit(report, JunitProfile::rich)},
      {"junit-strict.xml", write_junit(report, JunitProfile::strict)},
      {"report.md", write_markdown(report)},
      {"verdict.txt", line_of(report.verdict) + "\n"},
  }};
  for (const auto& [name, text] : files)
    MPSGATE_TRY(write_file(run_folder / name, text));
  return {};
}

Result<void> append_summary(const fs::path& path, const std::string& markdown) {
  std::error_code error;
  const std::uintmax_t there = fs::exists(path, error) ? fs::file_size(path, error) : 0;
  if (error)
    return fail("summary.unwritable", "the summary " + path.string() + " cannot be read: " + error.message());
  // The blank line keeps what another tool left open in a paragraph of its own; one byte stays free.
  const std::uintmax_t taken = there + 3;
  const std::string text = taken < kLargestSummary
                               ? fit_markdown(markdown, static_cast<std::size_t>(kLargestSummary - taken))
                               : std::string();
  if (text.empty()) {
    return fail("summary.full", "the summary " + path.string() + " has no room left",
                "read report.md in the run directory");
  }
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << (there > 0 ? "\n\n" : "") << text << std::flush;
  if (!file)
    return fail("summary.unwritable", "the summary " + path.string() + " cannot be written",
                "read report.md in the run directory");
  return {};
}

}  // namespace mpsgate
