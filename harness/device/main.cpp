// mpsgate-device: what needs LibTorch, in a process whose death ends a step and no more.
#include "device/canaries.h"
#include "process/worker.h"

namespace mpsgate {
namespace {

Json answer_of(const Probe& probe) {
  Json canaries = Json::array();
  for (const auto& canary : probe.canaries) {
    canaries.push_back({{"name", canary.name},
                        {"status", canary.status},
                        {"max_abs_error", json_number(canary.max_abs_error)},
                        {"tolerance", canary.tolerance},
                        {"message", canary.message}});
  }
  return {{"torch", probe.torch},
          {"python", ""},
          {"architecture", probe.architecture},
          {"built", probe.built},
          {"available", probe.available},
          {"device", probe.device},
          {"canaries", canaries}};
}

}  // namespace
}  // namespace mpsgate

int main() {
  return mpsgate::serve_worker(
      [](const mpsgate::Json& request, const auto&) -> mpsgate::Result<mpsgate::Json> {
        if (mpsgate::string_at(request, "op") != "probe")
          return mpsgate::fail("device.request", "unknown operation");
        return mpsgate::answer_of(mpsgate::probe_here());
      });
}
