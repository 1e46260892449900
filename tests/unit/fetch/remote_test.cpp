#include "http_server.h"
#include "lab.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kToken = "s3cret-token";
// x-access-token:s3cret-token
constexpr const char* kBasic = "Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0LXRva2Vu";

class RemoteTest : public CheckoutTest {
 protected:
  RemoteTest() {
    lab_.write("a.txt", "one");
    lab_.write("data/b.txt", "b");
    first_ = lab_.commit("first");
    lab_.git({"tag", "-a", "v1", "-m", "v1"});
    lab_.write("a.txt", "two");
    second_ = lab_.commit("second");
    lab_.write("a.txt", "three");
    tip_ = lab_.commit("third");
  }
  void start(GitServer::Options options = {}) { server_.emplace(lab_.folder().string(), std::move(options)); }
  Result<CheckedOut> fetch(const std::string& commit, const std::string& credential = {}) {
    auto checkout = request(server_->url(), commit);
    checkout.credential = credential;
    return run(checkout);
  }
  bool token_seen() const {
    const auto requests = server_->requests();
    return std::any_of(requests.begin(), requests.end(),
                       [](const HttpRequest& request) { return request.headers.count("authorization") > 0; });
  }

  Lab lab_{processes_, folder_.path() / "lab"};
  std::string first_, second_, tip_;
  std::optional<GitServer> server_;
};

TEST_F(RemoteTest, FetchesACommitByItsId) {
  start();
  for (const auto& [commit, content] :
       {std::pair(second_, "two"), std::pair(tip_, "three"), std::pair(first_, "one")}) {
    const auto result = fetch(commit);
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(text("a.txt"), content);
    EXPECT_EQ(git_out({"rev-parse", "HEAD"}), commit);
    EXPECT_EQ(git_out({"status", "--porcelain"}), "");
    EXPECT_THAT(git_out({"log", "-1", "--format=%s"}), Not(HasSubstr("fatal")));
    EXPECT_FALSE(fs::exists(out() / ".git" / "objects" / "info" / "alternates"));
    ASSERT_TRUE(remove_tree(out()));
  }
}

TEST_F(RemoteTest, AServerThatRefusesIdsIsAskedForHeadsAndTags) {
  start({.capabilities = "ofs-delta"});
  const auto result = fetch(second_);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(text("a.txt"), "two");
  EXPECT_THAT(log(), HasSubstr("fetching all heads and tags instead"));
  ASSERT_TRUE(remove_tree(out()));
  // What a head names needs no such capability.
  ASSERT_TRUE(fetch(tip_));
  EXPECT_THAT(log(), Not(HasSubstr("instead")));
}

TEST_F(RemoteTest, AnUnknownCommitIsLookedForEverywhere) {
  start({.capabilities = "ofs-delta"});
  auto result = fetch(std::string(40, 'a'));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.commit-unknown") << result.error().text();
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(RemoteTest, ProgressIsTold) {
  start();
  auto checkout = request(server_->url(), tip_);
  int told = 0;
  checkout.on_progress = [&](std::uint64_t received, std::uint64_t total, std::uint64_t) {
    ++told;
    EXPECT_LE(received, total + 100);
  };
  ASSERT_TRUE(run(checkout));
  EXPECT_GE(told, 1);
}

TEST_F(RemoteTest, ATokenOpensAPrivateRepositoryAndIsWrittenNowhere) {
  start({.authorization = kBasic});
  own_["LAB_TOKEN"] = std::string(kToken) + "\n";
  own_["OTHER_TOKEN"] = "not passed on";
  const auto result = fetch(second_, "LAB_TOKEN");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_TRUE(token_seen());
  EXPECT_THAT(log(), Not(HasSubstr(kToken)));
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(read_file(entry.path()).value().find(kToken), std::string::npos) << entry.path();
  }
}

TEST_F(RemoteTest, AWrongTokenIsOfferedOnce) {
  start({.authorization = kBasic});
  own_["LAB_TOKEN"] = "wrong";
  const auto result = fetch(second_, "LAB_TOKEN");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.credential");
  EXPECT_THAT(result.error().message, HasSubstr("refused the token in LAB_TOKEN"));
  EXPECT_THAT(result.error().text(), Not(HasSubstr("wrong\"")));
  EXPECT_LE(server_->requests().size(), 3u);
}

TEST_F(RemoteTest, WithoutATokenAPrivateRepositorySaysSo) {
  start({.authorization = kBasic});
  auto result = fetch(second_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.credential");
  EXPECT_THAT(result.error().message, HasSubstr("private, or does not exist"));
  result = fetch(second_, "UNSET_TOKEN");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.credential");
  EXPECT_THAT(result.error().message, HasSubstr("UNSET_TOKEN"));
}

TEST_F(RemoteTest, ATokenDoesNotFollowARedirect) {
  GitServer target(lab_.folder().string(), {.authorization = kBasic});
  own_["LAB_TOKEN"] = kToken;
  const std::string there = replace_all(target.url(), "/lab.git", "");
  start({.redirect = replace_all(there, "127.0.0.1", "localhost")});
  auto result = fetch(second_, "LAB_TOKEN");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.refused") << result.error().text();
  EXPECT_TRUE(target.requests().empty());

  start({.redirect = there});
  result = fetch(second_, "LAB_TOKEN");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.credential") << result.error().text();
  for (const auto& asked : target.requests())
    EXPECT_EQ(asked.headers.count("authorization"), 0u);
}

TEST_F(RemoteTest, WithoutATokenARedirectIsFollowed) {
  GitServer target(lab_.folder().string(), {});
  start({.redirect = replace_all(target.url(), "/lab.git", "")});
  const auto result = fetch(second_);
  EXPECT_TRUE(result) << result.error().text();
}

TEST_F(RemoteTest, APasswordInTheUrlIsRefusedAndHidden) {
  start();
  const auto result = run(request(replace_all(server_->url(), "://", "://ada:hunter2@"), tip_));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.credential");
  EXPECT_THAT(result.error().text() + log(), Not(HasSubstr("hunter2")));
  EXPECT_TRUE(server_->requests().empty());
}

TEST_F(RemoteTest, NobodyThereIsUnreachable) {
  auto result = run(request("http://127.0.0.1:" + std::to_string(closed_port()) + "/lab.git", tip_));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable") << result.error().text();
  EXPECT_THAT(result.error().advice, HasSubstr("--source"));
  result = run(request("https://nowhere.invalid/lab.git", tip_));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable") << result.error().text();
  start();
  result = run(request(replace_all(server_->url(), "lab.git", "absent.git"), tip_));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable") << result.error().text();
  EXPECT_THAT(result.error().message, HasSubstr("404"));
}

TEST_F(RemoteTest, CertificatesThatCannotBeReadAreNamed) {
  start();
  own_["SSL_CERT_FILE"] = "/nonexistent/certificates.pem";
  const auto result = fetch(tip_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable");
  EXPECT_THAT(result.error().text(), HasSubstr("/nonexistent/certificates.pem"));
  EXPECT_THAT(result.error().advice, HasSubstr("SSL_CERT_FILE"));
}

TEST_F(RemoteTest, APackThatBreaksOffIsNotTheLabs) {
  start({.cut = true});
  const auto result = fetch(tip_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable") << result.error().text();
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(RemoteTest, AServersErrorEndsIt) {
  start({.error = "upload-pack: not our ref"});
  const auto result = fetch(second_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable") << result.error().text();
  EXPECT_THAT(log(), HasSubstr("instead"));
}

TEST_F(RemoteTest, AServerThatStopsTalkingIsUnreachable) {
  HttpServer silent([](const HttpRequest&) {
    return HttpResponse{.status = 200, .body = "", .headers = {}, .hang = true};
  });
  auto checkout = request(silent.url("/lab.git"), tip_);
  checkout.seconds = 1;
  const auto result = run(checkout);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "source.unreachable") << result.error().text();
}

TEST_F(RemoteTest, ASubmoduleBesideItComesFromTheSameServer) {
  // The server knows one repository only: the commit pins an older one of itself.
  const std::string commit = lab_.pin("older", "../lab.git", first_);
  start();
  const auto result = fetch(commit);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(text("older/a.txt"), "one");
  EXPECT_EQ(result->submodules.at(0).url, server_->url());
}

}  // namespace
}  // namespace mpsgate
