#include "survey/python_source.h"

#include "base/text.h"

#include <algorithm>

namespace mpsgate {
namespace {

/// Longer argument lists are no declarations of options.
constexpr std::size_t kLongestCall = 20'000;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool opens(char c) {
  return c == '(' || c == '[' || c == '{';
}
bool closes(char c) {
  return c == ')' || c == ']' || c == '}';
}

}  // namespace

PythonSource::PythonSource(std::string text) : text_(std::move(text)), code_(text_) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  for (std::size_t i = 0; i < text_.size();) {
    if (text_[i] == '#') {
      for (; i < text_.size() && text_[i] != '\n'; ++i)
        code_[i] = ' ';
    } else if (text_[i] == '\'' || text_[i] == '"') {
      i = skip_string(i);
    } else {
      ++i;
    }
  }
}

std::size_t PythonSource::skip_string(std::size_t at) {
  const std::string quote =
      text_.compare(at, 3, std::string(3, text_[at])) == 0 ? std::string(3, text_[at]) : text_.substr(at, 1);
  const std::size_t begin = at + quote.size();
  std::size_t end = begin;
  while (end < text_.size() && text_.compare(end, quote.size(), quote) != 0) {
    if (quote.size() == 1 && text_[end] == '\n') break;  // left open: the line ends it
    const std::size_t length = text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    for (std::size_t i = end; i < end + length; ++i) {
      if (code_[i] != '\n') code_[i] = ' ';
    }
    end += length;
  }
  strings_.push_back({begin, text_.substr(begin, end - begin)});
  const bool open = end >= text_.size() || text_[end] == '\n';
  return open ? std::min(end, text_.size()) : end + quote.size();
}

int PythonSource::line_of(std::size_t offset) const {
  const auto behind = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<int>(behind - line_starts_.begin());
}

std::string_view PythonSource::line_at(std::size_t offset) const {
  const std::size_t begin = line_starts_[static_cast<std::size_t>(line_of(offset)) - 1];
  return trim(std::string_view(text_).substr(begin, text_.find('\n', begin) - begin));
}

std::size_t PythonSource::behind_bracket(std::size_t open) const {
  int depth = 0;
  const std::size_t limit = std::min(code_.size(), open + kLongestCall);
  for (std::size_t i = open; i < limit; ++i) {
    if (opens(code_[i])) ++depth;
    if (closes(code_[i]) && --depth <= 0) return i + 1;
  }
  return limit;
}

PythonCall PythonSource::call_at(std::size_t begin, std::size_t open) const {
  PythonCall call{begin, line_of(begin), {}, {}};
  const std::size_t end = behind_bracket(open);
  const auto take = [&](std::size_t from, std::size_t to) {
    const std::string_view code = std::string_view(code_).substr(from, to - from);
    if (trim(code).empty()) return;
    const auto sign = code.find('=');
    const bool named =
        sign != std::string_view::npos && sign + 1 < code.size() && code[sign + 1] != '=' &&
        !trim(code.substr(0, sign)).empty() &&
        std::all_of(trim(code.substr(0, sign)).begin(), trim(code.substr(0, sign)).end(), is_word);
    const std::string_view text = std::string_view(text_).substr(from, to - from);
    if (named) {
      call.named[std::string(trim(code.substr(0, sign)))] = std::string(trim(text.substr(sign + 1)));
    } else {
      call.words.emplace_back(trim(text));
    }
  };
  int depth = 0;
  std::size_t from = open + 1;
  for (std::size_t i = open + 1; i + 1 < end; ++i) {
    if (opens(code_[i])) ++depth;
    if (closes(code_[i])) --depth;
    if (code_[i] == ',' && depth == 0) {
      take(from, i);
      from = i + 1;
    }
  }
  if (end > from) take(from, end - 1);
  return call;
}

std::vector<PythonCall> PythonSource::calls(std::string_view name, std::size_t most) const {
  std::vector<PythonCall> found;
  for (std::size_t at = code_.find(name); at != std::string::npos && found.size() < most;
       at = code_.find(name, at + name.size())) {
    if (at > 0 && is_word(code_[at - 1])) continue;
    const std::size_t open = code_.find_first_not_of(" \t", at + name.size());
    if (open != std::string::npos && code_[open] == '(') found.push_back(call_at(at, open));
  }
  return found;
}

std::optional<std::string> string_literal(const std::string& argument) {
  const PythonSource source(argument);
  if (source.strings().size() != 1) return std::nullopt;
  const bool alone = source.code().find_first_not_of(" \t\r\n\"'rRuUbBfF") == std::string::npos;
  return alone ? std::optional(source.strings().front().text) : std::nullopt;
}

std::vector<std::string> strings_in(const std::string& piece) {
  std::vector<std::string> texts;
  const PythonSource source(piece);
  for (const auto& string : source.strings())
    texts.push_back(string.text);
  return texts;
}

}  // namespace mpsgate
