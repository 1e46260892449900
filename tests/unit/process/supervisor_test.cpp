#include "base/files.h"
#include "base/text.h"
#include "process/interrupt.h"
#include "process/process.h"

#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace mpsgate {
namespace {

class SupervisorTest : public ::testing::Test {
 protected:
  ProcessRequest request(const std::string& mode, const std::string& argument = {}) const {
    ProcessRequest wanted;
    wanted.argv = {std::string(MPSGATE_BINARY_DIR) + "/bin/process_test_child", mode};
    if (!argument.empty()) wanted.argv.push_back(argument);
    wanted.environment = {{"PATH", "/usr/bin:/bin"}};
    wanted.limits.wall_seconds = 60;
    return wanted;
  }
  ProcessResult run(const std::string& mode, const std::string& argument = {}) {
    return supervisor_.run(request(mode, argument));
  }
  std::string pid_file() const { return (folder_.path() / "pid").string(); }
  /// The grandchild that noted its pid; waits until it is gone, or for 5 s.
  bool noted_child_is_gone() const {
    std::ifstream file(pid_file());
    pid_t pid = 0;
    file >> pid;
    if (pid <= 0) return false;
    for (int i = 0; i < 500; ++i) {
      if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  Supervisor supervisor_;
  TemporaryFolder folder_;
};

TEST_F(SupervisorTest, ExitCodeAndSignalAreToldApart) {
  auto result = run("exit", "3");
  EXPECT_EQ(result.ending, Ending::exited);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.description(), "exit code 3");
  EXPECT_FALSE(result.succeeded());
  result = run("signal", std::to_string(SIGSEGV));
  EXPECT_EQ(result.ending, Ending::signalled);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.description(), "signal 11 (SIGSEGV)");
  result = run("exit", "0");
  EXPECT_TRUE(result.succeeded());
  EXPECT_GT(result.peak_bytes, 100'000u);
  EXPECT_LT(result.peak_bytes, 4ull << 30);
}

TEST_F(SupervisorTest, AMissingProgramIsNoEnding) {
  auto wanted = request("exit");
  wanted.argv = {"no-such-program-at-all"};
  auto result = supervisor_.run(wanted);
  EXPECT_EQ(result.ending, Ending::not_started);
  EXPECT_NE(result.message.find("no-such-program-at-all"), std::string::npos);
  wanted.argv = {"/no/such/file"};
  EXPECT_EQ(supervisor_.run(wanted).ending, Ending::not_started);
  wanted.argv = {};
  EXPECT_EQ(supervisor_.run(wanted).ending, Ending::not_started);
  wanted = request("exit", "0");
  wanted.directory = "/no/such/folder";
  result = supervisor_.run(wanted);
  EXPECT_EQ(result.ending, Ending::not_started);
  EXPECT_NE(result.message.find("/no/such/folder"), std::string::npos);
}

TEST_F(SupervisorTest, ProgramsAreFoundOnTheChildsOwnPath) {
  auto wanted = request("");
  wanted.argv = {"process_test_child", "exit", "5"};
  wanted.environment["PATH"] = std::string("/nowhere:") + MPSGATE_BINARY_DIR + "/bin";
  EXPECT_EQ(supervisor_.run(wanted).exit_code, 5);
}

TEST_F(SupervisorTest, TheEnvironmentIsExactlyTheGivenOne) {
  ::setenv("MPSGATE_TEST_LEAK", "secret", 1);
  auto wanted = request("environment");
  wanted.environment = {{"A", "1"}, {"B", "two words"}};
  EXPECT_EQ(supervisor_.run(wanted).out.head, "A=1\nB=two words\n");
  ::unsetenv("MPSGATE_TEST_LEAK");
}

TEST_F(SupervisorTest, StreamsAreSeparateAndGoToFiles) {
  auto wanted = request("both");
  wanted.stdout_file = folder_.path() / "out";
  wanted.stderr_file = folder_.path() / "err";
  std::string seen;
  wanted.on_output = [&](Stream stream, std::string_view bytes) {
    seen += (stream == Stream::out ? "o" : "e") + std::to_string(bytes.size());
  };
  const auto result = supervisor_.run(wanted);
  EXPECT_EQ(result.out.head, "to out\n");
  EXPECT_EQ(result.err.head, "to err\n");
  EXPECT_EQ(read_file(wanted.stdout_file).value(), "to out\n");
  EXPECT_EQ(read_file(wanted.stderr_file).value(), "to err\n");
  EXPECT_NE(seen.find("o7"), std::string::npos);
}

TEST_F(SupervisorTest, AFloodIsCappedAndDoesNotBlock) {
  auto wanted = request("flood", "25000");
  wanted.stdout_file = folder_.path() / "out";
  wanted.limits.file_bytes = 100'000;
  wanted.limits.memory_bytes = 5000;
  const auto result = supervisor_.run(wanted);
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.out.bytes, 25'000u * 1024);
  EXPECT_EQ(result.err.bytes, 25'000u * 1024);
  EXPECT_TRUE(result.out.truncated);
  EXPECT_EQ(result.out.head.size(), 5000u);
  EXPECT_EQ(result.out.tail.size(), 5000u);
  EXPECT_NE(result.out.text().find("bytes left out"), std::string::npos);
  EXPECT_LT(fs::file_size(wanted.stdout_file), 100'200u);
  EXPECT_NE(read_file(wanted.stdout_file)->find("the rest of the log is left out"), std::string::npos);
}

TEST_F(SupervisorTest, LargeInputArrivesWhole) {
  auto wanted = request("count-input");
  wanted.input = std::string(3'000'000, 'x');
  EXPECT_EQ(supervisor_.run(wanted).out.head, "3000000\n");
  wanted.argv[1] = "exit";
  wanted.argv.push_back("0");
  EXPECT_TRUE(supervisor_.run(wanted).succeeded()) << "a child that does not read its input";
  EXPECT_EQ(run("count-input").out.head, "0\n");
}

TEST_F(SupervisorTest, TheFolderIsTheGivenOne) {
  auto wanted = request("folder");
  wanted.directory = folder_.path();
  EXPECT_EQ(supervisor_.run(wanted).out.head, folder_.path().string() + "\n");
}

TEST_F(SupervisorTest, TheWallLimitEndsIt) {
  auto wanted = request("sleep");
  wanted.limits.wall_seconds = 0.2;
  const auto result = supervisor_.run(wanted);
  EXPECT_EQ(result.ending, Ending::timed_out);
  EXPECT_GE(result.wall_seconds, 0.2);
}

TEST_F(SupervisorTest, ADeafProcessIsKilledAfterItsGrace) {
  auto wanted = request("deaf");
  wanted.limits.wall_seconds = 0.3;
  wanted.limits.grace_seconds = 0.3;
  const auto result = supervisor_.run(wanted);
  EXPECT_EQ(result.ending, Ending::timed_out);
  EXPECT_GE(result.wall_seconds, 0.6);
}

TEST_F(SupervisorTest, SilenceEndsIt) {
  auto wanted = request("deaf");  // says one word first
  wanted.limits.silence_seconds = 0.3;
  wanted.limits.grace_seconds = 0.1;
  EXPECT_EQ(supervisor_.run(wanted).ending, Ending::silent);
}

TEST_F(SupervisorTest, LeftoversAreEndedAndCounted) {
  const auto result = run("leave", pid_file());
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.leftovers, 1);
  EXPECT_TRUE(noted_child_is_gone());
}

TEST_F(SupervisorTest, ASessionOfItsOwnIsNoEscape) {
  EXPECT_EQ(run("leave-session", pid_file()).leftovers, 1);
  EXPECT_TRUE(noted_child_is_gone());
  fs::remove(pid_file());
  EXPECT_EQ(run("leave-deaf", pid_file()).leftovers, 1);
  EXPECT_TRUE(noted_child_is_gone());
}

TEST_F(SupervisorTest, ATimeOutEndsTheWholeTree) {
  auto wanted = request("stay-with-session", pid_file());
  wanted.limits.wall_seconds = 0.5;
  wanted.limits.grace_seconds = 0.2;
  EXPECT_EQ(supervisor_.run(wanted).ending, Ending::timed_out);
  EXPECT_TRUE(noted_child_is_gone());
}

TEST_F(SupervisorTest, ATreeThatGrowsPastItsCapIsEnded) {
  auto wanted = request("multiply");
  wanted.limits.processes = 20;
  const auto result = supervisor_.run(wanted);
  EXPECT_EQ(result.ending, Ending::too_many_processes);
  EXPECT_GT(result.processes_peak, 20);
}

TEST_F(SupervisorTest, AnInterruptStopsCleanly) {
  Interrupt::install();
  auto wanted = request("deaf");
  wanted.limits.grace_seconds = 0.1;
  wanted.on_output = [](Stream, std::string_view) { ::raise(SIGINT); };
  EXPECT_EQ(supervisor_.run(wanted).ending, Ending::interrupted);
  EXPECT_EQ(Interrupt::signal(), SIGINT);
  EXPECT_EQ(run("exit", "0").ending, Ending::interrupted) << "nothing is started any more";
  Interrupt::reset();
  EXPECT_TRUE(run("exit", "0").succeeded());
}

TEST_F(SupervisorTest, ASecondInterruptLeavesAtOnce) {
  EXPECT_EXIT(
      {
        Interrupt::install();
        auto wanted = request("deaf");
        wanted.on_output = [](Stream, std::string_view) {
          ::raise(SIGTERM);
          ::raise(SIGTERM);
        };
        Supervisor().run(wanted);
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST_F(SupervisorTest, TimeWithAChildIsAddedUp) {
  EXPECT_EQ(supervisor_.child_seconds(), 0);
  auto wanted = request("sleep");
  wanted.limits.wall_seconds = 0.2;
  supervisor_.run(wanted);
  EXPECT_GE(supervisor_.child_seconds(), 0.2);
}

}  // namespace
}  // namespace mpsgate
