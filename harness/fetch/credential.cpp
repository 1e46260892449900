#include "fetch/credential.h"

namespace mpsgate {
namespace {

using Offer = CredentialAnswer::Offer;

CredentialAnswer nothing(std::string refusal, std::string advice) {
  return {Offer::nothing, {}, std::move(refusal), std::move(advice)};
}

}  // namespace

CredentialAnswer answer_credential(const CredentialPolicy& policy, const CredentialQuestion& question) {
  const auto url = parse_remote_url(question.url);
  if (!url) return nothing("a server with an unreadable address asks for credentials", url.error().message);
  const std::string host = url->host + (url->port.empty() ? "" : ":" + url->port);

  if (url->kind == RemoteUrl::Kind::ssh) {
    const std::string user = question.user.empty() ? "git" : question.user;
    if (question.takes_user_name && !question.takes_key) return {Offer::user_name, user, {}, {}};
    if (!question.takes_key) {
      return nothing(host + " does not accept keys over ssh", "use an https URL and a token");
    }
    if (question.offered > 0) {
      return nothing(host + " accepted no key of the ssh agent",
                     "add the right key with ssh-add, and see that SSH_AUTH_SOCK is set");
    }
    return {Offer::agent, user, {}, {}};
  }

  if (policy.variable.empty()) {
    return nothing(host + " asks for credentials: the repository is private, or does not exist",
                   "check repository.url; for a private one name the variable that holds a token in "
                   "repository.credential");
  }
  if (policy.token.empty()) {
    return nothing(
        "the variable " + policy.variable + " that repository.credential names is empty or not set",
        "set it to a token that may read the repository");
  }
  if (!url->same_origin(policy.origin)) {
    return nothing(host + " asks for credentials, but the token in " + policy.variable + " is for " +
                       policy.origin.prefix + " only",
                   "give a local copy of that repository with --source URL=DIR");
  }
  if (url->kind != RemoteUrl::Kind::https && !url->loopback()) {
    return nothing("a token is never sent over plain http to " + host, "use an https URL");
  }
  if (!question.takes_password) {
    return nothing(host + " does not accept a token", "use an ssh URL and an ssh agent");
  }
  if (question.offered > 0) {
    return nothing(host + " refused the token in " + policy.variable,
                   "check that it has not expired and may read the repository");
  }
  return {Offer::token, question.user.empty() ? "x-access-token" : question.user, {}, {}};
}

}  // namespace mpsgate
