#include "survey/packages.h"

#include <set>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Packages, AreKnownByNameOrFamily) {
  EXPECT_TRUE(unportable("flash-attn"));
  EXPECT_FALSE(unportable("flash-attn-lite")) << "another package";
  EXPECT_TRUE(unportable("nvidia-cublas-cu12"));
  EXPECT_TRUE(unportable("cupy-cuda12x"));
  EXPECT_FALSE(unportable("nvidia"));
  EXPECT_FALSE(unportable("torch"));
  EXPECT_EQ(unportable("onnxruntime-gpu")->instead, "onnxruntime");
}

TEST(Packages, AMarkerMayLeaveThemOutOnMacOS) {
  EXPECT_TRUE(elsewhere_only("platform_system == 'Linux'"));
  EXPECT_TRUE(elsewhere_only("sys_platform == 'win32'"));
  EXPECT_FALSE(elsewhere_only("sys_platform == 'darwin'"));
  EXPECT_FALSE(elsewhere_only("sys_platform != 'linux'"));
  EXPECT_TRUE(elsewhere_only("sys_platform != 'darwin'"));
  EXPECT_FALSE(elsewhere_only("python_version < '3.11'"));
  EXPECT_FALSE(elsewhere_only(""));
}

TEST(Packages, NoImportIsListedTwice) {
  std::set<std::string> seen;
  for (const auto& [import, package] : kPackages)
    EXPECT_TRUE(seen.insert(import).second) << import;
}

}  // namespace
}  // namespace mpsgate
