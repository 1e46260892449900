#include "record/vocabulary.h"

#include <array>

namespace mpsgate {

template <std::size_t N, class E>
static const char* pick(const std::array<const char*, N>& names, E value) {
  return names[static_cast<std::size_t>(value)];
}

const char* name_of(Cause cause) {
  return pick(std::array{"cuda", "operators", "dtype", "device", "numerics", "memory", "performance", "crash",
                         "output", "environment", "data", "session", "confidentiality", "machine"},
              cause);
}
const char* name_of(Route route) {
  return pick(std::array{"mps", "adapt", "cpu", "mlx", "remote-mac", "linux-gpu", "split"}, route);
}
const char* name_of(Basis basis) {
  return pick(std::array{"static", "device"}, basis);
}
const char* name_of(Weight weight) {
  return pick(std::array{"stop", "doubt", "gap", "note"}, weight);
}
const char* name_of(Effort effort) {
  return pick(std::array{"none", "minutes", "hours", "rewrite"}, effort);
}
const char* name_of(Who who) {
  return pick(std::array{"nobody", "lab", "protocol owner", "machine owner"}, who);
}
const char* name_of(StepStatus status) {
  return pick(std::array{"passed", "failed", "skipped", "error"}, status);
}

}  // namespace mpsgate
