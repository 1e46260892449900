#include "protocol/values.h"

#include "base/text.h"
#include "base/units.h"
#include "protocol/keys.h"

#include <algorithm>
#include <filesystem>

namespace mpsgate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

}  // namespace

bool consists_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

void Values::each(const Node& node, const std::string& path, const std::string& section,
                  const std::function<void(const Node::Entry&, const std::string&)>& take) {
  if (node.kind != Node::Kind::map) {
    faults_.add(node, path, "expected a mapping, found " + describe(node));
    return;
  }
  for (const auto& entry : node.entries) {
    const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
    const auto known = keys_of(section);
    if (comes_later(section, entry.key)) {
      faults_.add(entry.line, entry.column, inner, "this version of mpsgate does not have this key yet",
                  "leave it out for now");
    } else if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      const std::string guess = nearest(entry.key, known);
      faults_.add(
          entry.line, entry.column, inner,
          "expected one of the keys " + join(known, ", ") + ", found \"" + one_line(entry.key, 60) + "\"",
          guess.empty() ? "" : "did you mean \"" + guess + "\"?");
    } else {
      places_[inner] = faults_.place(entry.line, entry.column);
      take(entry, inner);
    }
  }
  for (const auto& row : key_table()) {
    if (row.section == section && row.required && !node.find(row.name)) {
      faults_.add(node, path, std::string("the key \"") + row.name + "\" is missing: " + row.meaning);
    }
  }
}

void Values::each_name(const Node& node, const std::string& path,
                       const std::function<void(const Node::Entry&, const std::string&)>& take) {
  if (node.kind != Node::Kind::map || node.entries.empty()) {
    faults_.add(node, path, "expected a mapping with at least one name, found " + describe(node));
    return;
  }
  for (const auto& entry : node.entries) {
    const std::string inner = path + "." + entry.key;
    places_[inner] = faults_.place(entry.line, entry.column);
    take(entry, inner);
  }
}

bool Values::check_name(const Node::Entry& entry, const std::string& path) {
  if (entry.key.size() <= 60 && consists_of(entry.key, kWord)) return true;
  faults_.add(
      entry.line, entry.column, path,
      "a name has letters, digits, _ and - only, 60 at most; found \"" + one_line(entry.key, 60) + "\"");
  return false;
}

std::string Values::text(const Node& node, const std::string& path) {
  if (node.kind == Node::Kind::scalar && !trim(node.text).empty()) return node.text;
  faults_.add(node, path, "expected text, found " + describe(node));
  return {};
}

bool Values::boolean(const Node& node, const std::string& path) {
  if (node.kind == Node::Kind::scalar && !node.quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  faults_.add(node, path, "expected true or false, found " + describe(node));
  return false;
}

double Values::number(const Node& node, const std::string& path, double least) {
  const auto value = node.kind == Node::Kind::scalar && !node.quoted ? parse_number(node.text) : std::nullopt;
  if (!value) {
    faults_.add(node, path, "expected a number such as 0.5 or 1e-4, found " + describe(node),
                octal_hint(node));
    return least;
  }
  if (*value < least)
    faults_.add(node, path, "expected at least " + format_number(least) + ", found " + describe(node));
  return *value;
}

int Values::integer(const Node& node, const std::string& path, int least, int most) {
  const auto value =
      node.kind == Node::Kind::scalar && !node.quoted ? parse_integer(node.text) : std::nullopt;
  if (value && *value >= least && *value <= most) return static_cast<int>(*value);
  faults_.add(node, path,
              "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                  ", found " + describe(node),
              octal_hint(node));
  return least;
}

std::string Values::octal_hint(const Node& node) {
  const std::string_view text = node.text;
  const bool octal = text.size() > 1 && text[0] == '0' && consists_of(text, "0123456789");
  return octal ? "a number does not begin with 0; quote it if it is text" : "";
}

double Values::duration(const Node& node, const std::string& path) {
  const auto value = node.kind == Node::Kind::scalar ? parse_seconds(node.text) : std::nullopt;
  if (value && *value > 0) return *value;
  faults_.add(node, path,
              "expected a duration with its unit, such as 90 s, 10 min or 2 h; found " + describe(node));
  return 1;
}

std::string Values::one_of(const Node& node, const std::string& path, const std::vector<std::string>& words,
                           const std::string& what) {
  const std::string value = text(node, path);
  if (value.empty() || std::find(words.begin(), words.end(), value) != words.end()) return value;
  const std::string guess = nearest(value, words);
  faults_.add(node, path, "expected " + what + " (" + join(words, ", ") + "), found " + describe(node),
              guess.empty() ? "" : "did you mean \"" + guess + "\"?");
  return {};
}

std::vector<std::string> Values::texts(const Node& node, const std::string& path) {
  std::vector<std::string> values;
  if (node.kind != Node::Kind::list) {
    faults_.add(node, path, "expected a list, found " + describe(node),
                node.kind == Node::Kind::scalar ? "write [" + one_line(node.text, 40) + "]" : "");
    return values;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    values.push_back(text(node.items[i], path + "[" + std::to_string(i) + "]"));
  }
  return values;
}

std::string Values::inner_path(const Node& node, const std::string& path) {
  const std::string value = text(node, path);
  const fs::path given(value);
  const bool climbs = std::find(given.begin(), given.end(), "..") != given.end();
  if (given.is_absolute() || climbs) {
    faults_.add(node, path, "expected a relative path without \"..\", found " + describe(node));
    return {};
  }
  return given.lexically_normal().generic_string();
}

}  // namespace mpsgate
