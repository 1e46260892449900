#include "base/glob.h"

#include <string>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Glob, Matches) {
  const std::tuple<const char*, const char*, bool> cases[] = {{"a.npy", "a.npy", true},
                                                              {"a.npy", "b.npy", false},
                                                              {"*.npy", "a.npy", true},
                                                              {"*.npy", "x/a.npy", false},
                                                              {"**/*.npy", "x/y/a.npy", true},
                                                              {"**/*.npy", "a.npy", true},
                                                              {"**.npy", "x/a.npy", true},
                                                              {"runs/*/p.csv", "runs/7/p.csv", true},
                                                              {"runs/*/p.csv", "runs/p.csv", false},
                                                              {"runs/**/p.csv", "runs/p.csv", true},
                                                              {"runs/**/p.csv", "runs/1/2/p.csv", true},
                                                              {"runs/**/p.csv", "runsp.csv", false},
                                                              {"a?c", "abc", true},
                                                              {"a?c", "a/c", false},
                                                              {"a?c", "ac", false},
                                                              {"*", "", true},
                                                              {"", "", true},
                                                              {"", "a", false},
                                                              {"lab-*", "lab-mac-3", true},
                                                              {"lab-*", "lab", false},
                                                              {"**/a", "b/xa", false},
                                                              {"a*b*c", "aXbYbZc", true},
                                                              {"x/**", "x/y/z", true},
                                                              {"x/**", "x", false}};
  for (const auto& [pattern, text, matches] : cases)
    EXPECT_EQ(glob_matches(pattern, text), matches) << pattern << " against " << text;
  EXPECT_TRUE(is_glob("a*") && is_glob("a?"));
  EXPECT_FALSE(is_glob("a[1]"));
}

TEST(Glob, ItsTimeIsBounded) {
  EXPECT_FALSE(glob_matches("*a*a*a*a*a*a*a*a*a*a*b", std::string(5'000, 'a')));
}

}  // namespace
}  // namespace mpsgate
