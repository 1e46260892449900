#include "environment/torch_pin.h"

namespace mpsgate {

TorchPin pin_torch(std::vector<Requirement>& requirements, std::vector<Rewrite>& rewrites,
                   bool linux_cpu_build) {
  TorchPin pin;
  for (auto& requirement : requirements) {
    if (requirement.name != "torch") continue;
    if (requirement.pinned.empty()) {
      pin.unpinned = requirement.text;
      continue;
    }
    const std::string release = requirement.pinned.substr(0, requirement.pinned.find('+'));
    const std::string wanted = linux_cpu_build ? release + "+cpu" : release;
    if (requirement.pinned != wanted) {
      const std::string text =
          "torch==" + wanted + (requirement.marker.empty() ? "" : "; " + requirement.marker);
      rewrites.push_back({requirement.text, text,
                          linux_cpu_build ? "the CPU build of the same release, on Linux"
                                          : "the build for macOS of the same release"});
      requirement.text = text;
      requirement.pinned = wanted;
    }
    pin.constraint = "torch==" + wanted;
  }
  return pin;
}

}  // namespace mpsgate
