#pragma once
#include "base/result.h"

#include <filesystem>
#include <string>

namespace mpsgate {

/// What git's own files say of a checkout; read without git.
struct GitCheckout {
  std::string commit;  ///< that HEAD names, 40 lower-case hexadecimal digits
  std::string branch;  ///< "main"; empty where HEAD is detached
  std::string url;     ///< of the remote "origin", as a protocol takes it; empty where there is none of use
  std::string origin;  ///< as git has it, credentials hidden, where `url` is another text or empty
};

/// Reads `.git` (a folder, or the file of a work tree) at the top of a checkout. Error code:
/// "usage.repository".
Result<GitCheckout> read_git_checkout(const std::filesystem::path& folder);

/// A remote's URL as a protocol takes it: credentials and http go, https, ssh and git@host:path stay. Empty
/// where there is no such form; a path of this machine is none.
std::string protocol_url(const std::string& url);

}  // namespace mpsgate
