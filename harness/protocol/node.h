#pragma once
#include "protocol/protocol.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// YAML as a tree with positions. Built from yaml-cpp's events: its own nodes lose positions, keep duplicate
/// keys and resolve aliases into cycles.
struct Node {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< "5" is a string, 5 a number
  int line = 0, column = 0;
  std::vector<Node> items;
  std::vector<Entry> entries;

  /// The entry of a map, in any case nullptr where there is none.
  const Entry* find(std::string_view key) const;
};

struct Node::Entry {
  std::string key;
  int line = 0, column = 0;
  Node value;
};

/// What stands there, for messages: "a list", "the text \"abc\"", "nothing".
std::string describe(const Node& node);

/// Where faults of one protocol go.
class Faults {
 public:
  Faults(const std::string& text, std::string file);
  void add(int line, int column, const std::string& path, const std::string& message,
           const std::string& hint = {});
  void add(const Node& node, const std::string& path, const std::string& message,
           const std::string& hint = {}) {
    add(node.line, node.column, path, message, hint);
  }
  Place place(int line, int column) const { return {file_, line, column}; }
  /// Sorted by place; empties this.
  std::vector<Diagnostic> take();
  bool none() const { return found_.empty(); }

 private:
  std::vector<std::string> lines_;
  std::string file_;
  std::vector<Diagnostic> found_;
};

/// Parses one document; nothing when it is no YAML that we accept (a fault says why). Refused: aliases and
/// anchors, foreign tags, duplicate keys, a second document, more than 32 levels, 50,000 nodes or 1 MiB,
/// invalid UTF-8, NUL.
std::optional<Node> parse_yaml(const std::string& text, Faults& faults);

}  // namespace mpsgate
