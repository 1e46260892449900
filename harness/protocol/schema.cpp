#include "protocol/schema.h"

#include "base/text.h"
#include "protocol/keys.h"
#include "protocol/shape.h"

namespace mpsgate {
namespace {

using Is = Shape::Kind;

/// A decimal number, as base/units.h reads it.
constexpr const char* kNumber = R"(\+?(0|[1-9][0-9]*|(?=\.[0-9]))(\.[0-9]*)?([eE][+-]?[0-9]+)?)";
constexpr const char* kName = "^[A-Za-z0-9_-]{1,60}$";

/// Text that YAML may take for something else.
Json text_schema(const std::string& pattern) {
  return {{"type", {"string", "number", "boolean"}}, {"pattern", pattern}};
}

Json schema_of(const Shape& shape);

Json mapping_schema(const Shape& shape) {
  Json schema = {{"type", "object"}, {"minProperties", 1}};
  if (shape.kind == Is::names) schema["propertyNames"] = {{"pattern", kName}};
  if (!shape.words.empty()) schema["propertyNames"] = {{"enum", shape.words}};
  schema["additionalProperties"] = schema_of(shape.inner[0]);
  return schema;
}

Json schema_of(const Shape& shape) {
  switch (shape.kind) {
    case Is::text:
      return text_schema(R"(\S)");
    case Is::flag:
      return {{"type", "boolean"}};
    case Is::number:
      return {{"type", "number"}, {"minimum", 0}};
    case Is::change:
      return {
          {"anyOf",
           {{{"type", "number"}, {"minimum", 0}},
            {{"type", "string"}, {"pattern", std::string(R"(^\s*)") + kNumber + R"(\s*(points|%)\s*$)"}}}}};
    case Is::whole:
      return {{"type", "integer"}, {"minimum", shape.least}, {"maximum", shape.most}};
    case Is::duration:
      return {{"type", "string"},
              {"pattern", std::string(R"(^\s*(?![0.]+([eE][+-]?[0-9]+)?\s*[a-z]))") + kNumber +
                              R"(\s*(ms|s|min|h|d)\s*$)"}};
    case Is::size:
      return {{"type", "string"}, {"pattern", std::string(R"(^\s*)") + kNumber + R"(\s*([KMGT]i?)?B\s*$)"}};
    case Is::commit:
      // Forty digits without a letter are a number to YAML.
      return {{"type", {"string", "number"}}, {"pattern", "^[0-9a-f]{40}$"}, {"minimum", 1e36}};
    case Is::sha256:
      // Digits alone are a number to YAML.
      return {{"type", {"string", "number"}}, {"pattern", "^[0-9a-f]{64}$"}, {"minimum", 1e60}};
    case Is::date:
      return {{"type", "string"}, {"pattern", "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"}};
    case Is::name:
      return {{"type", {"string", "integer"}}, {"pattern", "^[a-z0-9][a-z0-9_-]{0,59}$"}, {"minimum", 0}};
    case Is::variable:
      return {{"type", "string"}, {"pattern", "^[A-Z0-9_]+$"}};
    case Is::version:
      return {{"type", {"string", "number"}}, {"pattern", R"(^[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?$)"}};
    case Is::path:
      return text_schema(R"(^(?!/)(?!(.*/)?\.\.(/|$)).*\S)");
    case Is::nothing:
      return {{"enum", {nullptr, ""}}};
    case Is::word:
      return {{"enum", shape.words}};
    case Is::list:
      return {{"type", "array"}, {"items", schema_of(shape.inner[0])}};
    case Is::names:
    case Is::map:
      return mapping_schema(shape);
    case Is::section:
      return {{"$ref", "#/definitions/" + shape.what}};
    case Is::either: {
      Json any = Json::array();
      for (const auto& inner : shape.inner)
        any.push_back(schema_of(inner));
      return {{"anyOf", any}};
    }
  }
  return {};
}

Json section_schema(const std::string& section) {
  Json properties = Json::object(), required = Json::array();
  for (const auto& row : key_table()) {
    if (row.section != section) continue;
    Json schema = schema_of(parse_shape(row.shape));
    const std::string otherwise = *row.otherwise ? std::string(" (without it: ") + row.otherwise + ")" : "";
    // Keywords beside a $ref are ignored in draft-07.
    if (schema.contains("$ref")) schema = {{"allOf", Json::array({schema})}};
    schema["description"] = row.meaning + otherwise;
    properties[row.name] = std::move(schema);
    if (row.required) required.push_back(row.name);
  }
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  for (const auto& row : choice_table()) {
    if (row.section != section) continue;
    Json choices = Json::array();
    for (const auto& name : row.names())
      choices.push_back({{"required", Json::array({name})}});
    schema[row.exactly_one ? "oneOf" : "anyOf"] = choices;
  }
  return schema;
}

/// For a terminal: Markdown's marks and the targets of its links left out.
std::string plain(std::string text) {
  for (auto at = text.find("]("); at != std::string::npos; at = text.find("]("))
    text.erase(at, text.find(')', at) + 1 - at);
  return replace_all(replace_all(std::move(text), "`", ""), "[section", "a section");
}

std::string version_note(const KeyRow& row) {
  return row.since > 1 ? " (since version " + std::to_string(row.since) + ")" : "";
}

}  // namespace

Json protocol_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "mpsgate protocol, version 1"}};
  schema.update(section_schema(""));
  Json definitions = Json::object();
  for (const auto& section : section_table()) {
    if (*section.name) definitions[section.name] = section_schema(section.name);
  }
  schema["definitions"] = definitions;
  return schema;
}

std::string keys_markdown() {
  std::string text;
  for (const auto& section : section_table()) {
    text += "### " + std::string(section.title) + "\n\n" + section.about +
            "\n\n| key | value | meaning | without it |\n|---|---|---|---|\n";
    for (const auto& row : key_table()) {
      if (std::string_view(row.section) != section.name) continue;
      text += "| `" + std::string(row.name) + "` | " + describe(parse_shape(row.shape)) + " | " +
              row.meaning + version_note(row) + " | " + (row.required ? "**required**" : row.otherwise) +
              " |\n";
    }
    text += "\n";
  }
  return text;
}

Result<std::string> explain_key(const std::string& path) {
  const KeyRow* row = key_at(path);
  if (!row) {
    std::vector<std::string> known;
    for (const auto& candidate : key_table())
      known.push_back((*candidate.section ? std::string(candidate.section) + "." : "") + candidate.name);
    const std::string guess = nearest(path, known);
    return fail("usage.key", "the protocol has no key \"" + one_line(path, 60) + "\"",
                guess.empty() ? "docs/protocol.md lists them" : "did you mean \"" + guess + "\"?");
  }
  std::string text = (*row->section ? std::string(row->section) + "." : "") + row->name + "\n  " +
                     row->meaning + "\n  value: " + describe(parse_shape(row->shape)) +
                     (row->required     ? "\n  required"
                      : *row->otherwise ? std::string("\n  without it: ") + row->otherwise
                                        : "") +
                     "\n  since version " + std::to_string(row->since) + " of the language\n";
  const Shape shape = parse_shape(row->shape);
  if (const Shape* section = shape.section()) text += "  keys: " + join(keys_of(section->what), ", ") + "\n";
  return plain(std::move(text));
}

}  // namespace mpsgate
