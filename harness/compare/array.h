#pragma once
#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// What one element is.
struct Dtype {
  enum class Kind { boolean, integer, natural, real, complex, text } kind = Kind::real;
  int bytes = 4;         ///< of one element; of both parts of a complex one
  bool swapped = false;  ///< stored in the other byte order
  std::string name;      ///< "float32"
};

/// The dtype's name of a file that is compared by its bytes alone.
inline constexpr const char* kBytes = "bytes";

/// An array of a file, in C order. Its bytes are owned here, or by the file mapped behind `owner`.
struct Array {
  std::string name;  ///< member within the file; empty for the only one
  Dtype dtype;
  std::vector<std::uint64_t> shape;
  std::string_view bytes;  ///< elements() * dtype.bytes; empty for text
  std::shared_ptr<const void> owner;
  std::vector<std::string> texts;  ///< the elements where dtype is text

  std::uint64_t elements() const;
};

/// Arrays of a file. Error codes: "result.unreadable", with the reason and, for text formats, the line;
/// "result.unsupported".
Result<std::vector<Array>> read_arrays(const std::string& path);

// By format, one file each.
Result<Array> parse_npy(std::string_view bytes, std::shared_ptr<const void> owner, const std::string& name);
Result<std::vector<Array>> read_npz(const std::string& path);
Result<std::vector<Array>> parse_table(std::string_view text, char separator);
Result<std::vector<Array>> parse_json_numbers(std::string_view text);

/// A file mapped for reading.
struct MappedFile {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};
Result<MappedFile> map_file(const std::string& path);

/// Error code "result.unsupported": the file may be good, but there is no way to compare it here.
tl::unexpected<Error> unsupported_result(const std::string& why);
tl::unexpected<Error> unreadable_result(const std::string& why);
/// The product of `shape` times `bytes`, refused when it passes 2^62.
Result<std::uint64_t> size_of(const std::vector<std::uint64_t>& shape, int bytes);

}  // namespace mpsgate
