#include "fetch/progress.h"

namespace mpsgate {

void Progress::report(std::uint64_t received, std::uint64_t total, std::uint64_t bytes) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  emit_({{"kind", "progress"}, {"received", received}, {"total", total}, {"bytes", bytes}});
}

}  // namespace mpsgate
