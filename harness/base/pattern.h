#pragma once
#include "base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace mpsgate {

/// A regular expression (RE2's syntax) whose time is linear in the text, whoever wrote the text.
class Pattern {
 public:
  /// Error code: "pattern.invalid".
  static Result<Pattern> compile(const std::string& text);
  int groups() const;
  struct Match {
    std::string group;      ///< what the first group matched
    std::string_view rest;  ///< of the text, behind the group
  };
  /// The first match in `text`; nothing where the pattern matches nowhere.
  std::optional<Match> first_match(std::string_view text) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace mpsgate
