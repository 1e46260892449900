#include "cli/terminal.h"

#include "base/files.h"
#include "record/draft.h"

#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

/// Time that tests move.
class HandClock : public Clock {
 public:
  std::int64_t now_ms() const override { return 0; }
  double seconds() const override { return now; }
  std::atomic<double> now{0};
};

class TerminalTest : public ::testing::Test {
 protected:
  /// What a terminal of this style wrote to a file.
  template <class Use>
  std::string written(TerminalStyle style, Use use) {
    const auto path = folder_.path() / "out";
    std::FILE* file = std::fopen(path.c_str(), "w");
    {
      Terminal terminal(file, style, clock_);
      use(terminal);
    }
    std::fclose(file);
    return read_file(path).value();
  }
  static Record ended(StepStatus status, const std::string& reason) {
    Record record = step_end(status, reason);
    record.step = "control";
    record.data["seconds"] = 1.25;
    return record;
  }
  TemporaryFolder folder_;
  HandClock clock_;
};

TEST_F(TerminalTest, ALineAStep) {
  EXPECT_EQ(written({},
                    [](Terminal& terminal) {
                      terminal.step_began("control", "");
                      terminal.step_ended(ended(StepStatus::passed, ""), {});
                    }),
            "   control      passed         1.2 s\n");
}

TEST_F(TerminalTest, AFailureShowsTailLogAndReproduceLine) {
  Record end = ended(StepStatus::failed, "it broke");
  end.data["tail"] = {"::error::x", "  indented ##[error]y", "\x1b[31mred"};
  end.data["log"] = "logs/control.err";
  end.data["reproduce"] = "sh x.sh '##[group]'";
  const std::string text = written({}, [&](Terminal& terminal) { terminal.step_ended(end, {}); });
  EXPECT_NE(text.find("it broke"), std::string::npos);
  EXPECT_NE(text.find("log: logs/control.err"), std::string::npos);
  EXPECT_NE(text.find("reproduce: sh x.sh"), std::string::npos);
  EXPECT_EQ(text.find("##["), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("| ::"), std::string::npos);
}

TEST_F(TerminalTest, AHeartbeatWhereNobodyWatches) {
  TerminalStyle style;
  style.heartbeat_seconds = 60;
  const std::string text = written(style, [&](Terminal& terminal) {
    terminal.step_began("control", "");
    clock_.now = 61;
    for (int i = 0; i < 100 && std::filesystem::file_size(folder_.path() / "out") == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  EXPECT_EQ(text, "   control      still running after 1 min 01 s\n");
}

TEST_F(TerminalTest, ColourAndLiveLinesOnlyForAPerson) {
  ::unsetenv("NO_COLOR");
  ::unsetenv("CLICOLOR_FORCE");
  ::unsetenv("FORCE_COLOR");
  std::FILE* file = std::fopen((folder_.path() / "out").c_str(), "w");
  EXPECT_FALSE(terminal_style(file).live);
  EXPECT_FALSE(terminal_style(file).colour);
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(terminal_style(file).colour);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(terminal_style(file).colour);
  ::unsetenv("NO_COLOR");
  ::unsetenv("CLICOLOR_FORCE");
  std::fclose(file);
}

}  // namespace
}  // namespace mpsgate
