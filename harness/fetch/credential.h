#pragma once
#include "fetch/remote_url.h"

#include <string>

namespace mpsgate {

/// Who may see the token: the scheme, host and port of the protocol's own repository URL, nobody else.
struct CredentialPolicy {
  RemoteUrl origin;
  std::string variable;  ///< the environment variable's name; empty: no token
  std::string token;     ///< its value
};

/// One question of a server, as libgit2 passes it on.
struct CredentialQuestion {
  std::string url;   ///< of the server that asks
  std::string user;  ///< from that URL; empty: none
  bool takes_user_name = false;
  bool takes_password = false;
  bool takes_key = false;
  int offered = 0;  ///< credentials already offered on this connection, user names not counted
};

struct CredentialAnswer {
  enum class Offer { nothing, user_name, token, agent } offer = Offer::nothing;
  std::string user;
  std::string refusal;  ///< why nothing is offered: one sentence without secrets
  std::string advice;
};

/// Pure. A token goes once, over https (or http to this very machine), to the policy's origin only; over ssh
/// the agent is asked once.
CredentialAnswer answer_credential(const CredentialPolicy& policy, const CredentialQuestion& question);

}  // namespace mpsgate
