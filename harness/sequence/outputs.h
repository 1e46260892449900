#pragma once
#include "base/files.h"
#include "protocol/protocol.h"
#include "record/finding.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpsgate {

/// Where one pass worked.
struct PassWorkspace {
  std::filesystem::path checkout, out, home;
  std::map<std::string, FileState> before;  ///< of the checkout, when the command started
};

/// Where the command wrote an output, or the finding that it did not.
struct Located {
  std::filesystem::path path;      ///< empty: see finding
  std::vector<std::string> names;  ///< of a pattern that several files match: they, below path
  std::optional<Finding> finding;
};
/// Only what the pass itself created or changed counts: yesterday's file is absent.
Located locate_output(const Output& output, const PassWorkspace& workspace);

/// Files of an output folder in the checkout that the pass did not write, relative to it; none for other
/// outputs.
std::vector<std::string> stale_files(const Output& output, const PassWorkspace& workspace);

/// The number that the last line of `log` that matches `pattern` prints. Error codes: "result.absent" (no
/// line matches), "result.unreadable" (what matches is no number, or a part of a longer one).
Result<double> last_printed(const std::string& pattern, const std::filesystem::path& log);

/// Writes the number that the last matching line of `log` prints to `kept`, as JSON; or the finding that
/// there is none. The output has `printed`.
std::optional<Finding> keep_printed(const Output& output, const std::filesystem::path& log,
                                    const std::filesystem::path& kept);

/// Relative paths that the pass created or changed in the checkout or below {out}, at most `limit`.
std::vector<std::string> written_files(const PassWorkspace& workspace, std::size_t limit);

/// The name under which an output is kept: its own name and the extension of `path`, where it was found;
/// .json for a printed or selected value.
std::string kept_name(const Output& output, const std::filesystem::path& path);
/// Where an output is kept below `folder`: under a kept_name; empty where it is not there.
std::filesystem::path find_kept(const Output& output, const std::filesystem::path& folder);

}  // namespace mpsgate
