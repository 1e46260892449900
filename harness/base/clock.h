#pragma once
#include <cstdint>
#include <string>

namespace mpsgate {

/// The world's time; tests give a clock of their own.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Milliseconds since 1970-01-01 UTC.
  virtual std::int64_t now_ms() const = 0;
  /// Seconds from some fixed start; never goes back.
  virtual double seconds() const = 0;
};

class SystemClock : public Clock {
 public:
  std::int64_t now_ms() const override;
  double seconds() const override;
};

/// "2026-12-01T08:46:09.123Z".
std::string utc_text(std::int64_t ms);
/// "2026-12-01".
std::string utc_date(std::int64_t ms);
/// The reverse of utc_text; -1 when `text` is not of that form.
std::int64_t utc_ms(const std::string& text);

}  // namespace mpsgate
