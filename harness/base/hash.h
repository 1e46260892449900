#pragma once
#include "base/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace mpsgate {

/// SHA-256 of what is given to it, piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  /// 64 lower-case hexadecimal digits. Call once.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of(std::string_view bytes);
/// Streams the file. Error code: "file.unreadable".
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace mpsgate
