#pragma once
#include "base/json.h"

#include <chrono>
#include <cstdint>
#include <functional>

namespace mpsgate {

using Emit = std::function<void(const Json&)>;

/// Tells the caller how far a transfer is, at most five times a second.
class Progress {
 public:
  explicit Progress(Emit emit) : emit_(std::move(emit)) {}
  /// {"kind": "progress", "received", "total", "bytes"}: objects (or files) done, in all, and bytes received.
  void report(std::uint64_t received, std::uint64_t total, std::uint64_t bytes);

 private:
  Emit emit_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace mpsgate
