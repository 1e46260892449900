#include "fetch/remote_source.h"

#include "base/text.h"
#include "process/variables.h"

#include <cstdio>
#include <tuple>
#include <vector>

namespace mpsgate {
namespace {

constexpr const char* kPin = "refs/mpsgate/pin";

/// One connection to one server, and what its callbacks need to know. Stays where it is: libgit2 holds its
/// address.
class Connection {
 public:
  Connection(const RemoteUrl& url, const CredentialPolicy& policy, Progress& progress)
      : url_(url), policy_(policy), progress_(progress) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<void> open(git_repository* repository) {
    git_remote* raw = nullptr;
    if (const int code = git_remote_create_anonymous(&raw, repository, url_.text().c_str()); code != 0) {
      return tl::unexpected<Error>(error(code));
    }
    remote_.reset(raw);
    git_remote_connect_options options{};
    git_remote_connect_options_init(&options, GIT_REMOTE_CONNECT_OPTIONS_VERSION);
    options.callbacks = callbacks();
    options.proxy_opts.type = GIT_PROXY_AUTO;
    options.follow_redirects = redirects();
    if (const int code = git_remote_connect_ext(remote_.get(), GIT_DIRECTION_FETCH, &options); code != 0) {
      return tl::unexpected<Error>(error(code));
    }
    opened_ = true;
    return {};
  }

  /// The name under which the server offers the commit itself; empty: it is no head and no tag.
  std::string name_of(const git_oid& commit) {
    const git_remote_head** heads = nullptr;
    std::size_t count = 0;
    if (git_remote_ls(&heads, &count, remote_.get()) != 0) return {};
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = heads[i]->name;
      if (name.starts_with("refs/") && !name.ends_with("^{}") &&
          git_oid_equal(&heads[i]->oid, &commit) != 0) {
        return std::string(name);
      }
    }
    return {};
  }

  Result<void> fetch(std::vector<std::string> refspecs, bool history) {
    git_fetch_options options{};
    git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
    options.callbacks = callbacks();
    options.proxy_opts.type = GIT_PROXY_AUTO;
    options.follow_redirects = redirects();
    options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_AUTO;
    options.update_fetchhead = 0;
#if LIBGIT2_VER_MAJOR > 1 || LIBGIT2_VER_MINOR >= 7
    if (!history && url_.kind != RemoteUrl::Kind::ssh) options.depth = 1;
#else
    (void)history;
#endif
    std::vector<char*> pointers;
    pointers.reserve(refspecs.size());
    for (auto& refspec : refspecs)
      pointers.push_back(refspec.data());
    const git_strarray array{pointers.data(), pointers.size()};
    if (const int code = git_remote_fetch(remote_.get(), &array, &options, "mpsgate"); code != 0) {
      return tl::unexpected<Error>(error(code));
    }
    return {};
  }

 private:
  /// A server that is to see a token may not send us elsewhere: libgit2 follows within the host even so,
  /// where answer_credential looks at the port.
  git_remote_redirect_t redirects() const {
    return policy_.variable.empty() ? GIT_REMOTE_REDIRECT_INITIAL : GIT_REMOTE_REDIRECT_NONE;
  }

  git_remote_callbacks callbacks() {
    git_remote_callbacks callbacks{};
    git_remote_init_callbacks(&callbacks, GIT_REMOTE_CALLBACKS_VERSION);
    callbacks.payload = this;
    callbacks.credentials = &Connection::on_credentials;
    callbacks.transfer_progress = &Connection::on_transfer;
    callbacks.sideband_progress = &Connection::on_message;
    return callbacks;
  }

  static int on_credentials(git_credential** out, const char* url, const char* user, unsigned int types,
                            void* self) {
    return static_cast<Connection*>(self)->give_credential(out, url, user, types);
  }

  static int on_transfer(const git_indexer_progress* transfer, void* self) {
    static_cast<Connection*>(self)->progress_.report(transfer->received_objects, transfer->total_objects,
                                                     transfer->received_bytes);
    return 0;
  }

  /// A server that counts objects for minutes is alive.
  static int on_message(const char*, int, void* self) {
    static_cast<Connection*>(self)->progress_.report(0, 0, 0);
    return 0;
  }

  int give_credential(git_credential** out, const char* url, const char* user, unsigned int types) {
    CredentialQuestion question;
    question.url = url != nullptr ? url : "";
    question.user = user != nullptr ? user : "";
    question.takes_user_name = (types & GIT_CREDENTIAL_USERNAME) != 0;
    question.takes_password = (types & GIT_CREDENTIAL_USERPASS_PLAINTEXT) != 0;
    question.takes_key = (types & GIT_CREDENTIAL_SSH_KEY) != 0;
    question.offered = offered_;
    answer_ = answer_credential(policy_, question);
    switch (answer_.offer) {
      case CredentialAnswer::Offer::user_name:
        return git_credential_username_new(out, answer_.user.c_str());
      case CredentialAnswer::Offer::token:
        ++offered_;
        return git_credential_userpass_plaintext_new(out, answer_.user.c_str(), policy_.token.c_str());
      case CredentialAnswer::Offer::agent:
        ++offered_;
        return git_credential_ssh_key_from_agent(out, answer_.user.c_str());
      case CredentialAnswer::Offer::nothing:
        break;
    }
    git_error_set_str(GIT_ERROR_CALLBACK, answer_.refusal.c_str());
    return GIT_EUSER;
  }

  Error error(int code) const {
    const std::string what = hide_credentials(url_.text());
    if (!answer_.refusal.empty())
      return {"source.credential", what + ": " + answer_.refusal, answer_.advice, {}};
    if (code == GIT_EAUTH) {
      return {"source.credential",
              what + ": " + git_message(),
              "check the token or the key: it must be valid and may read the repository",
              {}};
    }
    const git_error* last = git_error_last();
    const int category = last != nullptr ? last->klass : GIT_ERROR_NONE;
    const std::string message = git_message();
    const std::string lower = lowercase(message);
    if (lower.find("redirect") != std::string::npos && !policy_.variable.empty()) {
      return {"source.refused",
              what + " redirects elsewhere, which is not followed with a credential: " + message,
              "name the repository's final URL in repository.url",
              {}};
    }
    if (code == GIT_ECERTIFICATE || category == GIT_ERROR_SSL) {
      return {"source.unreachable",
              what + ": the server's certificate or key is not trusted: " + message,
              url_.kind == RemoteUrl::Kind::ssh
                  ? "add the host's key to ~/.ssh/known_hosts after you checked it"
                  : "name your organisation's certificates in SSL_CERT_FILE, and see that the clock is right",
              {}};
    }
    // Sockets fail with errors of the system; once the connection stands those may be of the disk as well.
    const bool socket = category == GIT_ERROR_OS && (!opened_ || lower.find("connect") != std::string::npos ||
                                                     lower.find("timed out") != std::string::npos);
    if (socket || category == GIT_ERROR_NET || category == GIT_ERROR_HTTP || category == GIT_ERROR_SSH) {
      return {"source.unreachable",
              what + " cannot be fetched from: " + message,
              "check the URL, the network and the proxy, or give a local copy with --source URL=DIR",
              {}};
    }
    Error other = git_error_of(what + " cannot be fetched from", code);
    // What is damaged while it is received was damaged on the way: nothing of it is kept.
    if (other.code == "source.objects-missing" || category == GIT_ERROR_INDEXER) {
      other.code = "source.unreachable";
      other.advice = "run again; if it stays, the server's repository is damaged";
    }
    return other;
  }

  const RemoteUrl& url_;
  const CredentialPolicy& policy_;
  Progress& progress_;
  Remote remote_;
  bool opened_ = false;
  int offered_ = 0;
  CredentialAnswer answer_;
};

}  // namespace

Result<void> fetch_commit(git_repository* repository, const RemoteUrl& url, const git_oid& commit,
                          const CredentialPolicy& policy, Progress& progress) {
  const std::string where = hide_credentials(url.text());
  if (url.password) {
    return fail("source.credential", where + " holds a password, which would be written to every record",
                "remove it, and name the variable that holds it in repository.credential");
  }
  if (url.kind == RemoteUrl::Kind::ssh && (git_libgit2_features() & GIT_FEATURE_SSH) == 0) {
    return fail("source.refused", "this build of libgit2 knows no ssh, which " + where + " asks for",
                "use an https URL, or give a local copy with --source URL=DIR");
  }
  int major = 0;
  int minor = 0;
  int patch = 0;
  git_libgit2_version(&major, &minor, &patch);
  if (url.kind == RemoteUrl::Kind::ssh && std::tuple(major, minor, patch) < std::tuple(1, 5, 1)) {
    return fail("source.refused",
                "libgit2 " + git_library_version() + " does not check the keys of ssh hosts",
                "update libgit2 to 1.5.1 or later, or use an https URL");
  }
  MPSGATE_TRY(use_certificates());
  {
    Connection connection(url, policy, progress);
    std::fprintf(stderr, "connecting to %s\n", where.c_str());
    MPSGATE_TRY(connection.open(repository));
    const std::string name = connection.name_of(commit);
    const std::string wanted = name.empty() ? hex_of(commit) : name;
    std::fprintf(stderr, "fetching %s\n", wanted.c_str());
    const auto fetched = connection.fetch({"+" + wanted + ":" + kPin}, /*history=*/false);
    if (fetched) return {};
    if (fetched.error().code == "disk.full" || fetched.error().code == "source.credential") return fetched;
    std::fprintf(stderr, "%s\nfetching all heads and tags instead\n", fetched.error().text().c_str());
  }
  Connection connection(url, policy, progress);
  MPSGATE_TRY(connection.open(repository));
  return connection.fetch({"+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"},
                          /*history=*/true);
}

}  // namespace mpsgate
