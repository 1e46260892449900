#include "cli/registry.h"

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"

#include <set>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(AllRooms, NoIdIsDeclaredTwiceOrStopsWithoutACriterion) {
  for (const auto& problem : registry().problems())
    ADD_FAILURE() << problem;
  EXPECT_GT(registry().findings().size(), 50u);
}

TEST(AllRooms, EveryIdHasItsPage) {
  const fs::path pages = fs::path(MPSGATE_SOURCE_DIR) / "docs" / "diagnostics";
  std::set<std::string> ids;
  for (const auto* row : registry().findings())
    ids.insert(row->id);
  for (const auto* row : registry().criteria())
    ids.insert(row->id);
  for (const auto& id : ids) {
    const auto page = read_file(pages / (id + ".md"));
    ASSERT_TRUE(page) << id << " has no page in docs/diagnostics";
    EXPECT_TRUE(page->starts_with("# " + id)) << id;
    EXPECT_GT(page->size(), 150u) << id;
  }
  for (const auto& entry : fs::directory_iterator(pages)) {
    EXPECT_TRUE(ids.contains(entry.path().stem().string()))
        << entry.path() << " describes an id that no room declares";
  }
}

TEST(AllRooms, TheStopTableOfTheDesignIsComplete) {
  for (const char* id :
       {"audit.cuda-essential",   "audit.distributed",  "audit.native-no-mps",   "fallback.operators",
        "device.unused",          "device.partial",     "dtype.unsupported",     "memory.fit",
        "memory.growth",          "numerics.tolerance", "numerics.bitwise-cuda", "performance.pipeline",
        "performance.growth",     "performance.wait",   "workload.llm",          "session.survival",
        "policy.transfer",        "result.absent",      "result.elsewhere",      "result.unreadable",
        "crash.signal",           "crash.hang",         "crash.gpu-error",       "crash.swallowed",
        "environment.unbuildable"}) {
    EXPECT_NE(registry().criterion(id), nullptr) << id;
  }
  EXPECT_STREQ(registry().criteria().front()->id, "audit.cuda-essential");
  EXPECT_STREQ(registry().criteria().back()->id, "environment.unbuildable");
}

TEST(AllRooms, FindingsSayWhatToDo) {
  for (const auto* row : registry().findings()) {
    EXPECT_NE(std::string(row->title), "") << row->id;
    EXPECT_NE(std::string(row->remedy), "") << row->id;
  }
}

TEST(Commands, AreNamedOnceAndExplained) {
  std::set<std::string> names;
  for (const auto& row : command_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_GT(std::string(row.help).size(), 10u);
  }
}

}  // namespace
}  // namespace mpsgate
