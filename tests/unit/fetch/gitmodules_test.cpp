#include "fetch/gitmodules.h"

#include "base/files.h"
#include "base/text.h"

#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(GitmodulesPath, OrdinaryPathsAreSafe) {
  for (const char* path : {"sub", "libs/sub", "a.b/c-d", ".github/x", "x.git", "gitmodules", "a/..b",
                           "ünïcode/中", "with space/x", "git", "...x"}) {
    EXPECT_TRUE(is_safe_module_path(path)) << path;
  }
}

TEST(GitmodulesPath, PathsThatLeaveOrReachIntoGitAreNot) {
  for (const std::string& path :
       {std::string(),
        std::string("/abs"),
        std::string(".."),
        std::string("../x"),
        std::string("a/../b"),
        std::string("a/.."),
        std::string("."),
        std::string("./a"),
        std::string("a//b"),
        std::string("a/"),
        std::string(".git"),
        std::string("a/.git/hooks"),
        std::string(".GiT/x"),
        std::string(".git./x"),
        std::string(".git /x"),
        std::string("git~1"),
        std::string("GIT~2/x"),
        std::string("a\\b"),
        std::string("C:x"),
        std::string("-x"),
        std::string("a\nb"),
        std::string("a\0b", 3),
        std::string("a\x7f"),
        std::string(".g\xE2\x80\x8Cit/x")}) {  // a zero-width non-joiner, which HFS+ leaves out
    EXPECT_FALSE(is_safe_module_path(path)) << path;
  }
}

TEST(GitmodulesPath, WhateverIsSafeStaysBelow) {
  std::mt19937 random(20261201);
  const std::string alphabet = "aG.git/~1 \\-:\n";
  int safe = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string path;
    for (auto length = random() % 12; length > 0; --length)
      path += alphabet[random() % alphabet.size()];
    if (!is_safe_module_path(path)) continue;
    ++safe;
    const std::string normal = fs::path(path).lexically_normal().string();
    EXPECT_EQ(normal, path);
    EXPECT_NE(normal.front(), '/');
    for (const auto& part : split(lowercase(path), '/')) {
      EXPECT_NE(part, "..");
      EXPECT_NE(part, ".git");
    }
  }
  EXPECT_GT(safe, 1000);
}

}  // namespace
}  // namespace mpsgate
