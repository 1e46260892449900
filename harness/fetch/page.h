#pragma once
#include "base/json.h"

namespace mpsgate {

/// The operation "page" of mpsgate-fetch: one GET with libcurl. Fields: url, accept, seconds, cap. Error
/// codes: see get_page in fetch.h.
Result<Json> serve_page(const Json& request);

}  // namespace mpsgate
