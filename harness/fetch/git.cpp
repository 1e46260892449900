#include "fetch/git.h"

#include "base/text.h"
#include "process/variables.h"

#include <array>
#include <cstdlib>

namespace mpsgate {
namespace {

constexpr std::size_t kIdDigits = 40;

const char* set_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

Result<void> start_git() {
  static bool started = false;
  if (started) return {};
  if (git_libgit2_init() < 0) return fail("source.failed", "libgit2 does not start: " + git_message());
  started = true;

  // Extensions of newer git that change nothing for a reader of objects. A partial clone is one: what it
  // lacks is listed, never fetched.
  std::array<const char*, 4> extensions = {"partialclone", "preciousobjects", "worktreeconfig",
                                           "relativeworktrees"};
  (void)git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions.data(), extensions.size());

#if LIBGIT2_VER_MAJOR > 1 || LIBGIT2_VER_MINOR >= 7
  (void)git_libgit2_opts(GIT_OPT_SET_SERVER_CONNECT_TIMEOUT, 30'000);
  (void)git_libgit2_opts(GIT_OPT_SET_SERVER_TIMEOUT, 120'000);
#endif
  return {};
}

Result<void> use_certificates() {
  const char* file = nullptr;
  for (const char* name : {"GIT_SSL_CAINFO", "SSL_CERT_FILE", "CURL_CA_BUNDLE"}) {
    if (file = set_variable(name); file != nullptr) break;
  }
  const char* folder = set_variable("SSL_CERT_DIR");
  if ((file == nullptr && folder == nullptr) ||
      git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, file, folder) == 0) {
    return {};
  }
  return fail("source.unreachable",
              std::string("the certificates in ") + (file != nullptr ? file : folder) +
                  " cannot be used: " + git_message(),
              "correct GIT_SSL_CAINFO, SSL_CERT_FILE, CURL_CA_BUNDLE and SSL_CERT_DIR, or unset them");
}

std::string git_library_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  git_libgit2_version(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string git_message() {
  const git_error* error = git_error_last();
  if (error == nullptr || error->message == nullptr) return "no further words from libgit2";
  return one_line(hide_credentials(error->message));
}

Error git_error_of(const std::string& what, int code) {
  const git_error* error = git_error_last();
  const int category = error != nullptr ? error->klass : GIT_ERROR_NONE;
  const std::string message = git_message();
  const bool full = message.find("No space left") != std::string::npos ||
                    message.find("quota exceeded") != std::string::npos;
  if (full) return {"disk.full", what + ": " + message, "free some disk space and run again", {}};
  if (code == GIT_EOWNER) {
    return {"source.refused", what + ": " + message, "see docs/diagnostics/source.failed.md", {}};
  }
  const bool object = category == GIT_ERROR_ODB || category == GIT_ERROR_ZLIB ||
                      category == GIT_ERROR_OBJECT || category == GIT_ERROR_TREE ||
                      category == GIT_ERROR_SHA || code == GIT_EMISMATCH;
  if (object) {
    return {
        "source.objects-missing",
        what + ": " + message,
        "the copy of the repository is incomplete or damaged: check it with git fsck, or give another with "
        "--source URL=DIR",
        {}};
  }
  return {"source.failed", what + ": " + message, {}, {}};
}

Result<git_oid> git_oid_of(const std::string& hex) {
  git_oid oid{};
  if (hex.size() != kIdDigits || git_oid_fromstrn(&oid, hex.data(), hex.size()) != 0) {
    return fail("source.refused", "\"" + one_line(hex, 60) + "\" is not the id of a commit",
                "give all 40 hexadecimal digits");
  }
  return oid;
}

std::string hex_of(const git_oid& oid) {
  std::array<char, 65> text{};
  return git_oid_tostr(text.data(), text.size(), &oid);
}

}  // namespace mpsgate
