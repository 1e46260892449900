#include "base/text.h"
#include "compare/array.h"

#include <memory>

#include <zip.h>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLargestMember = 4ull << 30;
constexpr std::int64_t kMostMembers = 10'000;
/// Deflate shrinks to a thousandth at most; more is a bomb.
constexpr std::uint64_t kLargestRatio = 1100;

}  // namespace

Result<std::vector<Array>> read_npz(const std::string& path) {
  int code = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(::zip_open(path.c_str(), ZIP_RDONLY, &code),
                                                         [](zip_t* zip) {
                                                           if (zip) ::zip_discard(zip);
                                                         });
  if (!archive) return unreadable_result("it is no zip archive, or is cut short");
  const std::int64_t count = ::zip_get_num_entries(archive.get(), 0);
  if (count > kMostMembers) return unreadable_result("it has " + std::to_string(count) + " members");
  std::vector<Array> arrays;
  for (std::int64_t i = 0; i < count; ++i) {
    zip_stat_t state;
    ::zip_stat_init(&state);
    if (::zip_stat_index(archive.get(), static_cast<zip_uint64_t>(i), 0, &state) != 0 || !state.name)
      return unreadable_result("a member has no entry");
    const std::string name = one_line(state.name, 100);
    const auto refuse = [&](const std::string& why) {
      return unreadable_result("member " + name + ": " + why);
    };
    if (!name.ends_with(".npy")) return refuse("it is no array");
    if (name.find("..") != std::string::npos || name.front() == '/')
      return refuse("its name leaves the archive");
    if (state.size > kLargestMember || state.size > (state.comp_size + 1) * kLargestRatio)
      return refuse("it claims " + format_bytes(state.size));
    auto bytes = std::make_shared<std::string>();
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> member(
        ::zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(i), 0), &::zip_fclose);
    if (!member) return refuse("it cannot be opened");
    // Grows with what is really there, whatever the entry says.
    std::string piece(1 << 20, '\0');
    while (bytes->size() <= state.size) {
      const zip_int64_t size = ::zip_fread(member.get(), piece.data(), piece.size());
      if (size < 0) return refuse("it is damaged");
      if (size == 0) break;
      bytes->append(piece, 0, static_cast<std::size_t>(size));
    }
    if (bytes->size() != state.size) return refuse("its size is not what its entry says");
    auto array = parse_npy(*bytes, bytes, name.substr(0, name.size() - 4));
    if (!array) return refuse(array.error().message);
    arrays.push_back(std::move(*array));
  }
  if (arrays.empty()) return unreadable_result("it holds no array");
  return arrays;
}

}  // namespace mpsgate
