#pragma once
#include "base/json.h"
#include "fetch/progress.h"

namespace mpsgate {

/// The operation "download" of mpsgate-fetch. Fields: url, sha256, size ([least, most], optional), credential
/// (a variable's name, optional), file, seconds, and for tests backoff_seconds and stall_seconds. Error
/// codes: see download in download.h. docs/workers.md is the contract.
Result<Json> serve_download(const Json& request, const Emit& emit);

}  // namespace mpsgate
