#include "protocol/structure.h"

#include "base/text.h"
#include "base/units.h"
#include "protocol/keys.h"

#include <algorithm>
#include <filesystem>

namespace mpsgate {
namespace {

using Is = Shape::Kind;

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
constexpr std::size_t kLongestName = 60;

bool consists_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_version(const std::string& text) {
  const auto parts = split(text, '.');
  return parts.size() >= 2 && parts.size() <= 3 &&
         std::all_of(parts.begin(), parts.end(),
                     [](const auto& part) { return consists_of(part, kDigits) && part.size() < 4; });
}

bool is_name(const std::string& text) {
  return text.size() <= kLongestName && consists_of(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") &&
         text[0] != '-' && text[0] != '_';
}

bool stays_inside(const std::string& text) {
  const std::filesystem::path path(text);
  return !path.is_absolute() && std::find(path.begin(), path.end(), "..") == path.end();
}

std::string octal_hint(const Node& node) {
  const bool octal = node.text.size() > 1 && node.text[0] == '0' && consists_of(node.text, kDigits);
  return octal ? "a number does not begin with 0; quote it if it is text" : "";
}

std::string guess_hint(const std::string& guess) {
  return guess.empty() ? "" : "did you mean \"" + guess + "\"?";
}

/// "text or a list"
std::string kinds_of(const Shape& shape) {
  std::vector<std::string> kinds;
  for (const auto& inner : shape.inner) {
    if (inner.kind != Is::nothing)
      kinds.emplace_back(inner.is_text() ? "text" : inner.kind == Is::list ? "a list" : "a mapping");
  }
  return join(kinds, " or ");
}

const KeyRow* row_of(const std::string& section, const std::string& name) {
  for (const auto& row : key_table()) {
    if (row.section == section && row.name == name) return &row;
  }
  return nullptr;
}

/// What a text-like shape wants, and whether this text is it.
struct Wanted {
  bool met;
  std::string message;
  std::string hint;
};

Wanted wanted(const Shape& shape, const Node& node) {
  const std::string& text = node.text;
  const std::string found = ", found " + describe(node);
  switch (shape.kind) {
    case Is::commit:
      return {text.size() == 40 && consists_of(text, kHex),
              "expected the 40 lower-case hexadecimal digits of a commit" + found,
              "branches and tags move: git rev-parse NAME prints the commit"};
    case Is::sha256:
      return {text.size() == 64 && consists_of(text, kHex),
              "expected the 64 lower-case hexadecimal digits of a sha256" + found,
              "sha256sum FILE (macOS: shasum -a 256 FILE) prints it; of a folder: mpsgate hash FOLDER"};
    case Is::date:
      return {is_date(text), "expected a date such as 2027-03-01" + found, ""};
    case Is::name:
      return {is_name(text), "expected lower-case letters, digits and -, 60 at most" + found, ""};
    case Is::variable:  // what is found may be the token itself
      return {consists_of(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
              "expected the name of an environment variable in capitals, never the token itself", ""};
    case Is::version:
      return {is_version(text), "expected a version such as \"3.11\"" + found, ""};
    case Is::path:
      return {stays_inside(text), "expected a relative path without \"..\"" + found, ""};
    case Is::duration: {
      const auto seconds = parse_seconds(text);
      return {seconds && *seconds > 0,
              "expected a duration with its unit, such as 90 s, 10 min, 2 h or 30 d" + found, ""};
    }
    case Is::size:
      return {parse_bytes(text).has_value(), "expected a size with its unit, such as 64 MiB" + found, ""};
    case Is::word:
      return {std::find(shape.words.begin(), shape.words.end(), text) != shape.words.end(),
              "expected " + shape.what + " (" + join(shape.words, ", ") + ")" + found,
              guess_hint(nearest(text, shape.words))};
    default:
      return {true, "", ""};
  }
}

}  // namespace

const Shape* alternative_for(const Shape& shape, const Node& node) {
  const auto fits = [&](const Shape& one) {
    switch (node.kind) {
      case Node::Kind::null:
        return one.kind == Is::nothing;
      case Node::Kind::list:
        return one.kind == Is::list;
      case Node::Kind::map:
        return one.kind == Is::section || one.kind == Is::map || one.kind == Is::names;
      case Node::Kind::scalar:
        return node.text.empty() ? one.kind == Is::nothing
                                 : one.kind != Is::list && one.kind != Is::section && one.kind != Is::map &&
                                       one.kind != Is::names && one.kind != Is::nothing;
    }
    return false;
  };
  const auto found = std::find_if(shape.inner.begin(), shape.inner.end(), fits);
  return found == shape.inner.end() ? nullptr : &*found;
}

void Structure::check(const Node& top) {
  section(top, "", "", top.line, top.column);
}

void Structure::fault(const Node& node, const std::string& path, const std::string& message,
                      const std::string& hint) {
  faults_.add(node, path, message, hint);
  broken_.insert(&node);
}

void Structure::section(const Node& node, const std::string& path, const std::string& name, int line,
                        int column) {
  if (node.kind != Node::Kind::map) return fault(node, path, "expected a mapping, found " + describe(node));
  std::set<std::string> guessed;  // a key that is there with a typing error is not missed as well
  for (const auto& entry : node.entries) {
    const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
    if (const KeyRow* row = row_of(name, entry.key)) {
      places_[inner] = faults_.place(entry.line, entry.column);
      value(entry.value, inner, parse_shape(row->shape), entry.line, entry.column);
    } else if (comes_later(name, entry.key)) {
      faults_.add(entry.line, entry.column, inner, "this version of mpsgate does not have this key yet",
                  "leave it out for now");
    } else {
      const auto known = keys_of(name);
      guessed.insert(nearest(entry.key, known));
      faults_.add(
          entry.line, entry.column, inner,
          "expected one of the keys " + join(known, ", ") + ", found \"" + one_line(entry.key, 60) + "\"",
          guess_hint(nearest(entry.key, known)));
    }
  }
  for (const auto& row : key_table()) {
    if (row.section == name && row.required && !node.find(row.name) && !guessed.contains(row.name))
      faults_.add(node, path, std::string("the key \"") + row.name + "\" is missing: " + row.meaning);
  }
  choices(node, path, name, line, column);
}

void Structure::choices(const Node& node, const std::string& path, const std::string& name, int line,
                        int column) {
  for (const auto& row : choice_table()) {
    if (row.section != name) continue;
    std::vector<std::string> there;
    for (const auto& key : row.names()) {
      if (node.find(key)) there.push_back(key);
    }
    if (there.size() == 1 || (!there.empty() && !row.exactly_one)) continue;
    faults_.add(line, column, path,
                std::string(row.exactly_one ? "expected exactly one of " : "expected at least one of ") +
                    row.keys + (there.empty() ? "; found none" : "; found " + join(there, ", ")));
    broken_.insert(&node);
  }
}

void Structure::value(const Node& node, const std::string& path, const Shape& shape, int line, int column) {
  switch (shape.kind) {
    case Is::section:
      return section(node, path, shape.what, line, column);
    case Is::names:
    case Is::map:
      return mapping(node, path, shape);
    case Is::list:
      if (node.kind != Node::Kind::list)
        return fault(node, path, "expected a list, found " + describe(node),
                     node.kind == Node::Kind::scalar ? "write [" + one_line(node.text, 40) + "]" : "");
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        const Node& item = node.items[i];
        value(item, path + "[" + std::to_string(i) + "]", shape.inner[0], item.line, item.column);
      }
      return;
    case Is::either: {
      if (const Shape* one = alternative_for(shape, node)) return value(node, path, *one, line, column);
      return fault(node, path, "expected " + kinds_of(shape) + ", found " + describe(node));
    }
    case Is::nothing:
      return;
    default:
      return scalar(node, path, shape);
  }
}

void Structure::scalar(const Node& node, const std::string& path, const Shape& shape) {
  const std::string found = ", found " + describe(node);
  const bool plain = node.kind == Node::Kind::scalar && !node.quoted;
  if (shape.kind == Is::flag) {
    if (!plain || (node.text != "true" && node.text != "false"))
      fault(node, path, "expected true or false" + found);
    return;
  }
  if (shape.kind == Is::number) {
    const auto number = plain ? parse_number(node.text) : std::nullopt;
    if (!number) return fault(node, path, "expected a number such as 0.5 or 1e-4" + found, octal_hint(node));
    if (*number < 0) fault(node, path, "expected at least 0" + found);
    return;
  }
  if (shape.kind == Is::change) {
    const auto number = plain ? parse_number(node.text) : std::nullopt;
    const bool unit =
        node.kind == Node::Kind::scalar && (parse_points(node.text) || parse_percent(node.text));
    if (!unit && (!number || *number < 0))
      fault(node, path, "expected a number, 0.5 points or 2 %, at least 0" + found, octal_hint(node));
    return;
  }
  if (shape.kind == Is::whole) {
    const auto number = plain ? parse_integer(node.text) : std::nullopt;
    if (!number || *number < shape.least || *number > shape.most)
      fault(node, path,
            "expected a whole number from " + std::to_string(shape.least) + " to " +
                std::to_string(shape.most) + found,
            octal_hint(node));
    return;
  }
  if (node.kind == Node::Kind::map) {
    // {device} without quotes is a mapping to nothing.
    const std::string key = node.entries.empty() ? "device" : one_line(node.entries.front().key, 30);
    return fault(node, path, "YAML reads {" + key + "} as a mapping here", "quote it: \"{" + key + "}\"");
  }
  if (node.kind != Node::Kind::scalar || trim(node.text).empty())
    return fault(node, path, "expected text" + found);
  if (const Wanted what = wanted(shape, node); !what.met) fault(node, path, what.message, what.hint);
}

void Structure::mapping(const Node& node, const std::string& path, const Shape& shape) {
  if (node.kind != Node::Kind::map || node.entries.empty())
    return fault(node, path, "expected a mapping with at least one name, found " + describe(node));
  for (const auto& entry : node.entries) {
    const std::string inner = path + "." + entry.key;
    const std::string found = "found \"" + one_line(entry.key, kLongestName) + "\"";
    places_[inner] = faults_.place(entry.line, entry.column);
    const bool listed = shape.words.empty() ||
                        std::find(shape.words.begin(), shape.words.end(), entry.key) != shape.words.end();
    const bool named =
        shape.kind != Is::names || (entry.key.size() <= kLongestName && consists_of(entry.key, kWord));
    if (!listed)
      faults_.add(entry.line, entry.column, inner, "expected " + join(shape.words, " or ") + ", " + found);
    if (!named)
      faults_.add(entry.line, entry.column, inner,
                  "a name has letters, digits, _ and - only, 60 at most; " + found);
    if (!listed || !named) broken_.insert(&entry.value);
    value(entry.value, inner, shape.inner[0], entry.line, entry.column);
  }
}

namespace {

Json plain_json(const Node& node);

Json json_of(const Node& node, const Shape* shape) {
  if (shape && shape->kind == Is::either) shape = alternative_for(*shape, node);
  if (!shape) return plain_json(node);
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::list: {
      Json list = Json::array();
      for (const auto& item : node.items)
        list.push_back(json_of(item, shape->kind == Is::list ? &shape->inner[0] : nullptr));
      return list;
    }
    case Node::Kind::map: {
      Json map = Json::object();
      for (const auto& entry : node.entries) {
        Shape declared;
        const Shape* inner = nullptr;
        if (shape->kind == Is::section) {
          if (const KeyRow* row = row_of(shape->what, entry.key)) {
            declared = parse_shape(row->shape);
            inner = &declared;
          }
        } else if (shape->kind == Is::map || shape->kind == Is::names) {
          inner = &shape->inner[0];
        }
        map[entry.key] = json_of(entry.value, inner);
      }
      return map;
    }
    case Node::Kind::scalar:
      break;
  }
  if (shape->is_text()) return node.text;
  // 5.0 is no whole number here, though it is one for JSON.
  if (shape->kind == Is::whole && !parse_integer(node.text)) return node.text;
  return plain_json(node);
}

Json plain_json(const Node& node) {
  if (node.kind == Node::Kind::null) return nullptr;
  if (node.kind != Node::Kind::scalar) {
    static const Shape unknown = [] {
      Shape shape;
      shape.kind = Is::nothing;
      return shape;
    }();
    return json_of(node, &unknown);
  }
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  if (const auto number = parse_integer(node.text)) return *number;
  if (const auto number = parse_number(node.text)) return *number;
  return node.text;
}

}  // namespace

Json json_of(const Node& top) {
  Shape shape;
  shape.kind = Is::section;
  return json_of(top, &shape);
}

}  // namespace mpsgate
