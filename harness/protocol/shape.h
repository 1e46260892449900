#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// What a value of the protocol may be, as far as its structure tells; read from the expressions of the key
/// table:
///
///   text, flag, number, change, whole 2..50, duration, size, commit, sha256, date, name, variable, version,
///   path, nothing;
///
///   "word WHAT: a, b": one of these words; messages call it WHAT;
///
///   "list of X"; "names of X": a mapping whose keys are names of the protocol's own; "map of X": a mapping
///   with any keys; "map(a, b) of X": with these keys only;
///
///   "section NAME": a mapping with the keys that the table declares for NAME;
///
///   "X | Y": either, told apart by the kind of the YAML node.
struct Shape {
  enum class Kind {
    text,
    flag,
    number,  ///< at least 0
    change,  ///< a number, "0.5 points" or "2 %"
    whole,
    duration,
    size,
    commit,    ///< 40 lower-case hexadecimal digits
    sha256,    ///< 64 of them
    date,      ///< 2027-03-01
    name,      ///< lower-case letters, digits, - and _
    variable,  ///< of the environment
    version,   ///< of Python: 3.11
    path,      ///< relative, without ".."
    nothing,
    word,
    list,
    names,
    map,
    section,
    either
  };
  Kind kind = Kind::text;
  std::vector<std::string> words;  ///< of word, or the keys of a map that takes only these
  std::string what;                ///< of word: WHAT; of section: NAME
  int least = 0, most = 0;         ///< of whole
  std::vector<Shape> inner;        ///< one of list, names and map; the alternatives of either

  /// Whether a scalar of this shape is taken as it is written, whatever YAML would make of it.
  bool is_text() const;
  /// The section that this is, or that the values in it are; nullptr where there is none.
  const Shape* section() const;
};

/// Throws std::logic_error where the expression is none: a bug in the key table.
Shape parse_shape(std::string_view expression);

/// As the documentation says it, in Markdown: "list of text", "`true` or `false`", "[section](#limits)".
std::string describe(const Shape& shape);

}  // namespace mpsgate
