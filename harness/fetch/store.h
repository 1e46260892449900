#pragma once
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mpsgate {

/// What is known of a stored file.
struct Stored {
  std::string sha256;
  std::filesystem::path file;  ///< read-only
  std::uint64_t bytes = 0;
  std::string level = "public";    ///< the strictest confidentiality that a protocol gave it
  std::string origin;              ///< scheme, host and path of where it came from
  std::int64_t fetched_ms = 0;     ///< UTC
  std::int64_t used_ms = 0;        ///< by the latest run
  std::int64_t keep_until_ms = 0;  ///< end of its retention; 0: none is known
};

/// Files by their sha256, shared by all runs: FOLDER/SHA256/{data,about.json}, and beside them what is
/// gathered or was set aside of that file, so that its confidentiality and retention hold for all of it. A
/// file comes in by one rename, so that a reader sees all of it or nothing; writers of one file hold its
/// lock().
class Store {
 public:
  explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The file that serializes whoever fetches, adds or removes this one; see FileLock.
  std::filesystem::path lock(const std::string& sha256) const;
  /// Where the bytes of a file are gathered before add(); parts of an earlier attempt may lie beside it.
  std::filesystem::path incoming(const std::string& sha256) const;
  /// Writes down whose bytes are about to lie in incoming(): to be called before the first of them does.
  /// A stricter class that is known already stays.
  Result<void> expect(const Stored& about) const;
  /// After a fetch that failed: forgets the description where no part is kept that it describes.
  Result<void> abandon(const std::string& sha256) const;

  struct Lookup {
    std::optional<Stored> stored;
    bool damaged = false;  ///< a copy was there, was not what its name says, and has been set aside
  };
  /// Looks at the file's size and times, and reads it again only where they are not those of its last
  /// reading.
  Result<Lookup> find(const std::string& sha256) const;
  /// Takes incoming(sha256), whose hash has been verified. Error codes: those of make_folder and write_file.
  Result<Stored> add(const Stored& about) const;
  /// Writes down that a run uses it: the stricter level and the earlier end of the retention count.
  Result<void> use(Stored& stored, const std::string& level, std::int64_t now_ms,
                   std::int64_t keep_until_ms) const;

  /// All that is stored, parts and what was set aside included in the bytes; the one used longest ago first.
  /// What is not described is as strict as can be.
  std::vector<Stored> list() const;
  /// Deletes all that there is of one; the caller holds its lock.
  Result<void> clear(const std::string& sha256) const;
  /// clear() under the lock. Error codes: "lock.busy" (a run fetches it), "file.unwritable".
  Result<void> remove(const std::string& sha256) const;

 private:
  std::filesystem::path at(const std::string& sha256) const { return folder_ / sha256; }
  std::filesystem::path folder_;
};

/// 0 public, 1 internal, 2 restricted; an unknown word is as strict as can be.
int strictness(const std::string& level);

}  // namespace mpsgate
