#include "fetch/credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mpsgate {
namespace {

using Offer = CredentialAnswer::Offer;
using ::testing::HasSubstr;

CredentialPolicy policy(const char* url = "https://host/lab/x", const char* variable = "LAB_TOKEN",
                        const char* token = "s3cret") {
  return {parse_remote_url(url).value(), variable, token};
}

CredentialQuestion password_for(const char* url) {
  CredentialQuestion question;
  question.url = url;
  question.takes_password = true;
  return question;
}

TEST(Credential, TheTokenGoesToItsOriginOnce) {
  auto question = password_for("https://host/lab/x");
  auto answer = answer_credential(policy(), question);
  EXPECT_EQ(answer.offer, Offer::token);
  EXPECT_EQ(answer.user, "x-access-token");
  question.user = "oauth2";
  EXPECT_EQ(answer_credential(policy(), question).user, "oauth2");
  question.offered = 1;
  answer = answer_credential(policy(), question);
  EXPECT_EQ(answer.offer, Offer::nothing);
  EXPECT_THAT(answer.refusal, HasSubstr("refused the token in LAB_TOKEN"));
}

TEST(Credential, TheTokenGoesNowhereElse) {
  for (const char* url : {"https://evil/lab/x", "https://host.evil/x", "https://host:8443/x", "http://host/x",
                          "https://host@evil/x", "https://", "file:///x"}) {
    const auto answer = answer_credential(policy(), password_for(url));
    EXPECT_EQ(answer.offer, Offer::nothing) << url;
    EXPECT_FALSE(answer.refusal.empty()) << url;
  }
}

TEST(Credential, PlainHttpSeesATokenOnThisMachineOnly) {
  EXPECT_EQ(answer_credential(policy("http://host/x"), password_for("http://host/x")).offer, Offer::nothing);
  EXPECT_EQ(answer_credential(policy("http://127.0.0.1:1/x"), password_for("http://127.0.0.1:1/x")).offer,
            Offer::token);
}

TEST(Credential, WhatIsMissingIsNamed) {
  auto answer = answer_credential(policy("https://host/x", "", ""), password_for("https://host/x"));
  EXPECT_EQ(answer.offer, Offer::nothing);
  EXPECT_THAT(answer.advice, HasSubstr("repository.credential"));
  answer = answer_credential(policy("https://host/x", "LAB_TOKEN", ""), password_for("https://host/x"));
  EXPECT_EQ(answer.offer, Offer::nothing);
  EXPECT_THAT(answer.refusal, HasSubstr("LAB_TOKEN"));
  auto question = password_for("https://host/lab/x");
  question.takes_password = false;
  EXPECT_EQ(answer_credential(policy(), question).offer, Offer::nothing);
}

TEST(Credential, SshAsksTheAgentOnceAndNeverGetsTheToken) {
  CredentialQuestion question;
  question.url = "git@host:lab/x";
  question.takes_user_name = true;
  auto answer = answer_credential(policy(), question);
  EXPECT_EQ(answer.offer, Offer::user_name);
  EXPECT_EQ(answer.user, "git");
  question.takes_user_name = false;
  question.takes_key = true;
  question.takes_password = true;
  question.user = "ada";
  answer = answer_credential(policy(), question);
  EXPECT_EQ(answer.offer, Offer::agent);
  EXPECT_EQ(answer.user, "ada");
  question.offered = 1;
  EXPECT_EQ(answer_credential(policy(), question).offer, Offer::nothing);
  question.takes_key = false;
  question.offered = 0;
  EXPECT_EQ(answer_credential(policy("ssh://host/x"), question).offer, Offer::nothing);
}

TEST(Credential, NoAnswerHoldsTheToken) {
  for (const char* url : {"https://host/lab/x", "https://evil/x", "http://host/x", "git@host:x"}) {
    for (int offered = 0; offered < 2; ++offered) {
      auto question = password_for(url);
      question.offered = offered;
      const auto answer = answer_credential(policy(), question);
      EXPECT_EQ((answer.user + answer.refusal + answer.advice).find("s3cret"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mpsgate
