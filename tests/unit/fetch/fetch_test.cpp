#include "fetch/fetch.h"

#include "lab.h"
#include "process/worker.h"

#include <random>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Answers what it is told to, and keeps what it was asked.
class FakeRunner : public ProcessRunner {
 public:
  ProcessResult run(const ProcessRequest& request) override {
    asked = request;
    if (on_run) on_run();
    ProcessResult result;
    result.ending = ending;
    result.exit_code = 0;
    result.out.head = answer;
    result.out.bytes = answer.size();
    return result;
  }

  std::string answer;
  Ending ending = Ending::exited;
  std::function<void()> on_run;
  ProcessRequest asked;
};

const std::string kCommit(40, 'c');
const std::string kTree(40, 'd');

Checkout some_checkout() {
  Checkout checkout;
  checkout.url = "https://host/lab/x";
  checkout.commit = kCommit;
  checkout.folder = "/nonexistent/out";
  checkout.worker = "/opt/mpsgate-fetch";
  return checkout;
}

TEST(CheckOut, TheWorkerGetsTheNamedCredentialAndNoOther) {
  FakeRunner runner;
  auto checkout = some_checkout();
  checkout.credential = "LAB_TOKEN";
  const Variables own = {{"LAB_TOKEN", "s3cret"}, {"AWS_SECRET_ACCESS_KEY", "other"}, {"HOME", "/home/ada"}};
  (void)check_out(runner, own, checkout);
  EXPECT_EQ(runner.asked.environment.at("LAB_TOKEN"), "s3cret");
  EXPECT_EQ(runner.asked.environment.count("AWS_SECRET_ACCESS_KEY"), 0u);
  EXPECT_THAT(runner.asked.input, Not(HasSubstr("s3cret")));
  EXPECT_EQ(runner.asked.argv, std::vector<std::string>{"/opt/mpsgate-fetch"});
  (void)get_page(runner, own, "https://index/simple/", "");
  EXPECT_EQ(runner.asked.environment.count("LAB_TOKEN"), 0u);
  EXPECT_EQ(runner.asked.argv.at(0), sibling_executable("mpsgate-fetch").string());
}

TEST(CheckOut, PathsAreHandedOnAbsolute) {
  FakeRunner runner;
  auto checkout = some_checkout();
  checkout.substitute = "labs/x";
  checkout.substitutes = {{"https://host/y", "labs/y"}};
  (void)check_out(runner, {}, checkout);
  const auto request = parse_json(runner.asked.input, "request").value();
  EXPECT_EQ(string_at(request, "substitute"), (fs::current_path() / "labs/x").string());
  EXPECT_EQ(string_at(request["substitutes"][0], "folder"), (fs::current_path() / "labs/y").string());
}

TEST(CheckOut, ReadsAnAnswer) {
  FakeRunner runner;
  runner.answer = R"({"result":{"commit":")" + kCommit + R"(","tree":")" + kTree +
                  R"(","files":3,"bytes":12,"submodules":[{"path":"s","url":"u","commit":"c"}],)"
                  R"("lfs_pointers":["w.pt"],"libgit2":"1.5.1","later":true}})";
  const auto result = check_out(runner, {}, some_checkout());
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->files, 3u);
  EXPECT_EQ(result->bytes, 12u);
  EXPECT_EQ(result->submodules.at(0).path, "s");
  EXPECT_EQ(result->lfs_pointers, std::vector<std::string>{"w.pt"});
}

TEST(CheckOut, AnAnswerForAnotherCommitIsNone) {
  FakeRunner runner;
  runner.answer = R"({"result":{"commit":")" + std::string(40, 'e') + R"(","tree":")" + kTree + R"("}})";
  EXPECT_EQ(check_out(runner, {}, some_checkout()).error().code, "worker.answer-invalid");
}

TEST(CheckOut, HostileAnswersAreErrors) {
  std::mt19937 random(3);
  const std::string good = R"({"result":{"commit":")" + kCommit + R"(","tree":")" + kTree +
                           R"(","files":3,"bytes":12,"submodules":[{"path":"s"}],"lfs_pointers":["w"]}})";
  FakeRunner runner;
  for (const std::string& answer : {std::string(), std::string("null"), std::string("[]"),
                                    std::string(R"({"result":null})"), std::string(R"({"result":[1,2]})"),
                                    std::string(R"({"result":{"submodules":5,"lfs_pointers":{"a":1}}})"),
                                    std::string(R"({"error":{"code":5}})")}) {
    runner.answer = answer;
    EXPECT_FALSE(check_out(runner, {}, some_checkout())) << answer;
    EXPECT_FALSE(get_page(runner, {}, "https://h/", "", 1, 100, "/opt/w")) << answer;
  }
  for (int round = 0; round < 3000; ++round) {
    runner.answer = good;
    for (int edits = 0; edits < 3; ++edits) {
      runner.answer[random() % runner.answer.size()] = "{}[]\",:0a-\\"[random() % 11];
    }
    const auto result = check_out(runner, {}, some_checkout());
    if (result) {
      EXPECT_EQ(result->commit, kCommit);
    }
  }
}

TEST(CheckOut, WhatAFailureLeftIsRemoved) {
  const TemporaryFolder folder;
  FakeRunner runner;
  auto checkout = some_checkout();
  checkout.folder = folder.path() / "out";
  runner.ending = Ending::signalled;
  runner.on_run = [&] { ASSERT_TRUE(write_file(checkout.folder / "half.txt", "half")); };
  EXPECT_EQ(check_out(runner, {}, checkout).error().code, "worker.crashed");
  EXPECT_FALSE(fs::exists(checkout.folder));
}

TEST(CheckOut, ATimeOutOfAServerIsUnreachableOfADiskIsNot) {
  FakeRunner runner;
  runner.ending = Ending::timed_out;
  auto checkout = some_checkout();
  checkout.url = "https://ada:pw@host/x";
  const auto error = check_out(runner, {}, checkout).error();
  EXPECT_EQ(error.code, "source.unreachable");
  EXPECT_THAT(error.message, Not(HasSubstr("pw")));
  checkout.substitute = "/srv/x";
  EXPECT_EQ(check_out(runner, {}, checkout).error().code, "worker.timed-out");
}

TEST(Worker, AnUnknownOperationIsNamed) {
  Supervisor processes;
  WorkerCall call;
  call.program = fetch_worker();
  call.request = {{"operation", "format-disk"}};
  const auto answer = call_worker(processes, call);
  ASSERT_FALSE(answer.result);
  EXPECT_EQ(answer.result.error().code, "worker.request-invalid");
  EXPECT_THAT(answer.result.error().message, HasSubstr("format-disk"));
}

TEST(Worker, RequestsOfTheWrongTypeAreRefused) {
  Supervisor processes;
  const TemporaryFolder folder;
  for (const Json& request :
       {Json{{"operation", "checkout"}}, Json{{"operation", 5}},
        Json{{"operation", "checkout"}, {"folder", "relative"}, {"commit", kCommit}},
        Json{{"operation", "checkout"},
             {"folder", (folder.path() / "o").string()},
             {"substitutes", "x"},
             {"url", Json::array()},
             {"commit", 7}},
        Json{{"operation", "page"}}, Json{{"operation", "page"}, {"url", 7}, {"cap", "x"}}}) {
    WorkerCall call;
    call.program = fetch_worker();
    call.request = request;
    const auto answer = call_worker(processes, call);
    ASSERT_FALSE(answer.result) << request;
    EXPECT_NE(answer.result.error().code, "worker.exception") << request;
    EXPECT_NE(answer.result.error().code, "worker.crashed") << request;
  }
}

}  // namespace
}  // namespace mpsgate
