#pragma once
#include "protocol/node.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// Reads single values out of the tree: each gives the value, or adds a fault that says what was expected and
/// what was found, and gives a harmless one.
class Values {
 protected:
  Values(const std::string& text, const std::string& file) : faults_(text, file) {}

  /// Calls `take` with each entry of a map that `section` declares; faults for the others and for missing
  /// ones.
  void each(const Node& node, const std::string& path, const std::string& section,
            const std::function<void(const Node::Entry&, const std::string&)>& take);
  /// Calls `take` with each entry of a map whose keys are names of the protocol's own.
  void each_name(const Node& node, const std::string& path,
                 const std::function<void(const Node::Entry&, const std::string&)>& take);
  bool check_name(const Node::Entry& entry, const std::string& path);
  std::string text(const Node& node, const std::string& path);
  bool boolean(const Node& node, const std::string& path);
  double number(const Node& node, const std::string& path, double least = 0);
  int integer(const Node& node, const std::string& path, int least, int most);
  static std::string octal_hint(const Node& node);
  double duration(const Node& node, const std::string& path);
  std::string one_of(const Node& node, const std::string& path, const std::vector<std::string>& words,
                     const std::string& what);
  std::vector<std::string> texts(const Node& node, const std::string& path);
  /// A relative path without "..".
  std::string inner_path(const Node& node, const std::string& path);

  Faults faults_;
  std::map<std::string, Place> places_;  ///< where each key is written
};

/// Whether `text` is not empty and consists of `allowed` alone.
bool consists_of(std::string_view text, std::string_view allowed);

}  // namespace mpsgate
