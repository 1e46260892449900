#pragma once
#include "base/result.h"
#include "base/units.h"
#include "process/process.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace mpsgate {

struct Download {
  std::string url;
  std::string sha256;
  std::optional<SizeBand> size;
  std::string credential;
  std::filesystem::path file;
  std::filesystem::path log;
  double seconds = 3600;
  std::function<void(std::uint64_t received, std::uint64_t total, double bytes_per_second)> on_progress;
  std::filesystem::path worker;
};
struct Downloaded {
  std::uint64_t bytes = 0;
  std::uint64_t resumed_from = 0;
  int attempts = 0;
};
Result<Downloaded> download(ProcessRunner& processes, const Variables& own, const Download& request);

}  // namespace mpsgate
