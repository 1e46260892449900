// .json: every scalar by its path; numbers in one array, the rest as text in another.
#include "base/json.h"
#include "base/json_path.h"
#include "base/text.h"
#include "compare/array.h"
#include "compare/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace mpsgate {
namespace {

constexpr std::size_t kLargest = 256u << 20;
constexpr int kDeepest = 100;
/// What stands for a constant that Python writes and JSON does not have: NaN, Infinity, -Infinity.
constexpr std::string_view kConstant = "\x01 constant ";

struct Scalars {
  std::vector<double> numbers;
  std::vector<std::string> paths, texts;
  bool too_deep = false;

  void walk(const Json& json, const std::string& path, int depth) {
    if (depth > kDeepest) {
      too_deep = true;
    } else if (json.is_structured() && json.empty() && !path.empty()) {
      texts.push_back(path + " = " + dump_json(json));
    } else if (json.is_number_integer() && std::abs(json.get<double>()) >= 9007199254740992.0) {
      texts.push_back(path + " = " + dump_json(json));  // beyond 2^53 a double would round it
    } else if (json.is_object()) {
      std::map<std::string, const Json*> sorted;  // the order of keys is no result
      for (const auto& [key, value] : json.items())
        sorted[key] = &value;
      for (const auto& [key, value] : sorted)
        walk(*value, path + "." + key, depth + 1);
    } else if (json.is_array()) {
      for (std::size_t i = 0; i < json.size(); ++i)
        walk(json[i], path + "[" + std::to_string(i) + "]", depth + 1);
    } else if (json.is_null() && path.empty()) {
      return;  // nothing at all
    } else if (json.is_number()) {
      numbers.push_back(json.get<double>());
      paths.push_back(path);
    } else if (json.is_string() && json.get_ref<const std::string&>().starts_with(kConstant)) {
      numbers.push_back(number_of(Json(json.get_ref<const std::string&>().substr(kConstant.size()))));
      paths.push_back(path);
    } else {
      texts.push_back(path + " = " + dump_json(json));
    }
  }
};

/// The parser recurses by bracket: look first.
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > kDeepest) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

/// Python's constants as texts that Scalars knows again.
std::string with_constants(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> constants[] = {
      {"-Infinity", "-inf"}, {"Infinity", "inf"}, {"NaN", "nan"}};
  std::string changed;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\' && i + 1 < text.size()) changed += text[i++];
    const auto* constant = std::find_if(std::begin(constants), std::end(constants), [&](const auto& one) {
      return !quoted && text.substr(i).starts_with(one.first);
    });
    if (constant == std::end(constants)) {
      changed += text[i];
    } else {
      changed += "\"\\u0001" + std::string(kConstant.substr(1)) + std::string(constant->second) + "\"";
      i += constant->first.size() - 1;
    }
  }
  return changed;
}

/// JSON as Python writes it; its constants are the texts that begin with kConstant.
Result<Json> parse_python_json(std::string_view text) {
  if (text.size() > kLargest) return unsupported_result("JSON of more than 256 MiB is not read");
  if (nests_too_deep(text)) return unsupported_result("its brackets are nested too deeply");
  const bool constants =
      text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos;
  auto json = parse_json(constants ? with_constants(text) : text, "the file");
  if (!json) return unreadable_result(json.error().message);
  return json;
}

/// The reverse of with_constants.
std::string without_constants(std::string text) {
  static constexpr std::pair<const char*, const char*> constants[] = {
      {"-inf", "-Infinity"}, {"inf", "Infinity"}, {"nan", "NaN"}};
  for (const auto& [word, constant] : constants) {
    const std::string marked = "\"\\u0001" + std::string(kConstant.substr(1)) + word + "\"";
    text = replace_all(std::move(text), marked, constant);
  }
  return text;
}

}  // namespace

Result<std::string> select_value(const std::filesystem::path& file, const std::string& json_path) {
  MPSGATE_ASSIGN(const JsonPath path, JsonPath::parse(json_path));
  MPSGATE_ASSIGN(const MappedFile mapped, map_file(file.string()));
  std::string_view text = trim(mapped.bytes);
  if (file.extension() == ".jsonl") text = text.substr(text.rfind('\n') + 1);
  MPSGATE_ASSIGN(const Json json, parse_python_json(text));
  const Json* value = path.find(json);
  if (!value || value->is_null()) return fail("result.absent", "the file has no value at " + json_path);
  return without_constants(dump_json(Json{{"value", *value}}));
}

Result<std::vector<Array>> parse_json_numbers(std::string_view text) {
  MPSGATE_ASSIGN(const Json json, parse_python_json(text));
  auto scalars = std::make_shared<Scalars>();
  scalars->walk(json, "", 0);
  Array numbers;
  numbers.name = "numbers";
  numbers.dtype = {Dtype::Kind::real, 8, false, "number"};
  numbers.shape = {scalars->numbers.size()};
  numbers.bytes = {reinterpret_cast<const char*>(scalars->numbers.data()),
                   scalars->numbers.size() * sizeof(double)};
  numbers.owner = scalars;
  // Where numbers stand is part of the result: a missing key is no small difference.
  Array rest;
  rest.name = "keys and texts";
  rest.dtype = {Dtype::Kind::text, 0, false, "text"};
  rest.texts = scalars->texts;
  rest.texts.insert(rest.texts.end(), scalars->paths.begin(), scalars->paths.end());
  rest.shape = {rest.texts.size()};
  std::vector<Array> arrays;
  if (!scalars->numbers.empty()) arrays.push_back(std::move(numbers));
  if (!rest.texts.empty()) arrays.push_back(std::move(rest));
  if (arrays.empty()) return unreadable_result("it holds no value");
  return arrays;
}

}  // namespace mpsgate
