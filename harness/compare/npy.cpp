// The .npy format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1 to 3.
#include "base/text.h"
#include "compare/array.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace mpsgate {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = 1 << 20;
constexpr std::size_t kMostDimensions = 32;

std::optional<Dtype> dtype_of(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const char order = text[0];
  if (order != '<' && order != '>' && order != '|' && order != '=') return std::nullopt;
  Dtype dtype;
  dtype.swapped =
      (order == '>') == (std::endian::native == std::endian::little) && order != '|' && order != '=';
  struct Row {
    std::string_view code;
    Dtype::Kind kind;
    int bytes;
    const char* name;
  };
  static constexpr std::array<Row, 15> rows = {{{"b1", Dtype::Kind::boolean, 1, "bool"},
                                                {"i1", Dtype::Kind::integer, 1, "int8"},
                                                {"i2", Dtype::Kind::integer, 2, "int16"},
                                                {"i4", Dtype::Kind::integer, 4, "int32"},
                                                {"i8", Dtype::Kind::integer, 8, "int64"},
                                                {"u1", Dtype::Kind::natural, 1, "uint8"},
                                                {"u2", Dtype::Kind::natural, 2, "uint16"},
                                                {"u4", Dtype::Kind::natural, 4, "uint32"},
                                                {"u8", Dtype::Kind::natural, 8, "uint64"},
                                                {"f2", Dtype::Kind::real, 2, "float16"},
                                                {"f4", Dtype::Kind::real, 4, "float32"},
                                                {"f8", Dtype::Kind::real, 8, "float64"},
                                                {"c8", Dtype::Kind::complex, 8, "complex64"},
                                                {"c16", Dtype::Kind::complex, 16, "complex128"},
                                                {"?", Dtype::Kind::boolean, 1, "bool"}}};
  for (const auto& row : rows) {
    if (row.code != text.substr(1)) continue;
    dtype.kind = row.kind;
    dtype.bytes = row.bytes;
    dtype.name = row.name;
    return dtype;
  }
  return std::nullopt;
}

/// The text after `'key':` in a header that numpy wrote; the header is a Python literal, and only numpy's own
/// form of it is accepted.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const auto at = header.find(quoted);
  return at == std::string_view::npos ? std::string_view{} : trim(header.substr(at + quoted.size()));
}

std::optional<std::vector<std::uint64_t>> shape_of(std::string_view text) {
  if (text.empty() || text[0] != '(') return std::nullopt;
  const auto end = text.find(')');
  if (end == std::string_view::npos) return std::nullopt;
  std::vector<std::uint64_t> shape;
  for (const auto& piece : split(text.substr(1, end - 1), ',')) {
    const std::string digits(trim(piece));
    if (digits.empty()) continue;
    if (digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    shape.push_back(std::strtoull(digits.c_str(), nullptr, 10));
  }
  if (shape.size() > kMostDimensions) return std::nullopt;
  return shape;
}

/// A Fortran-ordered array rewritten in C order.
std::shared_ptr<std::string> transposed(const Array& array) {
  const std::size_t width = static_cast<std::size_t>(array.dtype.bytes);
  auto bytes = std::make_shared<std::string>(array.bytes.size(), '\0');
  const std::size_t rank = array.shape.size();
  std::vector<std::uint64_t> index(rank, 0), stride(rank, 1);
  for (std::size_t i = 1; i < rank; ++i)
    stride[i] = stride[i - 1] * array.shape[i - 1];
  const std::uint64_t count = array.elements();
  for (std::uint64_t to = 0; to < count; ++to) {
    std::uint64_t from = 0;
    for (std::size_t i = 0; i < rank; ++i)
      from += index[i] * stride[i];
    std::memcpy(bytes->data() + to * width, array.bytes.data() + from * width, width);
    for (std::size_t i = rank; i-- > 0;) {
      if (++index[i] < array.shape[i]) break;
      index[i] = 0;
    }
  }
  return bytes;
}

}  // namespace

Result<Array> parse_npy(std::string_view bytes, std::shared_ptr<const void> owner, const std::string& name) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10)
    return unreadable_result("it does not begin as a .npy file");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return unsupported_result(".npy version " + std::to_string(version) + " is not known");
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return unreadable_result("it is cut short in its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kLongestHeader || bytes.size() - start < length)
    return unreadable_result("it is cut short in its header");
  const std::string_view header = bytes.substr(start, length);

  Array array;
  array.name = name;
  array.owner = std::move(owner);
  const std::string_view descr = value_of(header, "descr");
  const auto quote = descr.size() > 1 ? descr.find('\'', 1) : std::string_view::npos;
  if (descr.empty() || descr[0] != '\'' || quote == std::string_view::npos) {
    return unsupported_result("its dtype is not a number's: " + one_line(descr.substr(0, 60)));
  }
  const auto dtype = dtype_of(descr.substr(1, quote - 1));
  if (!dtype)
    return unsupported_result("its dtype is not a number's: " + one_line(descr.substr(0, quote + 1)));
  const auto shape = shape_of(value_of(header, "shape"));
  if (!shape) return unreadable_result("its header has no valid shape");
  array.dtype = *dtype;
  array.shape = *shape;
  MPSGATE_ASSIGN(const std::uint64_t size, size_of(array.shape, array.dtype.bytes));
  const std::string_view body = bytes.substr(start + length);
  if (body.size() < size) {
    return unreadable_result("it is cut short: its header promises " + format_bytes(size) + ", " +
                             format_bytes(body.size()) + " are there");
  }
  array.bytes = body.substr(0, static_cast<std::size_t>(size));
  if (value_of(header, "fortran_order").starts_with("True") && array.shape.size() > 1) {
    const auto ordered = transposed(array);
    array.bytes = *ordered;
    array.owner = ordered;
  }
  return array;
}

}  // namespace mpsgate
