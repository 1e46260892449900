#pragma once
#include <string>
#include <string_view>

namespace mpsgate {

/// One spelling for versions that PEP 440 calls equal: "v1.0.0-Alpha.1" and "1a1" both give "1a1". A text
/// that is no version comes back trimmed and in lower case.
std::string canonical_version(std::string_view text);
/// Whether "<=2.14.1", ">=1,!=1.5", "==2.*" or "~=1.4" lets a version in, told from release numbers alone; an
/// operator or a number that is not understood lets nothing in.
bool allows(std::string_view specifier, std::string_view version);
/// Without the local part: "2.0.1+cu118" → "2.0.1".
std::string public_version(std::string_view text);

}  // namespace mpsgate
