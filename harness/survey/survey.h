#pragma once
#include "survey/git_checkout.h"
#include "survey/packaging.h"
#include "survey/python_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mpsgate {

/// A file that by its name and size holds weights.
struct WeightFile {
  std::string path;  ///< in the repository
  std::uint64_t bytes = 0;
  std::string sha256;    ///< empty where it was too large to be read
  bool pointer = false;  ///< of Git LFS: size and hash are those that the pointer tells
};

/// What can be looked at in one survey; what lies beyond is left out, and Survey::truncated says so.
struct SurveyLimits {
  std::size_t entries = 20'000;
  int depth = 8;
  std::size_t python_files = 1'000;
  std::uint64_t python_bytes = 512 << 10;  ///< of one file
  std::uint64_t all_python_bytes = 64ull << 20;
  std::size_t weights = 20;
  std::uint64_t all_weight_bytes = 32ull << 30;  ///< that are hashed
};

/// The facts of a lab's checkout from which a first protocol is written. Nothing of it was executed.
struct Survey {
  std::string folder_name;
  GitCheckout git;
  Packaging packaging;
  std::map<std::string, PythonFile> python;  ///< by path
  std::vector<std::string> notebooks;
  std::vector<WeightFile> weights;
  std::vector<std::string> packages;  ///< top folders with an __init__.py: "demucs", "src/demucs"
  bool truncated = false;
  std::size_t unnamed = 0;  ///< files passed over because their names are no text or too long
};

/// Looks at a checkout. Symbolic links, nested repositories, hidden folders and environments are passed over;
/// files are read up to `limits`. Error code: "usage.repository".
Result<Survey> survey_repository(const std::filesystem::path& folder, const SurveyLimits& limits = {});

}  // namespace mpsgate
