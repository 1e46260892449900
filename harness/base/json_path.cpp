#include "base/json_path.h"

#include "base/text.h"
#include "base/units.h"

#include <string_view>

namespace mpsgate {

Result<JsonPath> JsonPath::parse(const std::string& text) {
  const auto refuse = [&](const std::string& what) {
    return fail("json-path.invalid", "\"" + one_line(text, 60) + "\" is no path of one value: " + what,
                "write $.name.name[0]; a name with other characters as [\"name\"]");
  };
  JsonPath path;
  std::string_view rest = text;
  if (!rest.starts_with('$')) return refuse("it does not begin with $");
  rest.remove_prefix(1);
  while (!rest.empty()) {
    if (rest[0] == '.') {
      const auto end = std::min(rest.find_first_of(".[", 1), rest.size());
      const std::string_view name = rest.substr(1, end - 1);
      if (name.empty() || name.find_first_of("*]'\" \t") != std::string_view::npos)
        return refuse("a name is missing behind a dot, or holds other characters");
      path.steps_.emplace_back(std::string(name));
      rest.remove_prefix(end);
    } else if (rest.starts_with("[\"") || rest.starts_with("['")) {
      const auto end = rest.find(std::string{rest[1], ']'}, 2);
      if (end == std::string_view::npos) return refuse("a quote is open");
      path.steps_.emplace_back(std::string(rest.substr(2, end - 2)));
      rest.remove_prefix(end + 2);
    } else if (rest[0] == '[') {
      const auto end = rest.find(']');
      const auto index =
          end == std::string_view::npos ? std::nullopt : parse_integer(rest.substr(1, end - 1));
      if (!index || *index < 0) return refuse("expected a whole number in []");
      path.steps_.emplace_back(static_cast<std::size_t>(*index));
      rest.remove_prefix(end + 1);
    } else {
      return refuse("expected . or [");
    }
  }
  return path;
}

const Json* JsonPath::find(const Json& json) const {
  const Json* at = &json;
  for (const auto& step : steps_) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      const auto found = at->is_object() ? at->find(*name) : at->end();
      if (!at->is_object() || found == at->end()) return nullptr;
      at = &*found;
    } else {
      const auto index = std::get<std::size_t>(step);
      if (!at->is_array() || index >= at->size()) return nullptr;
      at = &(*at)[index];
    }
  }
  return at;
}

}  // namespace mpsgate
