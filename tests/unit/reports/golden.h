#pragma once
#include "base/files.h"
#include "record/journal.h"

#include <cstdlib>
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

/// Compares with a kept file. MPSGATE_ACCEPT=1 rewrites the file; the test is then skipped, never passed.
inline void expect_golden(const std::filesystem::path& kept, const std::string& text) {
  const char* accept = std::getenv("MPSGATE_ACCEPT");
  if (accept && std::string(accept) == "1") {
    ASSERT_TRUE(write_file(kept, text));
    GTEST_SKIP() << "accepted " << kept;
  }
  const auto expected = read_file(kept);
  ASSERT_TRUE(expected) << kept << " is missing; look at the text, then run with MPSGATE_ACCEPT=1:\n" << text;
  EXPECT_EQ(*expected, text) << kept << " differs; look at it, then run with MPSGATE_ACCEPT=1";
}

}  // namespace mpsgate::test
