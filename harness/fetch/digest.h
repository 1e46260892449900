#pragma once
#include "base/json.h"

namespace mpsgate {

/// The operation "digest" of mpsgate-fetch: the hash of a file or a folder. Field: path. Error codes: see
/// digest_of in fetch.h.
Result<Json> serve_digest(const Json& request);

}  // namespace mpsgate
