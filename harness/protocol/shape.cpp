#include "protocol/shape.h"

#include "base/text.h"
#include "base/units.h"

#include <array>
#include <stdexcept>

namespace mpsgate {
namespace {

using Is = Shape::Kind;

struct Plain {
  const char* expression;
  Is kind;
  const char* documented;
};
constexpr std::array<Plain, 14> kPlain = {{{"text", Is::text, "text"},
                                           {"flag", Is::flag, "`true` or `false`"},
                                           {"number", Is::number, "number"},
                                           {"change", Is::change, "number, `0.5 points` or `2 %`"},
                                           {"duration", Is::duration, "duration"},
                                           {"size", Is::size, "size"},
                                           {"commit", Is::commit, "40 hexadecimal digits"},
                                           {"sha256", Is::sha256, "64 hexadecimal digits"},
                                           {"date", Is::date, "date such as `2027-03-01`"},
                                           {"name", Is::name, "lower-case letters, digits, `-` and `_`"},
                                           {"variable", Is::variable, "name of an environment variable"},
                                           {"version", Is::version, "version"},
                                           {"path", Is::path, "relative path"},
                                           {"nothing", Is::nothing, "nothing"}}};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const auto& word : split(text, ','))
    words.emplace_back(trim(word));
  return words;
}

/// The anchor that Markdown gives the heading of a section: "steps.repeat" → "stepsrepeat".
std::string anchor_of(std::string_view section) {
  std::string anchor;
  for (const char c : section) {
    if (c != '.' && c != '*') anchor += c;
  }
  return anchor;
}

Shape holder(Is kind, std::string_view inner) {
  Shape shape;
  shape.kind = kind;
  shape.inner.push_back(parse_shape(inner));
  return shape;
}

}  // namespace

bool Shape::is_text() const {
  switch (kind) {
    case Is::flag:
    case Is::number:
    case Is::change:
    case Is::whole:
    case Is::list:
    case Is::names:
    case Is::map:
    case Is::section:
    case Is::either:
    case Is::nothing:
      return false;
    default:
      return true;
  }
}

const Shape* Shape::section() const {
  if (kind == Is::section) return this;
  for (const auto& one : inner) {
    if (const Shape* found = one.section()) return found;
  }
  return nullptr;
}

Shape parse_shape(std::string_view text) {
  if (take(text, "list of ")) return holder(Is::list, text);
  if (take(text, "names of ")) return holder(Is::names, text);
  if (take(text, "map of ")) return holder(Is::map, text);
  Shape shape;
  if (take(text, "map(")) {
    const auto end = text.find(") of ");
    if (end == std::string_view::npos) throw std::logic_error("map(…) of …");
    shape = holder(Is::map, text.substr(end + 5));
    shape.words = words_of(text.substr(0, end));
    return shape;
  }
  if (const auto bar = text.find(" | "); bar != std::string_view::npos) {
    shape.kind = Is::either;
    shape.inner.push_back(parse_shape(text.substr(0, bar)));
    Shape rest = parse_shape(text.substr(bar + 3));
    if (rest.kind == Is::either) {
      shape.inner.insert(shape.inner.end(), rest.inner.begin(), rest.inner.end());
    } else {
      shape.inner.push_back(std::move(rest));
    }
    return shape;
  }
  if (take(text, "section ")) {
    shape.kind = Is::section;
    shape.what = text;
    return shape;
  }
  if (take(text, "word ")) {
    const auto colon = text.find(": ");
    if (colon == std::string_view::npos) throw std::logic_error("word WHAT: …");
    shape.kind = Is::word;
    shape.what = text.substr(0, colon);
    shape.words = words_of(text.substr(colon + 2));
    return shape;
  }
  if (take(text, "whole ")) {
    const auto dots = text.find("..");
    const auto least = parse_integer(text.substr(0, dots));
    const auto most = dots == std::string_view::npos ? std::nullopt : parse_integer(text.substr(dots + 2));
    if (!least || !most) throw std::logic_error("whole A..B");
    shape.kind = Is::whole;
    shape.least = static_cast<int>(*least);
    shape.most = static_cast<int>(*most);
    return shape;
  }
  for (const auto& plain : kPlain) {
    if (text == plain.expression) {
      shape.kind = plain.kind;
      return shape;
    }
  }
  throw std::logic_error("no shape: " + std::string(text));
}

std::string describe(const Shape& shape) {
  switch (shape.kind) {
    case Is::whole:
      return shape.least == shape.most
                 ? "`" + std::to_string(shape.least) + "`"
                 : "whole number, " + std::to_string(shape.least) + " to " + std::to_string(shape.most);
    case Is::word:
      return "`" + join(shape.words, "`, `") + "`";
    case Is::list:
      return "list of " + describe(shape.inner[0]);
    case Is::names:
      return "name: " + describe(shape.inner[0]);
    case Is::map:
      return (shape.words.empty() ? "mapping to " : "`" + join(shape.words, "`, `") + "`: ") +
             describe(shape.inner[0]);
    case Is::section:
      return "[section](#" + anchor_of(shape.what) + ")";
    case Is::either: {
      std::vector<std::string> parts;
      for (const auto& inner : shape.inner)
        parts.push_back(describe(inner));
      return join(parts, " or ");
    }
    default:
      for (const auto& plain : kPlain) {
        if (plain.kind == shape.kind) return plain.documented;
      }
      return {};
  }
}

}  // namespace mpsgate
