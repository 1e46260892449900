#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// The declaration of one key. docs/protocol.md names each (a test checks it).
struct KeyRow {
  const char* section;  ///< "" for the top; "repository"; "outputs.*" for every output
  const char* name;
  bool required;
  const char* type;  ///< "text", "list of texts", "duration", …, as the documentation says it
  const char* meaning;
};

std::span<const KeyRow> key_table();
/// Keys of the design that come with a later version: refused as such, never as unknown.
bool comes_later(std::string_view section, std::string_view name);
/// Names of a section, in order.
std::vector<std::string> keys_of(std::string_view section);

}  // namespace mpsgate
