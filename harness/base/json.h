#pragma once
#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace mpsgate {

/// Keeps the order in which keys were written, so that files read as they were meant and rewrite byte for
/// byte.
using Json = nlohmann::ordered_json;

/// Text of `json`: never throws, invalid UTF-8 becomes U+FFFD. `indent` < 0 gives one line.
std::string dump_json(const Json& json, int indent = -1);

/// Parses one JSON value. Error code: "json.invalid".
Result<Json> parse_json(std::string_view text, const std::string& origin);

/// A number, or the string "nan", "inf" or "-inf" where JSON has no number for it.
Json json_number(double value);
/// The reverse of json_number; `fallback` when `json` is neither.
double number_of(const Json& json, double fallback = 0.0);

/// json[key] where that is a string, a number or a bool of the wanted type, else `fallback`. For hostile or
/// old input.
std::string string_at(const Json& json, const char* key, const std::string& fallback = {});
double number_at(const Json& json, const char* key, double fallback = 0.0);
bool bool_at(const Json& json, const char* key, bool fallback = false);
/// json[key] where it exists, else a null that lives for ever.
const Json& value_at(const Json& json, const char* key);

}  // namespace mpsgate
