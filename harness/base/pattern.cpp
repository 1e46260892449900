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

std::optional<std::string> Pattern::first_group(std::string_view text) const {
  std::string group;
  const re2::StringPiece piece(text.data(), text.size());
  if (!re2::RE2::PartialMatch(piece, *expression_, &group)) return std::nullopt;
  return group;
}

}  // namespace mpsgate
