#include "fetch/digest.h"

#include "base/files.h"
#include "base/hash.h"

namespace mpsgate {

Result<Json> serve_digest(const Json& request) {
  const fs::path path = string_at(request, "path");
  std::error_code error;
  if (!fs::exists(path, error)) return fail("file.absent", path.string() + " does not exist");
  const bool folder = fs::is_directory(path, error);
  std::uint64_t bytes = 0;
  if (folder) {
    for (const auto& [name, state] : list_files(path))
      bytes += state.size;
  } else {
    bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  }
  MPSGATE_ASSIGN(const std::string sha256, folder ? sha256_of_folder(path) : sha256_of_file(path));
  return Json{{"sha256", sha256}, {"bytes", bytes}};
}

}  // namespace mpsgate
