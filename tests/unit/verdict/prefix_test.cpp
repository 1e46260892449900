// Properties of decide() on any prefix of a journal, and on journals that no runner wrote.
#include "story.h"
#include "verdict/verdict.h"

#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

using test::Story;

Records prefix(const Records& records, std::size_t length) {
  return Records(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(length));
}

/// What holds for every verdict, whatever the journal.
void expect_sound(const Verdict& verdict) {
  EXPECT_GE(verdict.rule, 1);
  EXPECT_LE(verdict.rule, 6);
  EXPECT_EQ(verdict.reasons.empty(), verdict.rule == 6);
  EXPECT_EQ(verdict.decision == Decision::proceed_or_continue, verdict.rule == 6);
  EXPECT_EQ(verdict.decision == Decision::abort, verdict.rule == 1 || verdict.rule == 2 || verdict.rule == 4);
  EXPECT_TRUE(verdict.finished || verdict.decision != Decision::proceed_or_continue);
  EXPECT_FALSE(verdict.because.empty());
  EXPECT_FALSE(verdict.next.empty());
  EXPECT_EQ(line_of(verdict).find('\n'), std::string::npos);
  EXPECT_FALSE(dump_json(to_json(verdict)).empty());
  const ExitCode code = exit_code(verdict);
  EXPECT_TRUE(code == ExitCode::ok || code == ExitCode::abort || code == ExitCode::inconclusive ||
              code == ExitCode::interrupted || code == ExitCode::terminated);
  if (verdict.interrupted == 0) {
    EXPECT_EQ(code == ExitCode::ok, verdict.rule == 6);
    EXPECT_EQ(code == ExitCode::abort, verdict.decision == Decision::abort);
  }
}

TEST(Prefix, OnlyTheWholeJournalCanGoOn) {
  for (const auto& story : {Story("run", "mps"), Story("rehearse", "cpu"), Story("rehearse", "simulated")}) {
    const Records records = story.records();
    for (std::size_t length = 0; length < records.size(); ++length) {
      const Verdict verdict = decide(prefix(records, length));
      expect_sound(verdict);
      EXPECT_EQ(verdict.word, "inconclusive") << length;
    }
    EXPECT_EQ(decide(records).rule, 6);
  }
}

TEST(Prefix, AStaticStopStandsInEveryLongerOne) {
  for (const auto& story : {Story("run", "mps"), Story("rehearse", "cpu")}) {
    auto told = story;
    told.finding("audit", "audit.cuda-essential", "stop", "static", "cuda")
        .finding("probe", "machine.canary-wrong", "doubt", "device", "machine")
        .finding("strict", "crash.signal", "stop", "device", "crash", "mps", "infer")
        .ends("strict", "failed");
    const Records records = told.records();
    bool seen = false;
    for (std::size_t length = 0; length <= records.size(); ++length) {
      seen = seen || (length > 0 && records[length - 1].id == "audit.cuda-essential");
      const Verdict verdict = decide(prefix(records, length));
      expect_sound(verdict);
      EXPECT_EQ(verdict.word, seen ? "abort" : "inconclusive") << length;
    }
    EXPECT_TRUE(seen);
  }
}

/// A value that a damaged or hostile journal may hold.
Json anything(std::mt19937& random, int depth = 0) {
  static const std::vector<std::string> words = {"",
                                                 "stop",
                                                 "doubt",
                                                 "gap",
                                                 "static",
                                                 "device",
                                                 "mps",
                                                 "cpu",
                                                 "passed",
                                                 "failed",
                                                 "infer",
                                                 "crash.exit",
                                                 "memory.growth",
                                                 "nan",
                                                 "inf",
                                                 "over",
                                                 "\xff\xfe",
                                                 "a\nb",
                                                 "audit.cuda-essential"};
  switch (random() % (depth > 2 ? 5 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<double>(random() % 100) - 50.0;
    case 3:
      return 1e300;
    case 4:
      return words[random() % words.size()];
    case 5: {
      Json array = Json::array();
      for (auto i = random() % 4; i > 0; --i)
        array.push_back(anything(random, depth + 1));
      return array;
    }
    default: {
      static const std::vector<std::string> keys = {
          "id",    "weight", "basis",  "cause", "command",  "place", "line",    "file",     "status",
          "value", "unit",   "gating", "steps", "criteria", "rule",  "purpose", "commands", "in_force"};
      Json object = Json::object();
      for (auto i = random() % 6; i > 0; --i)
        object[keys[random() % keys.size()]] = anything(random, depth + 1);
      return object;
    }
  }
}

TEST(Prefix, HostileJournalsGiveASoundVerdict) {
  std::mt19937 random(20261201);
  const Records whole = Story("run", "mps")
                            .measurement("soak", "memory.growth", 10.0, "%", "mps", "infer")
                            .finding("strict", "crash.exit", "stop", "device", "crash", "mps", "infer")
                            .finding("host", "machine.virtual", "doubt", "device", "machine")
                            .records();
  for (int round = 0; round < 1000; ++round) {
    Records records = prefix(whole, random() % (whole.size() + 1));
    for (auto& record : records) {
      if (random() % 8 != 0) continue;
      switch (random() % 4) {
        case 0:
          record.data = Json::object({{"data", anything(random)}});
          break;
        case 1:
          if (!record.data.empty()) {
            auto member = record.data.begin();
            std::advance(member, static_cast<std::ptrdiff_t>(random() % record.data.size()));
            *member = anything(random);
          }
          break;
        case 2:
          record.kind = static_cast<Kind>(random() % 8);
          break;
        default:
          record.arm = random() % 2 == 0 ? "mps" : "cpu";
          break;
      }
    }
    if (random() % 4 == 0) std::shuffle(records.begin(), records.end(), random);
    expect_sound(decide(records));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(Prefix, ManyFindingsTakeLittleTime) {
  Story story("run", "mps");
  for (int i = 0; i < 5000; ++i)
    story.finding("strict", "crash.exit", "stop", "device", "crash", "mps", "infer" + std::to_string(i % 3));
  EXPECT_EQ(decide(story.records()).reasons.size(), 3u);
}

}  // namespace
}  // namespace mpsgate
