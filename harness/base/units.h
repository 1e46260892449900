#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace mpsgate {

/// Quantities as protocols write them: a number, white space, a unit. A bare number is refused: units are
/// written out. "90 s", "10 min", "2 h", "30 d", "250 ms" in seconds; from 0 to a thousand years.
std::optional<double> parse_seconds(std::string_view text);
/// "12 GiB", "48 MiB", "5 GB", "100 B" in bytes.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
/// A size that was rounded when it was written: "48 MiB" is any number of bytes that reads so, "123 B" is
/// exactly that many.
struct SizeBand {
  std::uint64_t least = 0, most = 0;
  bool holds(std::uint64_t bytes) const { return bytes >= least && bytes <= most; }
};
std::optional<SizeBand> parse_size_band(std::string_view text);
/// "26 %" as 26.
std::optional<double> parse_percent(std::string_view text);
/// "0.5 points" as 0.5: a difference of two percentages.
std::optional<double> parse_points(std::string_view text);
/// "2027-03-01", a day of the calendar.
bool is_date(std::string_view text);
/// A decimal number in full ("1e-4", "0.5", "-3"); no octal, no hexadecimal, no nan or inf.
std::optional<double> parse_number(std::string_view text);
/// A decimal integer in full.
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace mpsgate
