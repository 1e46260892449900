#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace mpsgate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length of the valid UTF-8 sequence that starts `text`, 0 if none does.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

std::string format(const char* pattern, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), pattern, value);
  return buffer.data();
}

std::string cut(const std::string& text, std::size_t limit) {
  std::size_t points = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (points++ == limit) return text.substr(0, i) + "…";
  }
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (std::size_t start = 0;;) {
    const auto end = text.find(separator, start);
    pieces.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return pieces;
    start = end + 1;
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  auto lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (auto& line : lines) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
  }
  return lines;
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  std::string text;
  for (const auto& piece : pieces) {
    if (&piece != &pieces.front()) text += separator;
    text += piece;
  }
  return text;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    if (const std::size_t length = sequence_length(bytes); length > 0) {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    } else {
      text += kReplacement;
      bytes.remove_prefix(1);
    }
  }
  return text;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string strip_terminal(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\x1b') {
      const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
      if (kind == '[') {
        i += 2;
        while (i < text.size() && (text[i] < 0x40 || text[i] > 0x7E))
          ++i;
      } else if (kind == ']' || kind == 'P' || kind == '_' || kind == '^') {
        i += 2;
        while (i < text.size() && text[i] != '\x07' &&
               !(text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '\\')) {
          ++i;
        }
        if (i < text.size() && text[i] == '\x1b') ++i;
      } else if (kind != '\0') {
        ++i;
      }
      continue;
    }
    if (c == '\r') {
      if (i + 1 < text.size() && text[i + 1] == '\n') continue;
      const auto line = plain.rfind('\n');
      // A bar that ends with "\r" stays visible until something overwrites it.
      if (i + 1 < text.size()) plain.resize(line == std::string::npos ? 0 : line + 1);
      continue;
    }
    plain += c;
  }
  return plain;
}

std::string one_line(std::string_view text, std::size_t limit) {
  std::string line;
  for (const char c : to_utf8(strip_terminal(text))) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (control || c == ' ') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      line += c;
    }
  }
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return cut(line, limit);
}

std::vector<std::string> last_lines(std::string_view text, std::size_t count, std::size_t width) {
  std::vector<std::string> lines;
  for (const auto& line : lines_of(strip_terminal(text))) {
    std::string clean;
    for (const char c : to_utf8(line)) {
      if (c == '\t') {
        clean += "    ";
      } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
        clean += c;
      }
    }
    lines.push_back(cut(clean, width));
  }
  while (!lines.empty() && trim(lines.back()).empty())
    lines.pop_back();
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(lowercase(name), lowercase(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string format_seconds(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 60) return format(seconds < 0.1 ? "%.2f s" : "%.1f s", seconds);
  const auto total = static_cast<long long>(std::llround(seconds));
  std::array<char, 64> buffer{};
  if (total < 3600) {
    std::snprintf(buffer.data(), buffer.size(), "%lld min %02lld s", total / 60, total % 60);
  } else {
    std::snprintf(buffer.data(), buffer.size(), "%lld h %02lld min", total / 3600, total % 3600 / 60);
  }
  return buffer.data();
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  constexpr std::array<const char*, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return format("%.1f ", value) + units[unit];
}

std::string format_number(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
  return buffer.data();
}

std::string shell_quoted(const std::vector<std::string>& argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  std::vector<std::string> words;
  for (const auto& word : argv) {
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      words.push_back(word);
    } else {
      words.push_back("'" + replace_all(word, "'", "'\\''") + "'");
    }
  }
  return join(words, " ");
}

}  // namespace mpsgate
