#include "reports/annotations.h"

#include "base/text.h"
#include "golden.h"
#include "reports/outputs.h"

#include <random>
#include <regex>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using Level = Annotation::Level;

/// As GitHub's runner reads a line: each property and the message with their escapes undone.
struct Command {
  std::string name, file, line, col, title, message;
};

std::string unescaped(std::string text, bool property) {
  for (const auto& [from, to] : {std::pair{"%0D", "\r"}, {"%0A", "\n"}})
    text = replace_all(std::move(text), from, to);
  if (property) {
    text = replace_all(std::move(text), "%3A", ":");
    text = replace_all(std::move(text), "%2C", ",");
  }
  return replace_all(std::move(text), "%25", "%");
}

void read(const std::string& text, std::vector<Command>& commands) {
  static const std::regex form("::(error|warning|notice)( ([^:]*))?::(.*)");
  ASSERT_TRUE(text.empty() || text.ends_with('\n'));
  for (const auto& line : lines_of(text)) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, form)) << line;
    EXPECT_THAT(line, Not(HasSubstr("##[")));
    EXPECT_THAT(line, Not(HasSubstr("\r")));
    EXPECT_TRUE(is_utf8(line));
    Command command;
    command.name = parts[1];
    command.message = unescaped(parts[4], false);
    EXPECT_LE(command.message.size(), 4096u);
    for (std::string_view rest = parts[3].matched
                                     ? std::string_view(line).substr(parts.position(3), parts.length(3))
                                     : std::string_view();
         !rest.empty();) {
      const auto comma = rest.find(',');
      const std::string_view property = rest.substr(0, comma);
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      const auto equals = property.find('=');
      ASSERT_NE(equals, std::string_view::npos) << line;
      const std::string name(property.substr(0, equals));
      std::string* to = name == "file"    ? &command.file
                        : name == "line"  ? &command.line
                        : name == "col"   ? &command.col
                        : name == "title" ? &command.title
                                          : nullptr;
      ASSERT_TRUE(to) << line;
      *to = unescaped(std::string(property.substr(equals + 1)), true);
    }
    commands.push_back(std::move(command));
  }
}

std::vector<Command> commands_of(const Report& report, std::string_view repository = {}) {
  std::vector<Command> commands;
  read(write_annotations(annotations_of(report, repository)), commands);
  return commands;
}

Report golden_report(const std::string& name) {
  return build_report(test::golden_records(name));
}

TEST(Annotations, AnAbortIsAnErrorAndTheVerdictANotice) {
  const auto commands = commands_of(golden_report("abort-environment"));
  ASSERT_GE(commands.size(), 2u);
  EXPECT_EQ(commands[0].name, "notice");
  EXPECT_EQ(commands[0].file, "protocols/unbuildable.yaml");
  EXPECT_THAT(commands[0].title, HasSubstr(": abort"));
  EXPECT_EQ(commands[1].name, "error");
  EXPECT_EQ(commands[1].file, "protocols/unbuildable.yaml");
  EXPECT_EQ(commands[1].line, "9");
  EXPECT_EQ(commands[1].col, "1");
  EXPECT_THAT(commands[1].message, HasSubstr("environment.unbuildable (static)"));
}

TEST(Annotations, WhatLeavesItInconclusiveIsAWarning) {
  const auto commands = commands_of(golden_report("inconclusive-reference"));
  ASSERT_GE(commands.size(), 2u);
  EXPECT_EQ(commands[1].name, "warning");
  for (const auto& command : commands)
    EXPECT_NE(command.name, "error") << command.title;
}

TEST(Annotations, AProceedIsOneNotice) {
  const auto commands = commands_of(golden_report("proceed"));
  ASSERT_GE(commands.size(), 1u);
  EXPECT_THAT(commands[0].title, HasSubstr(": proceed"));
  for (const auto& command : commands)
    EXPECT_EQ(command.name, "notice");
}

TEST(Annotations, ThePlaceInTheLabIsMarkedOnlyWhereTheLabIsAnnotated) {
  Report report = golden_report("abort-crash-on-cpu");
  const auto place = [&](const char* url, const char* repository) {
    report.protocol["repository"]["url"] = url;
    const Command command = commands_of(report, repository).at(1);
    EXPECT_THAT(command.message, HasSubstr("in the lab's code: predict.py:41"));
    return command.file + ":" + command.line;
  };
  EXPECT_EQ(place("labs/crashes", ""), "labs/crashes/predict.py:41")
      << "a folder of the protocol's repository";
  EXPECT_EQ(place(".", ""), "predict.py:41");
  for (const char* url : {"https://github.com/Lab/Tones.git", "https://github.com/lab/tones/",
                          "git@github.com:lab/tones.git", "ssh://git@github.com/lab/tones"})
    EXPECT_EQ(place(url, "https://github.com/lab/tones"), "predict.py:41") << url;
  // The line of the step in the protocol; control has none here.
  for (const char* url : {"https://github.com/lab/other", "https://elsewhere.org/lab/tones", "/srv/lab/tones",
                          "file:///srv/tones"})
    EXPECT_EQ(place(url, "https://github.com/lab/tones"), "protocols/crashes.yaml:") << url;
  EXPECT_EQ(place("https://github.com/lab/tones", ""), "protocols/crashes.yaml:");
  for (auto& step : report.steps)
    step.line = 17;
  EXPECT_EQ(place("https://github.com/lab/other", "https://github.com/lab/tones"),
            "protocols/crashes.yaml:17");
}

TEST(Annotations, NoTextCanEndItsCommandOrBeginAnother) {
  std::mt19937 random(5);
  const std::vector<std::string> pieces = {
      "::",    ":", ",",         "%",    "%0A",  "\n", "\r",       "##[error]", "=",
      "file=", " ", "::error::", "\x1b", "\xff", "é",  "\xC2\x85", "\xC2\xA0",  "\t"};
  for (int round = 0; round < 2000; ++round) {
    const auto text = [&] {
      std::string made;
      for (auto i = random() % 10; i > 0; --i)
        made += pieces[random() % pieces.size()];
      return made;
    };
    const Annotation annotation{static_cast<Level>(random() % 3), {text(), 3, 4}, text(), text()};
    const std::string written = write_annotations({annotation});
    EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1) << written;
    std::vector<Command> commands;
    read(written, commands);
    ASSERT_THAT(commands, SizeIs(1)) << written;
  }
}

TEST(Annotations, EscapesByTheRulesOfGithub) {
  EXPECT_EQ(write_annotations({{Level::error, {"a,b:c%.py", 3, 7}, "t: 5%, x", "one: 5%, x\n::two"}}),
            "::error file=a%2Cb%3Ac%25.py,line=3,col=7,title=t%3A 5%25%2C x::one: 5%25, x%0A: :two\n");
  EXPECT_EQ(write_annotations({{Level::notice, {"", 3, 7}, "", "m"}}), "::notice::m\n");
  EXPECT_EQ(write_annotations({{Level::warning, {"a", 0, 7}, "", "m"}}), "::warning file=a::m\n");
  EXPECT_EQ(write_annotations({}), "");
}

TEST(Annotations, TenOfAKindTheLastOfWhichCounts) {
  const auto lines = [](std::size_t errors, std::size_t warnings) {
    std::vector<Annotation> annotations;
    for (std::size_t i = 0; i < errors; ++i)
      annotations.push_back({Level::error, {"p", 1, 0}, "t", "e" + std::to_string(i)});
    for (std::size_t i = 0; i < warnings; ++i)
      annotations.push_back({Level::warning, {}, "t", "w"});
    return lines_of(write_annotations(annotations));
  };
  EXPECT_THAT(lines(10, 0), SizeIs(10));
  EXPECT_THAT(lines(10, 0).back(), HasSubstr("e9"));
  const auto many = lines(25, 3);
  ASSERT_THAT(many, SizeIs(13));
  EXPECT_THAT(many[8], HasSubstr("e8"));
  EXPECT_THAT(many[9], StartsWith("::error title=mpsgate%3A 16 more::"));
  EXPECT_THAT(many[10], StartsWith("::warning title=t::w"));
}

TEST(Annotations, ALongMessageIsCutToWhatGithubShows) {
  std::string long_text;
  for (int i = 0; i < 5000; ++i)
    long_text += "é\n";
  std::vector<Command> commands;
  read(write_annotations({{Level::error, {}, std::string(3000, 'x'), long_text}}), commands);
  ASSERT_THAT(commands, SizeIs(1));
  EXPECT_THAT(commands[0].message, testing::EndsWith("…"));
}

TEST(Annotations, EveryPrefixOfEveryJournalCanBeWritten) {
  for (const auto& name : test::golden_names()) {
    const Records records = test::golden_records(name);
    for (std::size_t length = 0; length <= records.size(); length += 3) {
      const Report report =
          build_report(Records(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(length)));
      EXPECT_THAT(commands_of(report, "https://github.com/lab/tones"), Not(testing::IsEmpty()));
      for (const auto& line : lines_of(write_outputs(report)))
        EXPECT_TRUE(std::regex_match(line, std::regex("[a-z]+=.*"))) << line;
    }
  }
}

TEST(Outputs, NameWhatTheVerdictSays) {
  EXPECT_EQ(write_outputs(golden_report("proceed")),
            "decision=proceed\nscope=cpu\ncause=\nroute=mps\neffort=none\nwho=nobody\n");
}

TEST(Outputs, AreOneLineEachWhateverTheLabWrote) {
  for (const auto& name : test::golden_names()) {
    const auto lines = lines_of(write_outputs(golden_report(name)));
    EXPECT_THAT(lines, SizeIs(6)) << name;
  }
}

}  // namespace
}  // namespace mpsgate
