#pragma once
#include <cstdint>
#include <deque>
#include <utility>

namespace mpsgate {

/// The rate of what was received within the last seconds: an average over the whole would hide that a
/// transfer has slowed down.
class Rate {
 public:
  static constexpr double kSeconds = 5;

  /// `now` in seconds of a clock that never goes back, `received` in bytes since the transfer began; fewer
  /// than before mean that it began again. Returns bytes per second; 0 where nothing can be said yet.
  double add(double now, std::uint64_t received) {
    if (!seen_.empty() && received < seen_.back().second) seen_.clear();
    seen_.emplace_back(now, received);
    while (seen_.size() > 2 && now - seen_.front().first > kSeconds)
      seen_.pop_front();
    const double elapsed = now - seen_.front().first;
    return elapsed > 0 ? static_cast<double>(received - seen_.front().second) / elapsed : 0;
  }

 private:
  std::deque<std::pair<double, std::uint64_t>> seen_;
};

}  // namespace mpsgate
