#pragma once
#include "base/files.h"
#include "record/journal.h"
#include "tests/golden.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mpsgate::test {

inline std::filesystem::path golden_folder() {
  return std::filesystem::path(MPSGATE_SOURCE_DIR) / "tests/golden";
}

/// Names of the journals kept in tests/golden, sorted.
inline std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder())) {
    if (entry.path().extension() == ".jsonl") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline Records golden_records(const std::string& name) {
  auto records = read_journal(golden_folder() / (name + ".jsonl"));
  EXPECT_TRUE(records) << records.error().text();
  return records ? std::move(*records) : Records();
}

}  // namespace mpsgate::test
