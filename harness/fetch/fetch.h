#pragma once
#include <filesystem>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "process/process.h"

namespace mpsgate {

/// The side of mpsgate-fetch that `mpsgate` calls: no libgit2, no libcurl in here.
struct Checkout {
  std::string url;                    ///< as the protocol names it
  std::filesystem::path substitute;   ///< a local repository to take the commit from instead; empty: none
  std::string commit;                 ///< 40 hex digits
  bool submodules = true;
  std::vector<std::pair<std::string, std::filesystem::path>> substitutes;  ///< for submodules, URL → folder
  std::string credential;             ///< environment variable with a token
  std::filesystem::path folder;       ///< where to; must not exist
  std::filesystem::path log;          ///< stderr of the worker
  double seconds = 1800;
};

struct CheckedOut {
  std::string commit;
  std::string tree;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  struct Submodule {
    std::string path, url, commit;
  };
  std::vector<Submodule> submodules;
  std::vector<std::string> lfs_pointers;  ///< paths of files that are unresolved LFS pointers
  std::string libgit2;                    ///< its run-time version
};

/// Error codes: source.unreachable, source.commit-unknown, source.objects-missing (message lists the first paths),
/// source.submodule, source.credential, source.refused (ownership, unsafe path), disk.full, and those of call_worker.
Result<CheckedOut> check_out(ProcessRunner& processes, const Variables& own, const Checkout& request);

/// A small document from the network (an index page). Error codes: "net.unreachable", "net.refused" (message has the
/// status), and those of call_worker. file: URLs are allowed. Credentials in `url` are used and never logged.
struct Page {
  int status = 0;
  std::string body;
  std::string content_type;
  std::string final_url;
};
Result<Page> get_page(ProcessRunner& processes, const Variables& own, const std::string& url,
                      const std::string& accept, double seconds = 30, std::uint64_t cap = 64ull << 20);

}  // namespace mpsgate
