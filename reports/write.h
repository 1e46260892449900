#pragma once
#include "base/result.h"
#include "record/record.h"

#include <filesystem>
#include <string>

namespace mpsgate {

/// Writes report.json, junit.xml, junit-strict.xml, report.md and verdict.txt into the run directory, each
/// whole or not at all; the same bytes for the same records on any machine. Error codes: "file.unwritable",
/// "disk.full".
Result<void> write_reports(const Records& records, const std::filesystem::path& run_folder);

/// Appends to the file that GITHUB_STEP_SUMMARY names, within the 1 MiB that GitHub accepts of it, what is
/// there included. Error codes: "summary.unwritable", "summary.full". Neither may change an exit code.
Result<void> append_summary(const std::filesystem::path& path, const std::string& markdown);

}  // namespace mpsgate
