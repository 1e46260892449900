#include "base/text.h"

#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(lines_of("one\r\ntwo\n"), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(trim(" \t x y \n"), "x y");
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");
}

TEST(Text, MakesUtf8Strict) {
  EXPECT_EQ(to_utf8("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(to_utf8("\xFF"), "\xEF\xBF\xBD");
  for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
    EXPECT_TRUE(is_utf8(to_utf8(bad)));
  }
}

TEST(Text, AnyBytesBecomeUtf8OnOneHarmlessLine) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i)
      bytes += static_cast<char>(random() % 256);
    const std::string line = one_line(bytes, 20);
    EXPECT_TRUE(is_utf8(line));
    EXPECT_EQ(line.find_first_of("\x1b\n\r\t"), std::string::npos);
    EXPECT_EQ(one_line(line, 20), line) << "must be stable";
  }
}

TEST(Text, StripsTerminalSequences) {
  EXPECT_EQ(strip_terminal("\x1b[31mred\x1b[0m"), "red");
  EXPECT_EQ(strip_terminal("\x1b]0;title\x07plain"), "plain");
  EXPECT_EQ(strip_terminal("\x1b]8;;http://x\x1b\\link"), "link");
  EXPECT_EQ(strip_terminal("10%\r50%\r100%\ndone"), "100%\ndone");
  EXPECT_EQ(strip_terminal("a\r\nb"), "a\nb");
  EXPECT_EQ(strip_terminal("cut \x1b["), "cut ");
  EXPECT_EQ(strip_terminal("cut \x1b"), "cut ");
}

TEST(Text, CutsByCodePoints) {
  EXPECT_EQ(one_line("ééééé", 3), "ééé…");
  EXPECT_EQ(one_line("abc", 3), "abc");
}

TEST(Text, LastLines) {
  EXPECT_EQ(last_lines("a\nb\nc\n\n", 2), (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(last_lines("", 3).empty());
}

TEST(Text, FindsTheLikelySlip) {
  EXPECT_EQ(nearest("comands", {"commands", "outputs"}), "commands");
  EXPECT_EQ(nearest("Outputs", {"commands", "outputs"}), "outputs");
  EXPECT_EQ(nearest("zebra", {"commands", "outputs"}), "");
}

TEST(Text, Quantities) {
  EXPECT_EQ(format_seconds(0.004), "0.00 s");
  EXPECT_EQ(format_seconds(12.34), "12.3 s");
  EXPECT_EQ(format_seconds(245), "4 min 05 s");
  EXPECT_EQ(format_seconds(7380), "2 h 03 min");
  EXPECT_EQ(format_seconds(-1), "?");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(12ull << 30), "12.0 GiB");
  EXPECT_EQ(format_number(0.001), "0.001");
  EXPECT_EQ(format_number(1.0 / 3, 3), "0.333");
}

TEST(Text, QuotesForAShell) {
  EXPECT_EQ(shell_quoted({"python", "-c", "print('a b')", ""}), "python -c 'print('\\''a b'\\'')' ''");
}

}  // namespace
}  // namespace mpsgate
