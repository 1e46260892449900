#include "record/journal.h"

#include "base/files.h"
#include "base/text.h"
#include "record/draft.h"

#include <fstream>
#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

class FixedClock : public Clock {
 public:
  std::int64_t now_ms() const override { return 1'796'114'769'123; }
  double seconds() const override { return 0; }
};

class JournalFile : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "journal.jsonl"; }
  Journal open() { return std::move(Journal::open(path(), clock_).value()); }
  std::string text() const { return read_file(path()).value(); }

  TemporaryFolder folder_;
  FixedClock clock_;
};

TEST_F(JournalFile, AppendsLinesAndReadsThemBack) {
  {
    Journal journal = open();
    ASSERT_TRUE(journal.append("host", note("host", "chip", "Apple M2")));
    ASSERT_TRUE(journal.append("host", step_end(StepStatus::passed)));
    ASSERT_TRUE(journal.sync());
  }
  EXPECT_EQ(text().substr(0, text().find('\n')),
            R"({"v":1,"seq":0,"time":"2026-12-01T08:46:09.123Z","step":"host","kind":"note","id":"host",)"
            R"("data":{"name":"chip","value":"Apple M2"}})");
  const auto records = read_journal(path()).value();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].seq, 1u);
  Journal again = open();
  EXPECT_EQ(again.records().size(), 2u);
  ASSERT_TRUE(again.append("", note("n", "a", 1)));
  EXPECT_EQ(read_journal(path()).value()[2].seq, 2u);
}

TEST_F(JournalFile, AKillCutsOffNoMoreThanTheLastLine) {
  {
    Journal journal = open();
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(journal.append("s", note("n", "i", i)));
  }
  const std::string whole = text();
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    std::ofstream(path(), std::ios::trunc) << whole.substr(0, length);
    const auto records = read_journal(path());
    ASSERT_TRUE(records) << length;
    Journal journal = open();
    EXPECT_EQ(journal.records().size(), records->size());
    ASSERT_TRUE(journal.append("s", note("n", "after", true)));
    EXPECT_EQ(read_journal(path()).value().size(), records->size() + 1);
  }
}

TEST_F(JournalFile, NamesTheDamagedLine) {
  {
    Journal journal = open();
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(journal.append("s", note("n", "i", i)));
  }
  auto lines = lines_of(text());
  for (const char* bad : {"", "{", "[]", R"({"v":2,"seq":1,"kind":"note","id":"n","data":{}})",
                          R"({"v":1,"seq":1,"kind":"novel","id":"n","data":{}})",
                          R"({"v":1,"seq":7,"kind":"note","id":"n","data":{}})",
                          R"({"v":1,"seq":1,"kind":"note","id":"n","data":[]})"}) {
    std::ofstream(path(), std::ios::trunc) << lines[0] << "\n" << bad << "\n" << lines[2] << "\n";
    const auto records = read_journal(path());
    ASSERT_FALSE(records) << bad;
    EXPECT_EQ(records.error().code, "journal.damaged");
    EXPECT_EQ(records.error().place.line, 2);
  }
}

TEST_F(JournalFile, NoBytesCrashTheReader) {
  {
    Journal journal = open();
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(journal.append("s", measurement("m", i, "s")));
  }
  const std::string whole = text();
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string broken = whole;
    for (int i = 0; i < 3; ++i)
      broken[random() % broken.size()] = static_cast<char>(random() % 256);
    if (!parse_journal(broken, "journal")) ++refused;
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(JournalFile, InvalidTextIsMadeValidBeforeItIsKept) {
  Journal journal = open();
  ASSERT_TRUE(journal.append("s", note("n", "bytes", "\xff")));
  EXPECT_EQ(journal.records()[0].data["value"], read_journal(path()).value()[0].data["value"]);
}

}  // namespace
}  // namespace mpsgate
