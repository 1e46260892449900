#include "reports/escape.h"

#include "base/text.h"

#include <algorithm>
#include <cctype>

namespace mpsgate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kCut =
    "*Cut here to keep within the size limit; report.md and report.json in the run directory are whole.*\n";

/// Calls `each(code point, its bytes)` over valid UTF-8.
template <class Each>
void for_each_character(const std::string& text, Each each) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t point = length == 1 ? first : first & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
    each(point, std::string_view(text).substr(i, length));
    i += length;
  }
}

/// Characters that reverse or hide what stands beside them, C1 controls, and line ends that only some readers
/// know.
bool deceives(char32_t point) {
  return (point >= 0x80 && point <= 0x9F) || (point >= 0x200B && point <= 0x200F) ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2060 && point <= 0x2069) || point == 0xFEFF ||
         point == 0xFFFE || point == 0xFFFF;
}

std::string disarm(const std::string& line) {
  std::string text;
  for_each_character(
      line, [&](char32_t point, std::string_view bytes) { text += deceives(point) ? kReplacement : bytes; });
  text = replace_all(std::move(text), "[[ATTACHMENT|", "[[ATTACHMENT |");
  return without_commands(text);
}

/// Length of the run of backticks that starts a line, 0 where fewer than three do.
std::size_t fence_of(std::string_view line) {
  const auto end = std::min(line.find_first_not_of('`'), line.size());
  return end >= 3 ? end : 0;
}

}  // namespace

std::string harmless(std::string_view text, std::size_t limit) {
  return disarm(one_line(text, limit));
}

std::string harmless_log_line(std::string_view text, std::size_t limit) {
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), '\n', ' ');
  const auto lines = last_lines(flat, 1, limit);
  return lines.empty() ? std::string() : disarm(lines.front());
}

std::string without_commands(std::string_view text) {
  // A runner reads "##[command]" anywhere in a line, "::command" only where it begins one, after any kind of
  // blank that Unicode knows; which bytes those are does not matter here.
  const std::string plain = replace_all(std::string(text), "##[", "## [");
  std::string disarmed;
  bool begins = true;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto byte = static_cast<unsigned char>(plain[i]);
    disarmed += plain[i];
    if (begins && byte == ':' && plain.compare(i + 1, 1, ":") == 0) disarmed += ' ';
    begins = byte == '\n' || byte == '\r' || (begins && (byte <= ' ' || byte >= 0x80));
  }
  return disarmed;
}

std::string xml_characters(std::string_view text) {
  std::string legal;
  for_each_character(to_utf8(text), [&](char32_t point, std::string_view bytes) {
    const bool control = point < 0x20 && point != '\t' && point != '\n';
    legal += control || point == 0xFFFE || point == 0xFFFF ? kReplacement : bytes;
  });
  return legal;
}

std::string markdown_text(std::string_view text) {
  const auto is_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
  };
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '\n':
      case '\r':
        escaped += ' ';
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      // A comment keeps GitHub from seeing a user or an issue.
      case '@':
        escaped += "&#64;<!-- -->";
        break;
      case '#':
        escaped += is_word(i + 1) ? "&#35;<!-- -->" : "&#35;";
        break;
      // Inside a word it means nothing, and names stay readable in the raw text.
      case '_':
        escaped += i > 0 && is_word(i - 1) && is_word(i + 1) ? "_" : "&#95;";
        break;
      case '*':
      case '`':
      case '[':
      case ']':
      case '|':
      case '\\':
      case '~':
      case '$':
        escaped += "&#" + std::to_string(static_cast<int>(c)) + ";";
        break;
      default:
        escaped += c;
    }
  }
  // Bare addresses would become links.
  escaped = replace_all(std::move(escaped), "://", "&#58;<!-- -->//");
  return replace_all(std::move(escaped), "www.", "www<!-- -->.");
}

std::string markdown_code(std::string_view text) {
  return text.empty() ? std::string() : "<code>" + markdown_text(text) + "</code>";
}

std::string markdown_fence(const std::vector<std::string>& lines) {
  std::size_t longest = 2, run = 0;
  for (const auto& line : lines) {
    for (const char c : line) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    run = 0;
  }
  const std::string fence(longest + 1, '`');
  std::string block = fence + "text\n";
  for (const auto& line : lines)
    block += line + "\n";
  return block + fence + "\n";
}

std::string fit_markdown(std::string_view markdown, std::size_t bytes) {
  if (markdown.size() <= bytes) return std::string(markdown);
  if (bytes < kCut.size()) return {};
  std::size_t at = 0, whole = 0, fence = 0;
  int details = 0;
  while (at < markdown.size()) {
    const auto end = markdown.find('\n', at);
    const std::string_view line = markdown.substr(at, end == std::string_view::npos ? end : end - at);
    at = end == std::string_view::npos ? markdown.size() : end + 1;
    if (at > bytes - kCut.size()) break;
    if (const std::size_t ticks = fence_of(line); ticks > 0) {
      if (fence == 0) {
        fence = ticks;
      } else if (ticks >= fence && ticks == line.size()) {
        fence = 0;
      }
    } else if (fence == 0) {
      if (line.starts_with("<details>")) ++details;
      if (line.starts_with("</details>")) --details;
    }
    if (line.empty() && fence == 0 && details == 0) whole = at;
  }
  return std::string(markdown.substr(0, whole)) + std::string(kCut);
}

}  // namespace mpsgate
