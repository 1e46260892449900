#include "environment/torch_pin.h"

#include "environment/version.h"

#include <algorithm>

namespace mpsgate {
namespace {

std::string with_marker(const std::string& text, const Requirement& requirement) {
  return requirement.marker.empty() ? text : text + "; " + requirement.marker;
}

}  // namespace

TorchPin pin_torch(std::vector<Requirement>& requirements, std::vector<Rewrite>& rewrites,
                   bool linux_cpu_build) {
  TorchPin pin;
  for (auto& requirement : requirements) {
    if (requirement.name != "torch" || requirement.pinned.empty()) continue;
    const std::string release = public_version(requirement.pinned);
    const std::string wanted = linux_cpu_build ? release + "+cpu" : release;
    const std::string extras = requirement.extras.empty() ? "" : "[" + requirement.extras + "]";
    if (requirement.pinned != wanted) {
      const std::string text = with_marker("torch" + extras + "==" + wanted, requirement);
      rewrites.push_back({requirement.text, text,
                          linux_cpu_build ? "on Linux the CPU build of the same release"
                                          : "the build for macOS of the same release"});
      requirement.text = text;
      requirement.pinned = wanted;
    }
    pin.pinned.push_back(wanted);
    pin.of_lab = pin.of_lab || requirement.of_lab;
  }
  if (pin.pinned.empty()) {
    for (const auto& requirement : requirements) {
      if (requirement.name == "torch") pin.unpinned = requirement.text;
    }
    pin.constraints.push_back(std::string("torch==") + kTorchStandIn);
    return pin;
  }
  std::vector<std::string> releases = pin.pinned;
  std::sort(releases.begin(), releases.end());
  releases.erase(std::unique(releases.begin(), releases.end()), releases.end());
  bool held = false;  // by a requirement that holds everywhere: a constraint would only blur pip's messages
  for (auto& requirement : requirements) {
    if (requirement.name != "torch") continue;
    if (requirement.kind == Requirement::Kind::url) pin.unpinned = requirement.text;
    if (requirement.kind != Requirement::Kind::package) continue;
    if (requirement.pinned.empty() && releases.size() == 1) {
      // Another line pins it: say it here too, so that pip never looks at other releases.
      requirement.pinned = releases.front();
      requirement.text = with_marker("torch==" + releases.front(), requirement);
    }
    held = held || (!requirement.constraint && requirement.marker.empty() && !requirement.pinned.empty());
    if (releases.size() > 1 && !requirement.pinned.empty())
      pin.constraints.push_back(with_marker("torch==" + requirement.pinned, requirement));
  }
  if (releases.size() == 1) pin.constraints = {"torch==" + releases.front()};
  if (held) pin.constraints.clear();
  return pin;
}

}  // namespace mpsgate
