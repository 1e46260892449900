#pragma once
#include "base/files.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace mpsgate::test {

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
