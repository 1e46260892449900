#include "environment/version.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace mpsgate {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_separator(char c) {
  return c == '.' || c == '-' || c == '_';
}

/// A cursor over the lower-case text of a version.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  char ahead() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  void skip() { ++at_; }
  /// A number without leading zeros; nothing when there is none.
  std::optional<std::string> number() {
    const auto start = at_;
    while (is_digit(peek()))
      ++at_;
    if (start == at_) return std::nullopt;
    auto digits = text_.substr(start, at_ - start);
    while (digits.size() > 1 && digits.front() == '0')
      digits.remove_prefix(1);
    return std::string(digits);
  }
  std::string word() {
    const auto start = at_;
    while (is_letter(peek()))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The short name of a suffix; nothing for a word that is none.
std::optional<std::string> suffix_of(const std::string& word) {
  static const std::array<std::pair<std::string_view, std::string_view>, 12> names = {{{"a", "a"},
                                                                                       {"alpha", "a"},
                                                                                       {"b", "b"},
                                                                                       {"beta", "b"},
                                                                                       {"c", "rc"},
                                                                                       {"rc", "rc"},
                                                                                       {"pre", "rc"},
                                                                                       {"preview", "rc"},
                                                                                       {"post", ".post"},
                                                                                       {"rev", ".post"},
                                                                                       {"r", ".post"},
                                                                                       {"dev", ".dev"}}};
  for (const auto& [name, short_name] : names) {
    if (name == word) return std::string(short_name);
  }
  return std::nullopt;
}

/// The release numbers at the start of a version: {2, 13, 0}.
std::vector<long> release_of(std::string_view text) {
  std::vector<long> release;
  Cursor cursor(text);
  while (const auto number = cursor.number()) {
    release.push_back(std::strtol(number->substr(0, 9).c_str(), nullptr, 10));
    if (cursor.peek() != '.') break;
    cursor.skip();
  }
  return release;
}

/// Negative, zero, positive; missing numbers count as zero.
int compare(std::vector<long> a, std::vector<long> b) {
  a.resize(std::max(a.size(), b.size()));
  b.resize(a.size());
  return a < b ? -1 : a == b ? 0 : 1;
}

bool is_family(std::vector<long> release, const std::vector<long>& prefix) {
  release.resize(prefix.size());
  return release == prefix;
}

bool clause_allows(std::string_view clause, const std::vector<long>& release) {
  const auto start = clause.find_first_not_of("=<>!~");
  if (start == std::string_view::npos || start == 0) return false;
  const auto mark = clause.substr(0, start);
  auto number = trim(clause.substr(start));
  const bool family = number.ends_with(".*");
  if (family) number.remove_suffix(2);
  const auto wanted = release_of(number);
  if (wanted.empty()) return false;
  const int order = compare(release, wanted);
  if (mark == "==" || mark == "===") return family ? is_family(release, wanted) : order == 0;
  if (mark == "!=") return family ? !is_family(release, wanted) : order != 0;
  if (mark == "<=") return order <= 0;
  if (mark == ">=") return order >= 0;
  if (mark == "<") return order < 0;
  if (mark == ">") return order > 0;
  if (mark != "~=" || wanted.size() < 2) return false;
  return order >= 0 && is_family(release, {wanted.begin(), wanted.end() - 1});
}

std::optional<std::string> canonical_public(std::string_view text) {
  Cursor cursor(text);
  if (cursor.peek() == 'v') cursor.skip();
  std::string canonical;
  std::vector<std::string> release;
  for (;;) {
    const auto number = cursor.number();
    if (!number) return std::nullopt;
    if (cursor.peek() == '!' && release.empty() && canonical.empty()) {
      cursor.skip();
      if (*number != "0") canonical = *number + "!";
      continue;
    }
    release.push_back(*number);
    if (cursor.peek() != '.' || !is_digit(cursor.ahead())) break;
    cursor.skip();
  }
  while (release.size() > 1 && release.back() == "0")
    release.pop_back();
  canonical += join(release, ".");
  while (!cursor.done()) {
    const bool dash = cursor.peek() == '-';
    if (is_separator(cursor.peek())) cursor.skip();
    if (dash && is_digit(cursor.peek())) {  // "1.0-1" is a post release
      canonical += ".post" + *cursor.number();
      continue;
    }
    const auto suffix = suffix_of(cursor.word());
    if (!suffix) return std::nullopt;
    if (is_separator(cursor.peek()) && is_digit(cursor.ahead())) cursor.skip();
    canonical += *suffix + cursor.number().value_or("0");
  }
  return canonical;
}

}  // namespace

bool allows(std::string_view specifier, std::string_view version) {
  const auto release = release_of(trim(version));
  const auto clauses = split(specifier, ',');
  return std::all_of(clauses.begin(), clauses.end(),
                     [&](const auto& clause) { return clause_allows(trim(clause), release); });
}

std::string public_version(std::string_view text) {
  return std::string(trim(text.substr(0, text.find('+'))));
}

std::string canonical_version(std::string_view text) {
  const std::string lower = lowercase(trim(text));
  const auto canonical = canonical_public(public_version(lower));
  if (!canonical) return lower;
  const auto plus = lower.find('+');
  if (plus == std::string::npos) return *canonical;
  std::string local = lower.substr(plus + 1);
  for (char& c : local) {
    if (is_separator(c)) c = '.';
  }
  return *canonical + "+" + local;
}

}  // namespace mpsgate
