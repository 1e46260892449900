#include "compare/statistics.h"

#include "base/text.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

namespace mpsgate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double mantissa = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * kInfinity;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

/// The bytes of part `part` of element `i` in native order.
template <class T>
T load(const Array& array, std::uint64_t i, int part = 0) {
  T value;
  std::memcpy(&value,
              array.bytes.data() + i * static_cast<std::uint64_t>(array.dtype.bytes) +
                  static_cast<std::size_t>(part) * sizeof(T),
              sizeof(T));
  if (array.dtype.swapped) {
    auto* bytes = reinterpret_cast<unsigned char*>(&value);
    for (std::size_t a = 0, b = sizeof(T) - 1; a < b; ++a, --b)
      std::swap(bytes[a], bytes[b]);
  }
  return value;
}

double real_at(const Array& array, std::uint64_t i) {
  switch (array.dtype.bytes) {
    case 2:
      return half_to_double(load<std::uint16_t>(array, i));
    case 4:
      return load<float>(array, i);
    default:
      return load<double>(array, i);
  }
}

std::complex<double> complex_at(const Array& array, std::uint64_t i) {
  if (array.dtype.bytes == 8) return {load<float>(array, i, 0), load<float>(array, i, 1)};
  return {load<double>(array, i, 0), load<double>(array, i, 1)};
}

/// A whole number without loss: sign and magnitude.
struct Whole {
  bool negative;
  std::uint64_t magnitude;
  bool operator==(const Whole&) const = default;
  double value() const { return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude); }
};

Whole whole_at(const Array& array, std::uint64_t i) {
  const bool is_signed = array.dtype.kind == Dtype::Kind::integer;
  std::int64_t value = 0;
  switch (array.dtype.bytes) {
    case 1:
      value = is_signed ? load<std::int8_t>(array, i) : load<std::uint8_t>(array, i);
      break;
    case 2:
      value = is_signed ? load<std::int16_t>(array, i) : load<std::uint16_t>(array, i);
      break;
    case 4:
      value =
          is_signed ? load<std::int32_t>(array, i) : static_cast<std::int64_t>(load<std::uint32_t>(array, i));
      break;
    default:
      if (!is_signed) return {false, load<std::uint64_t>(array, i)};
      value = load<std::int64_t>(array, i);
  }
  return {value < 0, value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)};
}

double difference(const Whole& a, const Whole& b) {
  if (a.negative != b.negative) return static_cast<double>(a.magnitude) + static_cast<double>(b.magnitude);
  return static_cast<double>(a.magnitude > b.magnitude ? a.magnitude - b.magnitude
                                                       : b.magnitude - a.magnitude);
}

std::vector<std::uint64_t> index_of(std::uint64_t flat, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index;
}

/// Adds up elements of one pair of arrays.
class Tally {
 public:
  Tally(const Tolerance& tolerance, Comparison& comparison)
      : tolerance_(tolerance), comparison_(comparison) {}

  /// `size` is |expected|, `distance` |actual - expected|, both may be NaN or infinite.
  void add(std::uint64_t flat, double actual, double expected, double distance, double size, bool actual_nan,
           bool expected_nan, bool same) {
    comparison_.nan_actual += actual_nan;
    comparison_.nan_expected += expected_nan;
    if (actual_nan || expected_nan) {
      if (actual_nan && expected_nan && tolerance_.nan_equal) return;
      fail(flat, kInfinity, actual, expected);
      comparison_.needed_rtol = comparison_.needed_atol = kInfinity;
      return;
    }
    if (same) return;  // equal infinities too
    comparison_.max_abs = std::max(comparison_.max_abs, distance);
    if (size > 0 && std::isfinite(size)) comparison_.max_rel = std::max(comparison_.max_rel, distance / size);
    need(distance, size);
    const double allowed = tolerance_.atol + tolerance_.rtol * size;
    // An infinite expectation would allow anything.
    const bool within = std::isfinite(size) && distance <= allowed;
    const double excess = std::isfinite(size) ? distance - allowed : kInfinity;
    if (!within) {
      fail(flat, excess, actual, expected);
    } else if (comparison_.beyond == 0 && excess > worst_) {
      note(flat, excess, actual, expected);
    }
  }

  void finish(const std::vector<std::uint64_t>& shape) {
    if (noted_) comparison_.worst_index = index_of(worst_flat_, shape);
  }

 private:
  void need(double distance, double size) {
    if (!std::isfinite(size) || !std::isfinite(distance)) {
      comparison_.needed_rtol = comparison_.needed_atol = kInfinity;
      return;
    }
    const double beyond_atol = distance - tolerance_.atol;
    if (beyond_atol > 0)
      comparison_.needed_rtol =
          std::max(comparison_.needed_rtol, size > 0 ? smallest_rtol(distance, size) : kInfinity);
    comparison_.needed_atol = std::max(comparison_.needed_atol, smallest_atol(distance, size));
  }

  /// Rounding must not make the said tolerance fail when it is tried.
  double smallest_rtol(double distance, double size) const {
    double rtol = (distance - tolerance_.atol) / size;
    while (distance > tolerance_.atol + rtol * size)
      rtol = std::nextafter(rtol, kInfinity);
    return rtol;
  }
  double smallest_atol(double distance, double size) const {
    double atol = std::max(0.0, distance - tolerance_.rtol * size);
    while (distance > atol + tolerance_.rtol * size)
      atol = std::nextafter(atol, kInfinity);
    return atol;
  }

  void fail(std::uint64_t flat, double excess, double actual, double expected) {
    if (comparison_.beyond++ == 0 || excess > worst_) note(flat, excess, actual, expected);
  }

  void note(std::uint64_t flat, double excess, double actual, double expected) {
    noted_ = true;
    worst_ = excess;
    worst_flat_ = flat;
    comparison_.worst_actual = actual;
    comparison_.worst_expected = expected;
  }

  const Tolerance& tolerance_;
  Comparison& comparison_;
  double worst_ = -kInfinity;
  std::uint64_t worst_flat_ = 0;
  bool noted_ = false;
};

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::vector<std::string> extents;
  extents.reserve(shape.size());
  for (const auto extent : shape)
    extents.push_back(std::to_string(extent));
  return "(" + join(extents, ", ") + ")";
}

bool is_whole(const Dtype& dtype) {
  return dtype.kind == Dtype::Kind::boolean || dtype.kind == Dtype::Kind::integer ||
         dtype.kind == Dtype::Kind::natural;
}

void compare_texts(const Array& actual, const Array& expected, Comparison& comparison) {
  for (std::size_t i = 0; i < actual.texts.size(); ++i) {
    if (actual.texts[i] == expected.texts[i]) continue;
    if (comparison.beyond++ == 0) {
      comparison.worst_index = {i};
      comparison.message = "the text at row " + std::to_string(i + 1) + " is \"" +
                           one_line(actual.texts[i], 60) + "\", expected \"" +
                           one_line(expected.texts[i], 60) + "\"";
    }
  }
  comparison.bit_equal = comparison.beyond == 0;
  if (comparison.beyond > 0) comparison.needed_rtol = comparison.needed_atol = kInfinity;
}

void compare_numbers(const Array& actual, const Array& expected, const Tolerance& tolerance,
                     Comparison& comparison) {
  Tally tally(tolerance, comparison);
  const std::uint64_t count = comparison.elements;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (is_whole(actual.dtype)) {
      const Whole a = whole_at(actual, i), b = whole_at(expected, i);
      tally.add(i, a.value(), b.value(), difference(a, b), std::fabs(b.value()), false, false, a == b);
    } else if (actual.dtype.kind == Dtype::Kind::complex) {
      const auto a = complex_at(actual, i), b = complex_at(expected, i);
      const auto is_nan = [](const auto& z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
      tally.add(i, std::abs(a), std::abs(b), std::abs(a - b), std::abs(b), is_nan(a), is_nan(b), a == b);
    } else {
      const double a = real_at(actual, i), b = real_at(expected, i);
      tally.add(i, a, b, std::fabs(a - b), std::fabs(b), std::isnan(a), std::isnan(b), a == b);
    }
  }
  tally.finish(actual.shape);
  comparison.bit_equal = actual.dtype.swapped == expected.dtype.swapped
                             ? actual.bytes == expected.bytes
                             : comparison.beyond == 0 && comparison.max_abs == 0;
  if (comparison.beyond == 0) return;
  comparison.message = std::to_string(comparison.beyond) + " of " + std::to_string(comparison.elements) +
                       " elements are beyond rtol " + format_number(tolerance.rtol) + ", atol " +
                       format_number(tolerance.atol) + "; maximum absolute error " +
                       format_number(comparison.max_abs);
  const std::uint64_t nans = std::max(comparison.nan_actual, comparison.nan_expected);
  if (nans > 0 && !(tolerance.nan_equal && comparison.nan_actual == comparison.nan_expected)) {
    comparison.message += "; NaN: " + std::to_string(comparison.nan_actual) + " actual, " +
                          std::to_string(comparison.nan_expected) + " expected";
  }
}

}  // namespace

void compare_arrays(const Array& actual, const Array& expected, const Tolerance& tolerance,
                    Comparison& comparison) {
  comparison.dtype = actual.dtype.name;
  comparison.shape = actual.shape;
  comparison.elements = actual.elements();
  if (actual.shape != expected.shape) {
    comparison.status = "shape";
    comparison.message =
        "its shape is " + shape_text(actual.shape) + ", expected " + shape_text(expected.shape);
    return;
  }
  if (actual.dtype.name != expected.dtype.name) {
    comparison.status = "dtype";
    comparison.message = "its dtype is " + actual.dtype.name + ", expected " + expected.dtype.name;
    return;
  }
  if (comparison.elements == 0) {
    comparison.status = "empty";
    comparison.message = "both arrays are empty: nothing was compared";
    return;
  }
  if (actual.dtype.kind == Dtype::Kind::text) {
    compare_texts(actual, expected, comparison);
  } else {
    compare_numbers(actual, expected, tolerance, comparison);
  }
  comparison.status = comparison.beyond == 0 ? "within" : "beyond";
}

}  // namespace mpsgate
