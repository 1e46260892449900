#include "survey/yaml_text.h"

#include "base/text.h"

#include <algorithm>
#include <cstdio>

namespace mpsgate {
namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=-";
constexpr std::string_view kNotFirst = ".+=-";

/// Of URLs: not at an end, and a colon with a letter or slash behind it.
bool is_plain_url(const std::string& text) {
  const auto colon = text.find(':');
  return (text.starts_with("https://") || text.starts_with("ssh://") || text.starts_with("git@")) &&
         colon + 1 < text.size() && text.find(':', colon + 1) == std::string::npos &&
         text.find_first_not_of(std::string(kPlain) + ":@") == std::string::npos;
}

bool is_special(const std::string& text) {
  static const std::vector<std::string> words = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  return std::find(words.begin(), words.end(), lowercase(text)) != words.end();
}

/// Words that neither YAML nor the splitting of commands changes: placeholders among them.
bool is_plain_word(const std::string& word) {
  return !word.empty() && word.find_first_not_of(std::string(kPlain) + "{}") == std::string::npos;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string yaml_text(std::string_view text) {
  const std::string plain(text);
  if (is_plain_url(plain)) return plain;
  const bool option = plain.size() > 2 && plain.starts_with("--") && plain[2] != '-';
  if (!plain.empty() && plain.find_first_not_of(kPlain) == std::string::npos && !is_special(plain) &&
      (option || kNotFirst.find(plain.front()) == std::string_view::npos)) {
    const bool number = plain.front() >= '0' && plain.front() <= '9' &&
                        plain.find_first_not_of("0123456789abcdefABCDEFxXoO._+-") == std::string::npos;
    if (!number) return plain;
  }
  std::string quoted = "\"";
  for (const char c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", byte);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string yaml_list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  std::transform(texts.begin(), texts.end(), std::back_inserter(items), yaml_text);
  return "[" + join(items, ", ") + "]";
}

std::string yaml_comment(int indent, const std::vector<std::string>& paragraphs, std::size_t width) {
  const std::string margin = std::string(static_cast<std::size_t>(indent), ' ') + "#";
  std::string text;
  for (const auto& paragraph : paragraphs) {
    // What is indented is to be copied: it stays one line.
    if (paragraph.empty()) {
      text += margin + "\n";
      continue;
    }
    const bool kept = paragraph.starts_with("  ");
    std::string line = margin + (kept ? "  " : "");
    for (const auto& word : split(one_line(replace_all(paragraph, "\r", " "), 1000), ' ')) {
      if (!kept && columns(line) + 1 + columns(word) > width && line != margin) {
        text += line + "\n";
        line = margin;
      }
      line += " " + word;
    }
    text += line + "\n";
  }
  return text;
}

std::string literal_word(std::string_view text) {
  return replace_all(replace_all(std::string(text), "{", "{{"), "}", "}}");
}

std::string yaml_command(const std::vector<std::string>& words) {
  if (std::all_of(words.begin(), words.end(), is_plain_word)) return join(words, " ");
  return yaml_list(words);
}

}  // namespace mpsgate
