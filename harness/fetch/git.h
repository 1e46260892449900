#pragma once
#include "base/result.h"

#include <memory>
#include <string>

#include <git2.h>

namespace mpsgate {

template <auto Free>
struct GitFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using GitHandle = std::unique_ptr<T, GitFree<Free>>;

using Repository = GitHandle<git_repository, git_repository_free>;
using Remote = GitHandle<git_remote, git_remote_free>;
using Odb = GitHandle<git_odb, git_odb_free>;
using Commit = GitHandle<git_commit, git_commit_free>;
using Tree = GitHandle<git_tree, git_tree_free>;
using TreeEntry = GitHandle<git_tree_entry, git_tree_entry_free>;
using Blob = GitHandle<git_blob, git_blob_free>;
using Config = GitHandle<git_config, git_config_free>;
using ConfigIterator = GitHandle<git_config_iterator, git_config_iterator_free>;
using Reference = GitHandle<git_reference, git_reference_free>;
using ReferenceIterator = GitHandle<git_reference_iterator, git_reference_iterator_free>;

/// Starts libgit2 once a process: repository extensions that do not concern a reader, time-outs where the
/// library has them.
Result<void> start_git();
/// Trusts what GIT_SSL_CAINFO, SSL_CERT_FILE or CURL_CA_BUNDLE (the first that is set) and SSL_CERT_DIR name;
/// some builds of libgit2 ignore them by themselves. Error code: "source.unreachable" when they cannot be
/// read.
Result<void> use_certificates();
/// "1.5.1".
std::string git_library_version();

/// What libgit2 says about its last error, one harmless line without credentials.
std::string git_message();
/// The error for a call that returned `code`: "`what`: libgit2's words". Codes: "disk.full",
/// "source.objects-missing" (an object is absent or damaged), "source.refused" (another owner), else
/// "source.failed".
Error git_error_of(const std::string& what, int code);

Result<git_oid> git_oid_of(const std::string& hex);
std::string hex_of(const git_oid& oid);

}  // namespace mpsgate
