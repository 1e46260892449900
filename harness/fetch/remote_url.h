#pragma once
#include "base/result.h"

#include <string>
#include <string_view>

namespace mpsgate {

/// Where a repository lives, as a protocol or .gitmodules names it. Parsed strictly (no control characters,
/// spaces, backslashes or escapes in the host, nothing that starts with '-'), so that no two parsers can
/// disagree about the host that gets a credential.
struct RemoteUrl {
  enum class Kind { https, http, ssh, local };
  Kind kind = Kind::local;
  std::string prefix;  ///< "https://user@host:443", "git@host:"; empty for local
  std::string path;    ///< "/lab/tones", "lab/tones"; the folder for local
  std::string user;
  bool password = false;  ///< the URL carries one
  std::string host;       ///< lower case
  std::string port;       ///< digits; empty: the scheme's default

  std::string text() const { return prefix + path; }
  /// Scheme, host and port are the same: what one may see, the other may.
  bool same_origin(const RemoteUrl& other) const;
  /// This machine only.
  bool loopback() const;
};

/// https://, http://, ssh://, user@host:path, file:// or a path. Error code: "source.refused".
Result<RemoteUrl> parse_remote_url(std::string_view text);

/// True for "./x" and "../x", the forms that git resolves against the parent's URL.
bool is_relative_url(std::string_view text);
/// `relative` taken from `base`, as git does it: "../b" beside "https://h/lab/a" is "https://h/lab/b". Error
/// code: "source.refused" when it climbs above the host's root.
Result<RemoteUrl> resolve_url(const RemoteUrl& base, std::string_view relative);

/// Without a final "/" or ".git": two spellings of one repository compare equal.
std::string comparable_url(std::string_view url);

}  // namespace mpsgate
