#include "process/worker.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

class Worker : public ::testing::Test {
 protected:
  WorkerCall call(std::vector<std::string> arguments, Json request = Json::object()) const {
    WorkerCall wanted;
    wanted.program = std::string(MPSGATE_BINARY_DIR) + "/bin/process_test_child";
    wanted.arguments = std::move(arguments);
    wanted.request = std::move(request);
    wanted.environment = {{"PATH", "/usr/bin"}};
    wanted.limits.wall_seconds = 60;
    return wanted;
  }
  std::string code(const WorkerCall& wanted) {
    const auto answer = call_worker(supervisor_, wanted);
    return answer.result ? "result" : answer.result.error().code;
  }
  Supervisor supervisor_;
};

TEST_F(Worker, AnswersWithEventsInBetween) {
  auto wanted = call({"worker"}, {{"op", "echo"}, {"text", "caf\xC3\xA9"}});
  std::string events;
  wanted.on_event = [&](const Json& event) { events += dump_json(event); };
  const auto answer = call_worker(supervisor_, wanted);
  ASSERT_TRUE(answer.result) << answer.result.error().text();
  EXPECT_EQ(string_at(*answer.result, "heard"), "caf\xC3\xA9");
  EXPECT_EQ(events, R"({"n":1}{"n":2})");
  EXPECT_NE(answer.process.err.head.find("chatter"), std::string::npos);
}

TEST_F(Worker, ErrorsAreItsOwn) {
  const auto answer = call_worker(supervisor_, call({"worker"}, {{"op", "other"}}));
  ASSERT_FALSE(answer.result);
  EXPECT_EQ(answer.result.error().code, "test.refused");
  EXPECT_EQ(answer.result.error().advice, "ask otherwise");
  EXPECT_EQ(code(call({"worker"}, {{"op", "throw"}})), "worker.exception");
  EXPECT_EQ(code(call({"worker"}, {{"op", "abort"}})), "worker.crashed");
}

TEST_F(Worker, EndingsAreToldApart) {
  auto missing = call({});
  missing.program = "/no/such/worker";
  EXPECT_EQ(code(missing), "worker.not-started");
  auto slow = call({"sleep"});
  slow.limits.wall_seconds = 0.2;
  EXPECT_EQ(code(slow), "worker.timed-out");
}

TEST_F(Worker, HostileAnswersAreRefused) {
  const std::string deep = "{\"result\":" + std::string(100'000, '[');
  for (const std::string& answer :
       {std::string("garbage"), std::string("{\"result\":1}\n{\"result\":2}"), std::string("[]"),
        std::string("{}"), std::string("\xff\xfe"), std::string("{\"result\":"), deep}) {
    EXPECT_EQ(code(call({"say", answer})), "worker.answer-invalid") << answer.substr(0, 40);
  }
  EXPECT_EQ(code(call({"exit", "0"})), "worker.answer-invalid");
  EXPECT_EQ(code(call({"noise"})), "worker.answer-invalid");
  EXPECT_EQ(code(call({"say", "{\"result\":1}"})), "result") << "an end without a newline";
}

}  // namespace
}  // namespace mpsgate
