#pragma once
#include "protocol/node.h"
#include "protocol/shape.h"

#include <map>
#include <set>
#include <string>

namespace mpsgate {

/// Holds a tree against the key table: every fault of structure is added, and what has one is left out of
/// what the reader may look at.
class Structure {
 public:
  explicit Structure(Faults& faults) : faults_(faults) {}
  void check(const Node& top);

  /// Whether the reader may take this node for what the table says it is.
  bool sound(const Node& node) const { return !broken_.contains(&node); }
  /// Where each known key and each name is written.
  std::map<std::string, Place> take_places() { return std::move(places_); }

 private:
  void section(const Node& node, const std::string& path, const std::string& name, int line, int column);
  void choices(const Node& node, const std::string& path, const std::string& name, int line, int column);
  void value(const Node& node, const std::string& path, const Shape& shape, int line, int column);
  void scalar(const Node& node, const std::string& path, const Shape& shape);
  void mapping(const Node& node, const std::string& path, const Shape& shape);
  void fault(const Node& node, const std::string& path, const std::string& message,
             const std::string& hint = {});

  Faults& faults_;
  std::set<const Node*> broken_;
  std::map<std::string, Place> places_;
};

/// The alternative of `shape` that a node of this kind belongs to; nullptr where none does.
const Shape* alternative_for(const Shape& shape, const Node& node);

/// The protocol as JSON, for validators of the published schema: text is text whatever YAML makes of it.
Json json_of(const Node& top);

}  // namespace mpsgate
