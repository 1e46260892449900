#pragma once
#include "base/json.h"
#include "base/result.h"
#include "process/process.h"
#include "protocol/protocol.h"
#include "record/finding.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mpsgate {

/// Actual against expected, one pair of arrays.
struct Comparison {
  std::string name;     ///< of the array: the output's, or output/file or output/file:member
  std::string status;   ///< "within", "beyond", "shape", "dtype", "missing", "extra", "unreadable", "empty"
  std::string message;  ///< one sentence whenever status is not "within"
  std::string dtype;    ///< of the actual one: "float32"
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;
  std::uint64_t beyond = 0;  ///< elements outside the band
  std::uint64_t nan_actual = 0, nan_expected = 0;
  double max_abs = 0;
  double max_rel = 0;                      ///< over elements with expected != 0
  std::vector<std::uint64_t> worst_index;  ///< of the element that needs the largest tolerance
  double worst_actual = 0, worst_expected = 0;
  double needed_rtol = 0;  ///< smallest rtol that would pass with the given atol; inf where none would
  double needed_atol = 0;  ///< smallest atol that would pass with the given rtol; inf where none would
  bool bit_equal = false;
  bool within() const { return status == "within"; }
};
Json to_json(const Comparison& comparison);
Comparison comparison_from_json(const Json& json);

/// Compares two files, or two folders file by file. Formats: .npy, .npz, .csv, .tsv, .json; any other file is
/// compared by its bytes. Nothing to compare is never a pass: at least one Comparison comes back, "empty" or
/// "missing" if need be. Reads untrusted files in this process: call it through compare_supervised.
std::vector<Comparison> compare_paths(const std::string& name, const std::filesystem::path& actual,
                                      const std::filesystem::path& expected, const Tolerance& tolerance);

/// Whether a file (each file of a folder) can be read back: error "result.unreadable" or
/// "result.unsupported", or its description
/// ("float32 12x10").
Result<std::string> describe_path(const std::filesystem::path& path);

/// The value at a JsonPath of a .json file, or of the last line of a .jsonl file, as the text of a JSON file
/// that holds it alone. Error codes: "result.absent" (nothing is there), "result.unreadable".
Result<std::string> select_value(const std::filesystem::path& file, const std::string& json_path);

/// The worker's entry: `mpsgate internal-compare` reads requests from standard input.
Result<Json> serve_compare(const Json& request);

/// The same as above in a supervised re-exec of `mpsgate`: a hostile file ends the child, never the caller.
struct ComparePair {
  std::string name;
  std::filesystem::path actual, expected;
  Tolerance tolerance;
};
Result<std::vector<Comparison>> compare_supervised(ProcessRunner& processes, const Variables& own,
                                                   const std::vector<ComparePair>& pairs,
                                                   const std::filesystem::path& log, double seconds = 600);
struct DescribedFile {
  std::string name;  ///< as given
  std::string description;
  std::string problem;       ///< why it cannot be read; empty when it can
  bool unsupported = false;  ///< it may be good, but cannot be compared here
};
Result<std::vector<DescribedFile>> describe_supervised(
    ProcessRunner& processes, const Variables& own,
    const std::vector<std::pair<std::string, std::filesystem::path>>& files, const std::filesystem::path& log,
    double seconds = 600);

Result<std::string> select_supervised(ProcessRunner& processes, const Variables& own,
                                      const std::filesystem::path& file, const std::string& json_path,
                                      const std::filesystem::path& log, double seconds = 600);

std::span<const FindingRow> compare_findings();  ///< numerics.tolerance, …
std::span<const CriterionRow> compare_criteria();

}  // namespace mpsgate
