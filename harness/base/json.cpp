#include "base/json.h"

#include "base/text.h"

#include <cmath>
#include <limits>

namespace mpsgate {

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<Json> parse_json(std::string_view text, const std::string& origin) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    // The library repeats what it read.
    return fail("json.invalid", origin + " is not valid JSON: " + one_line(error.what()));
  }
}

Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_of(const Json& json, double fallback) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  return fallback;
}

const Json& value_at(const Json& json, const char* key) {
  static const Json null;
  if (!json.is_object()) return null;
  auto found = json.find(key);
  return found == json.end() ? null : *found;
}

std::string string_at(const Json& json, const char* key, const std::string& fallback) {
  const Json& value = value_at(json, key);
  return value.is_string() ? value.get<std::string>() : fallback;
}

double number_at(const Json& json, const char* key, double fallback) {
  return number_of(value_at(json, key), fallback);
}

bool bool_at(const Json& json, const char* key, bool fallback) {
  const Json& value = value_at(json, key);
  return value.is_boolean() ? value.get<bool>() : fallback;
}

}  // namespace mpsgate
