#include "base/files.h"
#include "record/finding.h"
#include "verdict/verdict.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(AwaitedCriteria, AreWellFormedAndInTheOrderOfTheStopTable) {
  Registry registry;
  registry.add(awaited_criteria());
  EXPECT_TRUE(registry.problems().empty());
  std::size_t last = 0;
  for (const auto& row : awaited_criteria()) {
    EXPECT_LT(stop_order(row.id), stop_order("no.such-id")) << row.id;
    EXPECT_GE(stop_order(row.id), last) << row.id;
    last = stop_order(row.id);
  }
}

TEST(AwaitedCriteria, EachHasItsPage) {
  for (const auto& row : awaited_criteria()) {
    const auto page =
        std::filesystem::path(MPSGATE_SOURCE_DIR) / "docs/diagnostics" / (std::string(row.id) + ".md");
    const auto text = read_file(page);
    ASSERT_TRUE(text) << page;
    EXPECT_EQ(text->find(std::string("# ") + row.id), 0u) << page;
  }
}

TEST(StopOrder, PutsUnknownIdsLast) {
  EXPECT_EQ(stop_order("audit.cuda-essential"), 0u);
  EXPECT_LT(stop_order("numerics.tolerance"), stop_order("crash.signal"));
  EXPECT_LT(stop_order("environment.unbuildable"), stop_order("later.criterion"));
}

}  // namespace
}  // namespace mpsgate
