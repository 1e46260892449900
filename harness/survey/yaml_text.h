#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// Any text in UTF-8 as one YAML scalar, for keys and values, in blocks and flows: plain where that is safe,
/// else in double quotes with what could end or change it escaped.
std::string yaml_text(std::string_view text);
/// A flow list: "[python, \"a b.py\"]".
std::string yaml_list(const std::vector<std::string>& texts);
/// Lines of comment, wrapped near `width` columns: "  # …". Each paragraph begins a line; control characters
/// go.
std::string yaml_comment(int indent, const std::vector<std::string>& paragraphs, std::size_t width = 100);

/// A text that is to stand in a command as it is: braces doubled.
std::string literal_word(std::string_view text);
/// A command as a protocol has it: one string where its words are plain, else a list. Placeholders stay.
std::string yaml_command(const std::vector<std::string>& words);

}  // namespace mpsgate
