#pragma once
#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// Splits a command by white space and quotes only, never as a shell would: '…' is literal, in "…" a
/// backslash quotes " and \. Error code: "command.quote"; its place's column is the offset of the open quote,
/// from 1.
Result<std::vector<std::string>> split_command(std::string_view text);

/// A word of a command: literal text and placeholders in turn.
struct WordPart {
  std::string text;
  bool placeholder = false;
};
/// `{{` and `}}` are literal braces. Error code: "command.brace", column as above.
Result<std::vector<WordPart>> split_word(std::string_view word);

}  // namespace mpsgate
