#pragma once
#include "base/result.h"
#include "process/process.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mpsgate {

/// The side of mpsgate-fetch that `mpsgate` calls: no libgit2, no libcurl in here.
struct Checkout {
  std::string url;                   ///< as the protocol names it
  std::filesystem::path substitute;  ///< a local repository to take the commit from instead; empty: none
  std::string commit;                ///< 40 hex digits
  bool submodules = true;
  std::vector<std::string> sparse;  ///< files and folders that alone are written; empty: all
  std::vector<std::pair<std::string, std::filesystem::path>> substitutes;  ///< for submodules, URL → folder
  std::string credential;        ///< environment variable with a token
  std::filesystem::path folder;  ///< where to; must not exist
  std::filesystem::path log;     ///< stderr of the worker
  double seconds = 1800;
  /// Objects received of how many (0: not known yet), and bytes; while files are written, files. Must not
  /// throw.
  std::function<void(std::uint64_t received, std::uint64_t total, std::uint64_t bytes)> on_progress;
  std::filesystem::path worker;  ///< mpsgate-fetch; empty: beside the running executable
};

struct CheckedOut {
  std::string commit;
  std::string tree;
  std::uint64_t files = 0;  ///< with submodules, without .git; symbolic links count
  std::uint64_t bytes = 0;
  struct Submodule {
    std::string path, url, commit;
  };
  std::vector<Submodule> submodules;      ///< parents before their own
  std::vector<std::string> lfs_pointers;  ///< paths of files that are unresolved LFS pointers
  std::string libgit2;                    ///< its run-time version
};

/// A repository with a detached HEAD at exactly that commit, in `folder`; on failure nothing is left there.
///
/// From a local repository (substitute, file://, a path) no object is copied: the checkout borrows them
/// through
/// `.git/objects/info/alternates`, which names an absolute path. So copies of it answer `git log` and
/// `git status` for as long as that repository stays where it is. From a server the objects are fetched,
/// without history where libgit2 can.
///
/// Error codes: source.unreachable, source.commit-unknown, source.objects-missing (message lists the first
/// paths), source.submodule, source.credential, source.refused (ownership, unsafe path or URL),
/// source.sparse-unknown (a path that the commit does not have), source.failed (whatever else libgit2
/// reports), disk.full, and those of call_worker.
Result<CheckedOut> check_out(ProcessRunner& processes, const Variables& own, const Checkout& request);

/// The sha256 and size of a file, or of a folder's manifest (see sha256_of_folder), read in a process that
/// may be interrupted. Error codes: "file.absent", "file.unreadable", and those of call_worker.
struct Digest {
  std::string sha256;
  std::uint64_t bytes = 0;
};
Result<Digest> digest_of(ProcessRunner& processes, const Variables& own, const std::filesystem::path& path,
                         double seconds, const std::filesystem::path& worker = {});

/// A small document from the network (an index page), whatever its status: 404 is a page too. A file: URL of
/// a file that is absent gives 404, of one that is there 200. Error codes: "net.unreachable" (name,
/// connection, certificate, time-out: the message has host and reason), "net.refused" (a redirect loop, more
/// than `cap` bytes, a URL or scheme that cannot be used, a folder), and those of call_worker. Credentials in
/// `url` are used, and neither logged nor returned.
struct Page {
  int status = 0;
  std::string body;  ///< UTF-8; other bytes become U+FFFD
  std::string content_type;
  std::string final_url;
};
Result<Page> get_page(ProcessRunner& processes, const Variables& own, const std::string& url,
                      const std::string& accept, double seconds = 30, std::uint64_t cap = 64ull << 20,
                      const std::filesystem::path& worker = {});

}  // namespace mpsgate
