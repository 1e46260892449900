#include "base/pattern.h"

#include "base/text.h"

#include <re2/re2.h>

namespace mpsgate {

Result<Pattern> Pattern::compile(const std::string& text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<re2::RE2>(text, options);
  if (!expression->ok()) {
    return fail("pattern.invalid", "not a regular expression: " + one_line(expression->error()),
                "the syntax is that of RE2: no look-around and no back-references");
  }
  Pattern pattern;
  pattern.expression_ = std::move(expression);
  return pattern;
}

int Pattern::groups() const {
  return expression_->NumberOfCapturingGroups();
}

std::optional<Pattern::Match> Pattern::first_match(std::string_view text) const {
  re2::StringPiece group;
  if (!re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_, &group))
    return std::nullopt;
  if (group.data() == nullptr) return Match{};  // a group that took no part
  const auto end = static_cast<std::size_t>(group.data() - text.data()) + group.size();
  return Match{std::string(group.data(), group.size()), text.substr(end)};
}

}  // namespace mpsgate
