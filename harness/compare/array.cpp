#include "compare/array.h"

#include "base/text.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpsgate {

tl::unexpected<Error> unreadable_result(const std::string& why) {
  return fail("result.unreadable", why);
}

tl::unexpected<Error> unsupported_result(const std::string& why) {
  return fail("result.unsupported", why);
}

std::uint64_t Array::elements() const {
  std::uint64_t count = 1;
  for (const auto extent : shape)
    count *= extent;
  return count;
}

Result<std::uint64_t> size_of(const std::vector<std::uint64_t>& shape, int bytes) {
  std::uint64_t size = static_cast<std::uint64_t>(bytes);
  for (const auto extent : shape) {
    if (extent != 0 && size > (1ull << 62) / extent)
      return unreadable_result("its header claims more elements than any file holds");
    size *= extent;
  }
  return size;
}

Result<MappedFile> map_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat state {};
  if (descriptor < 0 || ::fstat(descriptor, &state) != 0 || !S_ISREG(state.st_mode)) {
    const std::string why = descriptor < 0 ? std::strerror(errno) : "it is no regular file";
    if (descriptor >= 0) ::close(descriptor);
    return unreadable_result("it cannot be opened: " + why);
  }
  const auto size = static_cast<std::size_t>(state.st_size);
  if (size == 0) {
    ::close(descriptor);
    return MappedFile{};
  }
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  ::close(descriptor);
  if (address == MAP_FAILED)
    return unreadable_result(std::string("it cannot be mapped: ") + std::strerror(errno));
  return MappedFile{{static_cast<const char*>(address), size},
                    std::shared_ptr<const void>(
                        address, [size](const void* at) { ::munmap(const_cast<void*>(at), size); })};
}

Result<std::vector<Array>> read_arrays(const std::string& path) {
  const std::string extension = lowercase(std::filesystem::path(path).extension().string());
  if (extension == ".npz") return read_npz(path);
  MPSGATE_ASSIGN(const MappedFile file, map_file(path));
  if (file.bytes.empty()) return unreadable_result("it is empty");
  if (extension == ".npy") {
    MPSGATE_ASSIGN(Array array, parse_npy(file.bytes, file.owner, ""));
    return std::vector<Array>{std::move(array)};
  }
  if (extension == ".csv") return parse_table(file.bytes, ',');
  if (extension == ".tsv") return parse_table(file.bytes, '\t');
  if (extension == ".json") return parse_json_numbers(file.bytes);
  // Any other file is its bytes.
  Array array;
  array.dtype = {Dtype::Kind::natural, 1, false, kBytes};
  array.shape = {file.bytes.size()};
  array.bytes = file.bytes;
  array.owner = file.owner;
  return std::vector<Array>{std::move(array)};
}

}  // namespace mpsgate
