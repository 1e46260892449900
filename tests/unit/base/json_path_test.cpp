#include "base/json_path.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const Json kJson = Json::parse(R"({"val": [{"loss": 0.5}, 7], "a.b": {"x y": true}, "n": null, "": 1})");

std::string at(const std::string& text) {
  const auto path = JsonPath::parse(text);
  if (!path) return path.error().code;
  const Json* found = path->find(kJson);
  return found ? found->dump() : "nothing";
}

TEST(JsonPath, NamesOneValue) {
  EXPECT_EQ(at("$.val[0].loss"), "0.5");
  EXPECT_EQ(at("$.val[1]"), "7");
  EXPECT_EQ(at("$[\"a.b\"]['x y']"), "true");
  EXPECT_EQ(at("$.n"), "null");
  EXPECT_EQ(at("$[\"\"]"), "1");
  EXPECT_EQ(at("$"), kJson.dump());
}

TEST(JsonPath, NothingIsThere) {
  for (const char* path : {"$.x", "$.val[2]", "$.val.loss", "$.n.x", "$[0]", "$.val[0].loss[0]"})
    EXPECT_EQ(at(path), "nothing") << path;
}

TEST(JsonPath, OthersAreRefused) {
  for (const char* path : {"", "val", "$val", "$.", "$..loss", "$.val[*]", "$.val[-1]", "$.val[", "$.val[01]",
                           "$['x", "$.a b", "$.*", "$.val[0]x", "$.val[99999999999999999999]"})
    EXPECT_EQ(at(path), "json-path.invalid") << path;
}

}  // namespace
}  // namespace mpsgate
