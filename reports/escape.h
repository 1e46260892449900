#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// Text that a lab may have written, as one line that is safe to print anywhere: as one_line(), and nothing
/// in it is a workflow command ("::error", "##[error]"), an attachment of a test report or a character that
/// turns text around.
std::string harmless(std::string_view text, std::size_t limit = 1000);
/// The same, keeping the indentation: for lines of a log.
std::string harmless_log_line(std::string_view text, std::size_t limit = 400);

/// Text of several lines to be printed as it is, terminal colours included, but with no workflow command in
/// it.
std::string without_commands(std::string_view text);

/// For the text of an element or an attribute: only characters that XML 1.0 allows; escaping is left to the
/// writer.
std::string xml_characters(std::string_view text);

/// For Markdown outside of code: every character that Markdown, HTML or GitHub gives a meaning becomes an
/// entity.
std::string markdown_text(std::string_view text);
/// The same inside <code>; "" for an empty text.
std::string markdown_code(std::string_view text);
/// A fenced block that nothing inside can close.
std::string markdown_fence(const std::vector<std::string>& lines);
/// The longest beginning of `markdown` within `bytes` that ends between two blocks, none of them left open; a
/// line says that something was cut. Empty where not even that line fits.
std::string fit_markdown(std::string_view markdown, std::size_t bytes);

}  // namespace mpsgate
