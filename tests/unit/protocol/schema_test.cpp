// The key table and what comes from it: shapes, the published schema, the documentation, explanations.
#include "protocol/schema.h"

#include "base/files.h"
#include "protocol/keys.h"
#include "protocol/shape.h"
#include "tests/golden.h"

#include <set>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const fs::path kSource = MPSGATE_SOURCE_DIR;

TEST(KeyTable, IsSound) {
  std::set<std::string> sections, keys, used;
  for (const auto& section : section_table())
    EXPECT_TRUE(sections.insert(section.name).second) << section.name;
  for (const auto& row : key_table()) {
    const std::string where = std::string(row.section) + "." + row.name;
    EXPECT_TRUE(keys.insert(where).second) << where << " is declared twice";
    EXPECT_TRUE(sections.contains(row.section)) << where;
    EXPECT_NE(std::string(row.meaning), "") << where;
    EXPECT_FALSE(row.required && *row.otherwise) << where << ": what is required has no default";
    EXPECT_FALSE(comes_later(row.section, row.name)) << where << " is here already";
    if (const Shape shape = parse_shape(row.shape); shape.section()) used.insert(shape.section()->what);
  }
  used.insert("");
  EXPECT_EQ(used, sections) << "each section is the value of some key";
  for (const auto& row : choice_table()) {
    for (const auto& name : row.names())
      EXPECT_TRUE(keys.contains(std::string(row.section) + "." + name)) << name;
  }
}

TEST(KeyTable, AnExpressionThatIsNoneIsABug) {
  for (const char* expression : {"", "txt", "list of", "whole 1", "word x", "map(a of text", "text | "})
    EXPECT_THROW(parse_shape(expression), std::logic_error) << expression;
}

TEST(Schema, IsPublished) {
  test::expect_golden(kSource / "protocols/mpsgate.schema.json", dump_json(protocol_schema(), 2) + "\n");
}

TEST(Schema, TheDocumentationListsEveryKey) {
  const std::string begin = "<!-- keys: written by MPSGATE_ACCEPT=1, see CONTRIBUTING.md -->\n\n",
                    end = "<!-- end of keys -->";
  const std::string page = read_file(kSource / "docs/protocol.md").value();
  const auto from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to);
  test::expect_golden(kSource / "docs/protocol.md",
                      page.substr(0, from + begin.size()) + keys_markdown() + page.substr(to));
}

TEST(Explain, SaysWhatAKeyMeans) {
  const std::string passes = explain_key("steps.repeat.passes").value();
  EXPECT_NE(passes.find("how many passes"), std::string::npos);
  EXPECT_NE(passes.find("whole number, 2 to 50"), std::string::npos);
  EXPECT_NE(passes.find("without it: 3"), std::string::npos);
  EXPECT_EQ(passes.find('`'), std::string::npos);
  EXPECT_NE(explain_key("outputs.scores.tolerance").value().find("text or a section"), std::string::npos);
  EXPECT_NE(explain_key("stop.memory.growth.over").value().find("another limit"), std::string::npos)
      << "ids of criteria hold dots";
  EXPECT_NE(explain_key("outputs.scores").value().find("what the commands write"), std::string::npos);
  EXPECT_NE(explain_key("repository").value().find("keys: url, commit"), std::string::npos);
  EXPECT_NE(explain_key("commands.infer").value().find("what is executed"), std::string::npos);
}

TEST(Explain, AnUnknownKeyIsGuessed) {
  const auto unknown = explain_key("limits.comand");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "usage.key");
  EXPECT_NE(unknown.error().advice.find("limits.command"), std::string::npos);
  EXPECT_FALSE(explain_key(""));
  EXPECT_FALSE(explain_key("name.x"));
  EXPECT_FALSE(explain_key("...."));
}

}  // namespace
}  // namespace mpsgate
