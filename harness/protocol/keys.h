#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// The declaration of one key: the checker, the published schema, docs/protocol.md and `mpsgate validate
/// --explain` come from it.
struct KeyRow {
  const char* section;  ///< "" for the top; "repository"; "outputs.*" for every output
  const char* name;
  bool required;
  const char* shape;  ///< see Shape
  const char* meaning;
  const char* otherwise = "";  ///< what holds where the key is absent
  int since = 1;               ///< version of the protocol language
};
std::span<const KeyRow> key_table();

/// Keys of a section of which one must be there, or exactly one.
struct ChoiceRow {
  const char* section;
  const char* keys;  ///< "file, checkout"
  bool exactly_one;
  std::vector<std::string> names() const;
};
std::span<const ChoiceRow> choice_table();

/// Sections in the order of the documentation, and what each is about.
struct SectionRow {
  const char* name;
  const char* title;
  const char* about;
};
std::span<const SectionRow> section_table();

/// Keys of the design that come with a later version: refused as such, never as unknown.
bool comes_later(std::string_view section, std::string_view name);
/// Names of a section, in order.
std::vector<std::string> keys_of(std::string_view section);
/// The row that declares `path`: "steps.repeat.passes", "outputs.scores.file"; nullptr where none does.
const KeyRow* key_at(std::string_view path);

}  // namespace mpsgate
