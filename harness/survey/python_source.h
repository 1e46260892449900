#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// A string literal of a Python file.
struct PythonString {
  std::size_t begin = 0;  ///< offset of its first character, behind the quotes
  std::string text;       ///< as written: escapes are left as they are
};

/// A call and its arguments as they are written.
struct PythonCall {
  std::size_t begin = 0;  ///< offset of the name
  int line = 0;
  std::vector<std::string> words;            ///< positional arguments
  std::map<std::string, std::string> named;  ///< keyword arguments
};

/// Python as far as a look without an interpreter goes: what is code, what a string, what a comment. Any
/// bytes are accepted, in linear time; TOML has the same strings and comments, so that it can be read as
/// well.
class PythonSource {
 public:
  explicit PythonSource(std::string text);

  const std::string& text() const { return text_; }
  /// As long as text(), line by line the same: comments and the insides of strings are blanks.
  const std::string& code() const { return code_; }
  const std::vector<PythonString>& strings() const { return strings_; }
  /// From 1.
  int line_of(std::size_t offset) const;
  /// The line of text() that holds an offset, trimmed.
  std::string_view line_at(std::size_t offset) const;
  /// Offset behind the bracket that closes the one at `open`; the end of the text where none does.
  std::size_t behind_bracket(std::size_t open) const;
  /// The calls of a name ("add_argument", "click.option"), in order, `most` at most.
  std::vector<PythonCall> calls(std::string_view name, std::size_t most = 300) const;

 private:
  std::size_t skip_string(std::size_t at);
  PythonCall call_at(std::size_t begin, std::size_t open) const;

  std::string text_;
  std::string code_;
  std::vector<PythonString> strings_;
  std::vector<std::size_t> line_starts_;
};

/// The text of an argument that is one string literal.
std::optional<std::string> string_literal(const std::string& argument);
/// The texts of all string literals in a piece of source.
std::vector<std::string> strings_in(const std::string& piece);

}  // namespace mpsgate
