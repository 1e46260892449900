#include "protocol/command_line.h"

namespace mpsgate {

Result<std::vector<std::string>> split_command(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else if (c == '\'' || c == '"') {
      inside = true;
      const std::size_t open = i;
      for (++i; i < text.size() && text[i] != c; ++i) {
        if (c == '"' && text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\'))
          ++i;
        word += text[i];
      }
      if (i == text.size()) {
        return fail("command.quote", "a quote is left open", "close it", {"", 0, static_cast<int>(open) + 1});
      }
    } else {
      inside = true;
      word += c;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

Result<std::vector<WordPart>> split_word(std::string_view word) {
  std::vector<WordPart> parts;
  std::string literal;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const bool doubled = i + 1 < word.size() && word[i + 1] == c;
    const auto at = Place{"", 0, static_cast<int>(i) + 1};
    if ((c == '{' || c == '}') && doubled) {
      literal += c;
      ++i;
    } else if (c == '}') {
      return fail("command.brace", "a closing brace has no opening one", "write }} for a literal brace", at);
    } else if (c == '{') {
      const auto end = word.find_first_of("{}", i + 1);
      if (end == std::string_view::npos || word[end] == '{') {
        return fail("command.brace", "a brace is left open", "write {{ for a literal brace", at);
      }
      if (!literal.empty()) parts.push_back({std::move(literal), false});
      literal.clear();
      parts.push_back({std::string(word.substr(i + 1, end - i - 1)), true});
      i = end;
    } else {
      literal += c;
    }
  }
  if (!literal.empty()) parts.push_back({std::move(literal), false});
  return parts;
}

}  // namespace mpsgate
