#pragma once
#include <string_view>

namespace mpsgate {

/// Whether `text` holds a wildcard: `*` or `?`.
bool is_glob(std::string_view text);

/// Whether the whole of `text` matches: `?` stands for one byte and `*` for any number of them, but for '/';
/// `**` for any number of bytes, and `**/` also for nothing. Time is bounded by the product of both lengths.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace mpsgate
