#include "fetch/remote_url.h"

#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

using Kind = RemoteUrl::Kind;

RemoteUrl parsed(std::string_view text) {
  auto url = parse_remote_url(text);
  EXPECT_TRUE(url) << text;
  return url ? *url : RemoteUrl{};
}

TEST(RemoteUrl, ReadsWhatGitReads) {
  const struct {
    const char* text;
    Kind kind;
    const char *user, *host, *port, *path;
  } rows[] = {
      {"https://github.com/lab/tones", Kind::https, "", "github.com", "", "/lab/tones"},
      {"HTTPS://GitHub.com:8443/lab/tones.git", Kind::https, "", "github.com", "8443", "/lab/tones.git"},
      {"https://ada@host/x", Kind::https, "ada", "host", "", "/x"},
      {"https://a%40b@host/x", Kind::https, "a@b", "host", "", "/x"},
      {"http://127.0.0.1:80/x", Kind::http, "", "127.0.0.1", "80", "/x"},
      {"http://[::1]:8080/x", Kind::http, "", "[::1]", "8080", "/x"},
      {"ssh://git@host:2222/lab/x", Kind::ssh, "git", "host", "2222", "/lab/x"},
      {"git@github.com:lab/x.git", Kind::ssh, "git", "github.com", "", "lab/x.git"},
      {"host:x", Kind::ssh, "", "host", "", "x"},
      {"file:///srv/lab%20one", Kind::local, "", "", "", "/srv/lab one"},
      {"file://localhost/srv/x", Kind::local, "", "", "", "/srv/x"},
      {"/srv/lab", Kind::local, "", "", "", "/srv/lab"},
      {"labs/with:colon", Kind::local, "", "", "", "labs/with:colon"},
      {"./a:b", Kind::local, "", "", "", "./a:b"},
  };
  for (const auto& row : rows) {
    const RemoteUrl url = parsed(row.text);
    EXPECT_EQ(url.kind, row.kind) << row.text;
    EXPECT_EQ(url.user, row.user) << row.text;
    EXPECT_EQ(url.host, row.host) << row.text;
    EXPECT_EQ(url.port, row.port) << row.text;
    EXPECT_EQ(url.path, row.path) << row.text;
    if (url.kind != Kind::local) {
      EXPECT_EQ(url.text(), row.text);
    }
  }
  EXPECT_TRUE(parsed("https://ada:pw@host/x").password);
  EXPECT_FALSE(parsed("https://ada@host/x").password);
}

TEST(RemoteUrl, RefusesWhatTwoParsersCouldReadTwice) {
  for (const std::string& text : {std::string(),
                                  std::string("-oProxyCommand=id"),
                                  std::string("https://"),
                                  std::string("https:///x"),
                                  std::string("https://host"),
                                  std::string("https://host/"),
                                  std::string("https://good\\@evil/x"),
                                  std::string("https://good@evil@third/x"),
                                  std::string("https://ho st/x"),
                                  std::string("https://host/x y"),
                                  std::string("https://host:99999999/x"),
                                  std::string("https://host:8a/x"),
                                  std::string("https://-h/x"),
                                  std::string("https://good?@evil/x"),
                                  std::string("https://good#@evil/x"),
                                  std::string("https://ho%73t/x"),
                                  std::string("https://[::1/x"),
                                  std::string("https://[::1]evil/x"),
                                  std::string("ssh://-o@host/x"),
                                  std::string("ssh://-host/x"),
                                  std::string("ssh://host/-x"),
                                  std::string("host:-x"),
                                  std::string("host:"),
                                  std::string("ftp://host/x"),
                                  std::string("git://host/x"),
                                  std::string("ext::sh -c id"),
                                  std::string("javascript://host/x"),
                                  std::string("file://server/share"),
                                  std::string("file:///a%0ab"),
                                  std::string("https://host/a\nb"),
                                  std::string("a\0b", 3)}) {
    const auto url = parse_remote_url(text);
    ASSERT_FALSE(url) << text << " → " << url->text();
    EXPECT_EQ(url.error().code, "source.refused");
  }
}

TEST(RemoteUrl, ARefusalHidesThePassword) {
  const auto url = parse_remote_url("https://ada:hunter2@ho st/x");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().text().find("hunter2"), std::string::npos) << url.error().text();
}

TEST(RemoteUrl, HoldsItsPromisesOnNoise) {
  std::mt19937 random(7);
  const std::string alphabet = "htps:/@.-[]%20\\ a?#\n";
  int accepted = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text = round % 2 == 0 ? "https://" : "";
    for (auto length = random() % 16; length > 0; --length)
      text += alphabet[random() % alphabet.size()];
    const auto url = parse_remote_url(text);
    if (!url) continue;
    ++accepted;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    if (url->kind == Kind::local) continue;
    EXPECT_FALSE(url->host.empty()) << text;
    EXPECT_EQ(url->host.find_first_of("@/\\%?# "), std::string::npos) << text;
    EXPECT_NE(url->host.front(), '-') << text;
  }
  EXPECT_GT(accepted, 100);
}

TEST(RemoteUrl, OneOriginIsSchemeHostAndPort) {
  EXPECT_TRUE(parsed("https://host/a").same_origin(parsed("https://HOST:443/b")));
  EXPECT_FALSE(parsed("https://host/a").same_origin(parsed("http://host/a")));
  EXPECT_FALSE(parsed("https://host/a").same_origin(parsed("https://host:444/a")));
  EXPECT_FALSE(parsed("https://host/a").same_origin(parsed("https://host.evil/a")));
  EXPECT_FALSE(parsed("/a").same_origin(parsed("/a")));
}

TEST(RemoteUrl, ResolvesAsGitDoes) {
  const struct {
    const char *base, *relative, *resolved;
  } rows[] = {
      {"https://h/lab/a", "../b", "https://h/lab/b"},
      {"https://h/lab/a/", "../b.git", "https://h/lab/b.git"},
      {"https://h/lab/a", "./b", "https://h/lab/a/b"},
      {"https://h/lab/a", "../../other/c", "https://h/other/c"},
      {"https://h:1/lab/a", ".././../c/", "https://h:1/c"},
      {"git@h:lab/a.git", "../b.git", "git@h:lab/b.git"},
      {"git@h:a", "../b", "git@h:b"},
      {"/srv/labs/a", "../b", "/srv/labs/b"},
      {"/a", "../b", "/b"},
  };
  for (const auto& row : rows) {
    const auto url = resolve_url(parsed(row.base), row.relative);
    ASSERT_TRUE(url) << row.base << " " << row.relative << ": " << url.error().text();
    EXPECT_EQ(url->text(), row.resolved);
  }
  for (const char* relative : {"../../../x", "../a/../../x", "../", "./", "../..", "../a\nb"}) {
    EXPECT_FALSE(resolve_url(parsed("https://h/lab/a"), relative)) << relative;
  }
}

TEST(RemoteUrl, TwoSpellingsCompareEqual) {
  EXPECT_EQ(comparable_url("https://h/a.git"), comparable_url("https://h/a/"));
  EXPECT_NE(comparable_url("https://h/a"), comparable_url("https://h/b"));
  EXPECT_EQ(comparable_url("/srv/a/.git"), "/srv/a/.git");
}

}  // namespace
}  // namespace mpsgate
