#include "base/units.h"

#include "base/text.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

namespace mpsgate {
namespace {

/// Splits "12.5 GiB" into its number and its unit.
std::optional<std::pair<double, std::string_view>> quantity(std::string_view text) {
  text = trim(text);
  const auto end = text.find_first_not_of("0123456789.eE+-");
  if (end == std::string_view::npos) return std::nullopt;
  // The "E" of a unit never starts one here: no unit of ours begins with e, E, + or -.
  const auto number = parse_number(text.substr(0, end));
  if (!number || *number < 0) return std::nullopt;
  return std::pair{*number, trim(text.substr(end))};
}

template <std::size_t N>
std::optional<double> scaled(std::string_view text,
                             const std::array<std::pair<std::string_view, double>, N>& units) {
  const auto parts = quantity(text);
  if (!parts) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (unit == parts->second) return parts->first * factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return std::nullopt;
  const std::string_view digits = text.substr(text.front() == '-' || text.front() == '+' ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trim(text);
  const std::string_view digits = text.substr(!text.empty() && text.front() == '-' ? 1 : 0);
  if (digits.empty() || digits.size() > 18 ||
      digits.find_first_not_of("0123456789") != std::string_view::npos ||
      (digits.size() > 1 && digits[0] == '0')) {
    return std::nullopt;
  }
  return std::strtoll(std::string(text).c_str(), nullptr, 10);
}

std::optional<double> parse_seconds(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}}};
  return scaled(text, units);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 9> units = {
      {{"B", 1},
       {"KiB", 1024.},
       {"MiB", 1024. * 1024},
       {"GiB", 1024. * 1024 * 1024},
       {"TiB", 1024. * 1024 * 1024 * 1024},
       {"KB", 1e3},
       {"MB", 1e6},
       {"GB", 1e9},
       {"TB", 1e12}}};
  const auto bytes = scaled(text, units);
  if (!bytes || *bytes > 9e18) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

std::optional<double> parse_percent(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 1> units = {{{"%", 1}}};
  return scaled(text, units);
}

}  // namespace mpsgate
