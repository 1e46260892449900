#include "reports/escape.h"

#include "base/text.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mpsgate {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Harmless, DisarmsWorkflowCommands) {
  EXPECT_EQ(harmless("::error file=x::boom"), ": :error file=x::boom");
  EXPECT_EQ(harmless("  \t::debug::x"), ": :debug::x");
  EXPECT_EQ(harmless("a ##[error]b##[c]"), "a ## [error]b## [c]");
  EXPECT_EQ(harmless("std::vector"), "std::vector");
  EXPECT_EQ(harmless_log_line("  ::group::x"), "  : :group::x");
}

TEST(Harmless, DisarmsBehindEveryKindOfBlank) {
  EXPECT_EQ(harmless("\xC2\xA0::error::x"), "\xC2\xA0: :error::x") << "a no-break space";
  EXPECT_EQ(harmless("\xE3\x80\x80 ::error::x"), "\xE3\x80\x80 : :error::x") << "an ideographic one";
}

TEST(WithoutCommands, DisarmsEveryLineAndKeepsTheRest) {
  EXPECT_EQ(without_commands("a::b\n ::error::x\r::debug::y ##[group]\n\n\t\xC2\xA0:::\n"),
            "a::b\n : :error::x\r: :debug::y ## [group]\n\n\t\xC2\xA0: ::\n");
  EXPECT_EQ(without_commands("\x1b[31mred\x1b[0m: [1]"), "\x1b[31mred\x1b[0m: [1]");
  EXPECT_EQ(without_commands(""), "");
}

TEST(Harmless, IsOneLineOfValidText) {
  EXPECT_EQ(harmless("a\r\nb\x1b[31mc\x07"), "a bc");
  EXPECT_EQ(harmless("a\xE2\x80\xAE"
                     "b"),
            "a\xEF\xBF\xBD"
            "b")
      << "right-to-left override";
  EXPECT_EQ(harmless("[[ATTACHMENT|/etc/passwd]]"), "[[ATTACHMENT |/etc/passwd]]");
  EXPECT_EQ(harmless("é漢😀"), "é漢😀");
}

TEST(Harmless, KeepsTheIndentationOfALog) {
  EXPECT_EQ(harmless_log_line("    raise KeyError"), "    raise KeyError");
  EXPECT_EQ(harmless_log_line("a\nb"), "a b");
  EXPECT_EQ(harmless_log_line(""), "");
}

TEST(Harmless, AWorkflowCommandCannotBeBuiltFromPieces) {
  std::mt19937 random(3);
  const std::vector<std::string> pieces = {":",  "::",      "#",     "##[",          "[",        " ",   "\r",
                                           "\n", "\x1b[0m", "error", "\xE2\x80\x8B", "\xC2\x85", "\x7f"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto i = random() % 12; i > 0; --i)
      text += pieces[random() % pieces.size()];
    for (const auto& safe : {harmless(text), harmless_log_line(text)}) {
      EXPECT_THAT(std::string(trim(safe)), Not(StartsWith("::"))) << text;
      EXPECT_THAT(safe, Not(HasSubstr("##["))) << text;
      EXPECT_THAT(safe, Not(HasSubstr("\n")));
    }
  }
}

TEST(XmlCharacters, ReplacesWhatXmlForbids) {
  EXPECT_EQ(xml_characters("a\x01"
                           "b\tc\nd"),
            "a\xEF\xBF\xBD"
            "b\tc\nd");
  EXPECT_EQ(xml_characters("\xEF\xBF\xBE\xEF\xBF\xBF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(xml_characters("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "a lone surrogate";
  EXPECT_EQ(xml_characters("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(MarkdownText, LeavesNothingThatGithubActsOn) {
  const std::string text =
      markdown_text("<tensor> a|b `x` @user #123 [l](u) *b* _i_ a_b ~s~ \\ https://e.x www.e.x $m$ &amp;");
  for (const char* raw :
       {"<tensor>", "|", "`", "@", "[", "]", "*", "_i", "i_", "~", "\\", "://", "www.", "$", " #"})
    EXPECT_THAT(text, Not(HasSubstr(raw))) << raw;
  EXPECT_THAT(text, HasSubstr("&lt;tensor&gt;"));
  EXPECT_THAT(text, HasSubstr("&amp;amp;"));
  EXPECT_THAT(text, HasSubstr("a_b"));
}

TEST(MarkdownCode, OfNothingIsNothing) {
  EXPECT_EQ(markdown_code(""), "");
  EXPECT_EQ(markdown_code("a<b"), "<code>a&lt;b</code>");
}

TEST(MarkdownFence, IsLongerThanAnyRunInside) {
  EXPECT_EQ(markdown_fence({"a"}), "```text\na\n```\n");
  EXPECT_EQ(markdown_fence({"````", "x ````` y"}), "``````text\n````\nx ````` y\n``````\n");
}

TEST(FitMarkdown, KeepsWhatFits) {
  EXPECT_EQ(fit_markdown("# a\n\nb\n", 100), "# a\n\nb\n");
  EXPECT_EQ(fit_markdown(std::string(1000, 'x'), 10), "");
}

TEST(FitMarkdown, EndsBetweenBlocksAndLeavesNoneOpen) {
  std::string markdown;
  for (int i = 0; i < 40; ++i) {
    markdown += "para " + std::to_string(i) +
                "\n\n<details><summary>s</summary>\n\n````text\n```\n\n</details>\n````\n\n</details>\n\n| a "
                "|\n| --- |\n| b |\n\n";
  }
  for (std::size_t limit = 0; limit < markdown.size(); limit += 7) {
    const std::string fit = fit_markdown(markdown, limit);
    ASSERT_LE(fit.size(), limit);
    if (fit.empty()) continue;
    EXPECT_THAT(fit, EndsWith("are whole.*\n"));
    int fences = 0, open = 0, close = 0;
    bool inside = false;
    for (const auto& line : lines_of(fit)) {
      if (line.starts_with("````")) {
        ++fences;
        inside = !inside;
      }
      if (inside) continue;
      open += line.starts_with("<details>");
      close += line.starts_with("</details>");
    }
    EXPECT_EQ(fences % 2, 0) << limit;
    EXPECT_EQ(open, close) << limit;
    if (HasFailure()) FAIL() << fit;
  }
}

}  // namespace
}  // namespace mpsgate
