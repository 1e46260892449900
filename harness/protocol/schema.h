#pragma once
#include "base/json.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace mpsgate {

/// The published JSON Schema (draft-07) of a protocol, from the key table; made for editors: it describes the
/// YAML as an editor reads it, so text may look like a number there.
Json protocol_schema();

/// The sections of docs/protocol.md that list every key.
std::string keys_markdown();

/// What a key means, for `mpsgate validate --explain`: "steps.repeat.passes" or, with a name in between,
/// "outputs.scores.file". Error code "usage.key", with the nearest key as advice.
Result<std::string> explain_key(const std::string& path);

}  // namespace mpsgate
