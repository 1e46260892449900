#pragma once
#include "fetch/credential.h"
#include "fetch/git.h"
#include "fetch/progress.h"

namespace mpsgate {

/// Brings the commit from a server into `repository`: by its own id, and where the server refuses that, by
/// fetching all heads and tags and looking for it among what came. Without history where libgit2 can (1.7 and
/// later, https and http). Whether the commit came is for examine_tree to say. Error codes:
/// "source.unreachable", "source.credential", "source.refused", those of git_error_of.
Result<void> fetch_commit(git_repository* repository, const RemoteUrl& url, const git_oid& commit,
                          const CredentialPolicy& policy, Progress& progress);

}  // namespace mpsgate
