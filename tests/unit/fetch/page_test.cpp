#include "http_server.h"
#include "lab.h"

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PageTest : public ::testing::Test {
 protected:
  Result<Page> get(const std::string& url, double seconds = 30, std::uint64_t cap = 1 << 20) {
    return get_page(processes_, own_, url, "text/html", seconds, cap, fetch_worker());
  }
  static HttpResponse serve(const HttpRequest& request) {
    if (request.target == "/simple/")
      return {.status = 200, .body = "<a>tones</a>", .headers = {{"Content-Type", "text/html"}}};
    if (request.target == "/moved") return {.status = 302, .body = "", .headers = {{"Location", "/simple/"}}};
    if (request.target == "/loop") return {.status = 302, .body = "", .headers = {{"Location", "/loop"}}};
    if (request.target == "/to-file")
      return {.status = 302, .body = "", .headers = {{"Location", "file:///etc/passwd"}}};
    if (request.target == "/to-ftp")
      return {.status = 302, .body = "", .headers = {{"Location", "ftp://127.0.0.1/x"}}};
    if (request.target == "/large") return {.status = 200, .body = std::string(2 << 20, 'x'), .headers = {}};
    if (request.target == "/full")
      return {.status = 200, .body = std::string(1 << 20, '\x01'), .headers = {}};
    if (request.target == "/latin") return {.status = 200, .body = "caf\xE9", .headers = {}};
    if (request.target == "/slow") return {.status = 200, .body = "", .headers = {}, .hang = true};
    if (request.target == "/reset")
      return {.status = 200, .body = "", .headers = {}, .hang = false, .reset = true};
    if (request.target == "/broken") return {.status = 503, .body = "later", .headers = {}};
    return {.status = 404, .body = "nothing here", .headers = {}};
  }

  TemporaryFolder folder_;
  Supervisor processes_;
  HttpServer server_{serve};
  Variables own_ = {{"HOME", folder_.path().string()}, {"PATH", "/usr/bin:/bin"}};
};

TEST_F(PageTest, BringsAPage) {
  const auto page = get(server_.url("/simple/"));
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "<a>tones</a>");
  EXPECT_EQ(page->content_type, "text/html");
  EXPECT_EQ(page->final_url, server_.url("/simple/"));
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].headers.at("accept"), "text/html");
  EXPECT_THAT(requests[0].headers.at("user-agent"), HasSubstr("mpsgate/"));
  EXPECT_EQ(requests[0].headers.count("authorization"), 0u);
}

TEST_F(PageTest, AnyStatusIsAnAnswer) {
  EXPECT_EQ(get(server_.url("/absent")).value().status, 404);
  EXPECT_EQ(get(server_.url("/absent")).value().body, "nothing here");
  EXPECT_EQ(get(server_.url("/broken")).value().status, 503);
}

TEST_F(PageTest, FollowsRedirectsToWebPagesOnly) {
  const auto page = get(server_.url("/moved"));
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(page->final_url, server_.url("/simple/"));
  for (const char* path : {"/loop", "/to-file", "/to-ftp"}) {
    const auto refused = get(server_.url(path));
    ASSERT_FALSE(refused) << path << refused->body;
    EXPECT_EQ(refused.error().code, "net.refused") << path << ": " << refused.error().text();
  }
}

TEST_F(PageTest, StopsAtTheCap) {
  const auto page = get(server_.url("/large"));
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, "net.refused");
  EXPECT_THAT(page.error().message, HasSubstr("1.0 MiB"));
}

TEST_F(PageTest, ThePageThatGrowsMostInJsonComesThrough) {
  const auto page = get(server_.url("/full"));
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(page->body, std::string(1 << 20, '\x01'));
  EXPECT_EQ(get(server_.url("/latin")).value().body, "caf\xEF\xBF\xBD");
}

TEST_F(PageTest, ASlowServerIsUnreachableInTime) {
  const auto page = get(server_.url("/slow"), 0.5);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, "net.unreachable");
  EXPECT_THAT(page.error().message, HasSubstr("within 0.5 s"));
}

TEST_F(PageTest, NobodyThereIsUnreachable) {
  for (const std::string& url : {"http://127.0.0.1:" + std::to_string(closed_port()) + "/",
                                 std::string("https://nowhere.invalid/simple/"), server_.url("/reset"),
                                 replace_all(server_.url("/simple/"), "http:", "https:")}) {
    const auto page = get(url);
    ASSERT_FALSE(page) << url;
    EXPECT_EQ(page.error().code, "net.unreachable") << url << ": " << page.error().text();
    EXPECT_THAT(page.error().message,
                HasSubstr(url.find("nowhere") != std::string::npos ? "nowhere" : "127.0.0.1"));
    EXPECT_FALSE(page.error().advice.empty());
  }
}

TEST_F(PageTest, CredentialsAreUsedAndNeverTold) {
  const std::string url = replace_all(server_.url("/moved"), "://", "://ada:hun%40ter2@");
  const auto page = get(url);
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_THAT(page->final_url, Not(HasSubstr("ada")));
  ASSERT_EQ(server_.requests().size(), 2u);
  EXPECT_EQ(server_.requests()[0].headers.at("authorization"), "Basic YWRhOmh1bkB0ZXIy");  // ada:hun@ter2
  EXPECT_EQ(server_.requests()[0].target, "/moved");

  for (const std::string& bad : {replace_all(url, "/moved", "/loop"), replace_all(url, "/moved", "/large"),
                                 replace_all(url, "/moved", "/reset"), replace_all(url, "http:", "ftp:"),
                                 std::string("http://ada:hun%40ter2@nowhere.invalid/x"),
                                 std::string("http://ada:hun%40ter2@no where/x")}) {
    const auto failed = get(bad);
    ASSERT_FALSE(failed) << bad;
    EXPECT_THAT(failed.error().text(), Not(HasSubstr("ter2"))) << bad;
  }
}

TEST_F(PageTest, CredentialsStayWithTheirHost) {
  HttpServer other(serve);
  HttpServer first([&](const HttpRequest&) {
    return HttpResponse{.status = 302, .body = "", .headers = {{"Location", other.url("/simple/")}}};
  });
  ASSERT_TRUE(get(replace_all(first.url("/"), "://", "://ada:secret@")));
  ASSERT_EQ(other.requests().size(), 1u);
  EXPECT_EQ(other.requests()[0].headers.count("authorization"), 0u);
}

TEST_F(PageTest, NetrcServesAsForPip) {
  ASSERT_TRUE(write_file(folder_.path() / ".netrc", "machine 127.0.0.1 login ada password pw\n"));
  ASSERT_TRUE(get(server_.url("/simple/")));
  EXPECT_EQ(server_.requests().at(0).headers.count("authorization"), 1u);
}

TEST_F(PageTest, ReadsFiles) {
  const fs::path index = folder_.path() / "my index.html";
  ASSERT_TRUE(write_file(index, "<a>local</a>"));
  const auto url = [&](const std::string& name) { return "file://" + (folder_.path() / name).string(); };
  const auto page = get(url("my%20index.html"));
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "<a>local</a>");
  EXPECT_EQ(get(url("absent.html")).value().status, 404);
  EXPECT_EQ(get(url("")).error().code, "net.refused");
  EXPECT_EQ(get(url("my%20index.html"), 30, 4).error().code, "net.refused");
}

TEST_F(PageTest, RefusesOtherSchemesAndNoise) {
  for (const char* url : {"", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "dict://127.0.0.1/x", "http://",
                          "nonsense:", "http://a b/"}) {
    const auto page = get(url);
    ASSERT_FALSE(page) << url;
    EXPECT_EQ(page.error().code, "net.refused") << url << ": " << page.error().text();
  }
}

TEST_F(PageTest, UnusableCertificatesAreUnreachableAndNamed) {
  own_["SSL_CERT_FILE"] = (folder_.path() / "absent.pem").string();
  const auto page = get(replace_all(server_.url("/simple/"), "http:", "https:"));
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, "net.unreachable");
  EXPECT_THAT(page.error().advice, HasSubstr("SSL_CERT_FILE"));
}

}  // namespace
}  // namespace mpsgate
