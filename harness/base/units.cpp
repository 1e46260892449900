#include "base/units.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
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
  constexpr double kMostSeconds = 1000. * 366 * 86400;
  static constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
  const auto seconds = scaled(text, units);
  return seconds && *seconds <= kMostSeconds ? seconds : std::nullopt;
}

namespace {

constexpr double kMostBytes = 9e18;
constexpr std::array<std::pair<std::string_view, double>, 9> kSizes = {{{"B", 1},
                                                                        {"KiB", 1024.},
                                                                        {"MiB", 1024. * 1024},
                                                                        {"GiB", 1024. * 1024 * 1024},
                                                                        {"TiB", 1024. * 1024 * 1024 * 1024},
                                                                        {"KB", 1e3},
                                                                        {"MB", 1e6},
                                                                        {"GB", 1e9},
                                                                        {"TB", 1e12}}};

template <std::size_t N>
constexpr std::array<std::pair<std::string_view, double>, 1> only(const char (&unit)[N]) {
  return {{{unit, 1}}};
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto bytes = scaled(text, kSizes);
  if (!bytes || *bytes > kMostBytes) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

std::optional<SizeBand> parse_size_band(std::string_view text) {
  const auto bytes = parse_bytes(text);
  if (!bytes) return std::nullopt;
  const auto parts = quantity(text);
  double unit = 1;
  for (const auto& [name, factor] : kSizes) {
    if (name == parts->second) unit = factor;
  }
  if (unit == 1) return SizeBand{*bytes, *bytes};
  const std::string_view number = trim(text).substr(0, trim(text).find_first_of("eE KMGT"));
  const auto point = number.find('.');
  const double decimals =
      point == std::string_view::npos ? 0 : static_cast<double>(number.size() - point - 1);
  const double half = unit * std::pow(10., -decimals) / 2;
  const auto exact = static_cast<double>(*bytes);
  return SizeBand{static_cast<std::uint64_t>(std::max(0., std::floor(exact - half))),
                  static_cast<std::uint64_t>(std::ceil(std::min(exact + half, kMostBytes)))};
}

std::optional<double> parse_percent(std::string_view text) {
  return scaled(text, only("%"));
}

std::optional<double> parse_points(std::string_view text) {
  return scaled(text, only("points"));
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto part = [&](std::size_t at, std::size_t size) {
    int value = 0;
    for (const char c : text.substr(at, size))
      value = c >= '0' && c <= '9' && value >= 0 ? value * 10 + (c - '0') : -1;
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(part(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(std::max(0, part(5, 2)))),
                                        std::chrono::day(static_cast<unsigned>(std::max(0, part(8, 2))))};
  return part(0, 4) >= 0 && day.ok();
}

}  // namespace mpsgate
