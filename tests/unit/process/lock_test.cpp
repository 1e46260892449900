#include "process/lock.h"

#include "base/files.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Lock, OneAtATime) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "deep" / ".lock";
  {
    auto first = FileLock::take(path, 0);
    ASSERT_TRUE(first) << first.error().text();
    const auto second = FileLock::take(path, 0.1);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, "lock.busy");
    const FileLock moved = std::move(*first);
    EXPECT_FALSE(FileLock::take(path, 0)) << "a move keeps the lock";
  }
  EXPECT_TRUE(FileLock::take(path, 0));
}

TEST(Lock, AFolderThatCannotBeMade) {
  EXPECT_EQ(FileLock::take("/proc/none/.lock", 0).error().code, "file.unwritable");
}

}  // namespace
}  // namespace mpsgate
