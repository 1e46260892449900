#pragma once
#include "base/result.h"
#include "base/units.h"
#include "process/process.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace mpsgate {

/// One file from elsewhere. The side that `mpsgate` calls: no libcurl in here.
struct Download {
  std::string url;     ///< https or file; its query is never shown
  std::string sha256;  ///< 64 lower-case hexadecimal digits
  std::optional<SizeBand> size;
  std::string credential;      ///< environment variable with a bearer token for the URL's host; empty: none
  std::filesystem::path file;  ///< where to; parts of an earlier attempt beside it are gone on with
  std::filesystem::path log;   ///< stderr of the worker
  double seconds = 3600;       ///< in all
  /// `total` is 0 where it is not known; the rate is that of the last seconds. Must not throw.
  std::function<void(std::uint64_t received, std::uint64_t total, double bytes_per_second)> on_progress;
  std::filesystem::path worker;  ///< mpsgate-fetch; empty: beside the running executable
};

struct Downloaded {
  std::uint64_t bytes = 0;
  std::uint64_t resumed_from = 0;  ///< bytes that an earlier attempt had left
  int attempts = 0;                ///< 0: the file was there already
};

/// Fetches it: the size and sha256 are held while the bytes come, broken transfers are tried again and
/// continued. On success `file` is complete and on the disk; two calls at once fetch it once. Error codes:
/// "artefact.unreachable" (connection, name, certificate, stall, 408, 429, 5xx, after the last attempt),
/// "artefact.refused" (another status, redirects without end, a URL that is not used),
/// "artefact.credential", "artefact.wrong-hash" (both values in the message; the file is set aside with the
/// ending .wrong), "artefact.wrong-size", "disk.full", "file.unwritable", "lock.busy", and those of
/// call_worker.
Result<Downloaded> download(ProcessRunner& processes, const Variables& own, const Download& request);

}  // namespace mpsgate
