#include "reports/markdown.h"

#include "base/text.h"
#include "golden.h"
#include "reports/write.h"

#include <regex>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string markdown_of(const std::string& journal) {
  return write_markdown(build_report(test::golden_records(journal)));
}

std::string first_lines(const std::string& text, std::size_t count) {
  auto lines = lines_of(text);
  lines.resize(std::min(lines.size(), count));
  return join(lines, "\n");
}

TEST(Markdown, TheFirstScreenHasVerdictScopeWhyAndWhatNext) {
  const std::string screen = first_lines(markdown_of("abort-crash-on-cpu"), 14);
  EXPECT_THAT(screen, HasSubstr("abort (scope cpu)"));
  EXPECT_THAT(screen, HasSubstr("infer fails on the CPU too"));
  EXPECT_THAT(screen, HasSubstr("route **adapt**"));
  EXPECT_THAT(screen, HasSubstr("What next"));
  EXPECT_THAT(screen, HasSubstr("run the reproduce line by hand"));
}

TEST(Markdown, SaysWhatWasDroppedAndWhatIsNotEstablished) {
  const std::string text = markdown_of("abort-environment");
  EXPECT_THAT(text, HasSubstr("Dropped by the protocol"));
  EXPECT_THAT(text, HasSubstr("this lab needs no torch"));
  EXPECT_THAT(markdown_of("proceed"), HasSubstr("**Not established:**"));
  EXPECT_THAT(markdown_of("run-abort-numerics"), HasSubstr("the loader keeps its cache on purpose"));
}

TEST(Markdown, NothingOfALabActsOnGithub) {
  const std::string text = markdown_of("hostile-lab");
  bool inside = false;
  std::string fence;
  for (const auto& line : lines_of(text)) {
    const auto ticks = std::min(line.find_first_not_of('`'), line.size());
    if (!inside && ticks >= 3) {
      inside = true;
      fence = line.substr(0, ticks);
      continue;
    }
    if (inside && line == fence) {
      inside = false;
      continue;
    }
    EXPECT_THAT(std::string(trim(line)), Not(testing::StartsWith("::")));
    EXPECT_THAT(line, Not(HasSubstr("##[")));
    if (inside) continue;
    EXPECT_THAT(line, Not(HasSubstr("<script")));
    EXPECT_THAT(line, Not(HasSubstr("@everyone")));
    EXPECT_THAT(line, Not(HasSubstr("#12 ")));
    EXPECT_THAT(line, Not(HasSubstr("https://evil")));
    EXPECT_THAT(line, Not(HasSubstr("`code`")));
    EXPECT_THAT(line, Not(HasSubstr("<!-- open")));
  }
  EXPECT_FALSE(inside) << "a fence is left open";
}

TEST(Markdown, EveryRowOfATableIsAsWideAsItsHeader) {
  for (const auto& name : test::golden_names()) {
    std::size_t width = 0;
    for (const auto& line : lines_of(markdown_of(name))) {
      const auto bars = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
      if (!line.starts_with("|")) {
        width = 0;
        continue;
      }
      if (width == 0) width = bars;
      EXPECT_EQ(bars, width) << line;
      EXPECT_TRUE(line.ends_with("|")) << line;
    }
  }
}

TEST(Markdown, DetailsHaveTheBlankLineThatTheyNeed) {
  EXPECT_FALSE(std::regex_search(markdown_of("hostile-lab"), std::regex("</summary>\n[^\n]")));
}

TEST(Markdown, StaysWithinItsLimitWithTheWorstFirst) {
  Report report = build_report(test::golden_records("abort-crash-on-cpu"));
  ReportFinding note = report.findings.front();
  note.weight = "note";
  note.message = "only a note";
  note.evidence.assign(50, std::string(390, 'x'));
  report.findings.insert(report.findings.begin(), 200, note);
  const std::string whole = write_markdown(report);
  EXPECT_LE(whole.size(), kLargestMarkdown);
  EXPECT_THAT(whole, HasSubstr("report.json in the run directory"));
  EXPECT_LT(whole.find("stop: <code>crash.exit"), whole.find("only a note"));
  const std::string small = write_markdown(report, 2000);
  EXPECT_LE(small.size(), 2000u);
  EXPECT_THAT(small, HasSubstr("abort (scope cpu)"));
}

TEST(Summary, IsAppendedAndNeverTooLarge) {
  TemporaryFolder folder;
  const auto path = folder.path() / "summary.md";
  ASSERT_TRUE(append_summary(path, "# one\n"));
  ASSERT_TRUE(append_summary(path, "# two\n"));
  EXPECT_EQ(*read_file(path), "# one\n\n\n# two\n");

  std::string large = "# verdict\n\n";
  while (large.size() < (1u << 20))
    large += "a paragraph of some length\n\n";
  ASSERT_TRUE(append_summary(path, large));
  EXPECT_LT(std::filesystem::file_size(path), 1u << 20);
  EXPECT_THAT(*read_file(path), HasSubstr("# one\n\n\n# two\n\n\n# verdict\n"));

  ASSERT_TRUE(write_file(path, std::string((1u << 20) - 20, 'x')));
  const auto full = append_summary(path, "# more\n\nand more than twenty bytes\n");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, "summary.full");
  EXPECT_EQ(std::filesystem::file_size(path), (1u << 20) - 20) << "what is there stays whole";
}

TEST(Summary, AFolderThatIsNotThereIsAnError) {
  TemporaryFolder folder;
  const auto written = append_summary(folder.path() / "missing" / "summary.md", "# a\n");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "summary.unwritable");
}

}  // namespace
}  // namespace mpsgate
