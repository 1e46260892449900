#pragma once
#include "base/json.h"
#include "base/result.h"

#include <string>
#include <variant>
#include <vector>

namespace mpsgate {

/// The part of JSONPath (RFC 9535) that names one value: `$`, then `.name`, `["name"]`, `['name']` or `[0]`.
class JsonPath {
 public:
  /// Error code: "json-path.invalid".
  static Result<JsonPath> parse(const std::string& text);
  /// The value in `json`, or nullptr where there is none.
  const Json* find(const Json& json) const;

 private:
  std::vector<std::variant<std::string, std::size_t>> steps_;
};

}  // namespace mpsgate
