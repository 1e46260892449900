#include "verdict/verdict.h"

#include <algorithm>
#include <array>

namespace mpsgate {

std::size_t stop_order(std::string_view id) {
  static constexpr std::array<std::string_view, 27> order = {"audit.cuda-essential",
                                                             "audit.distributed",
                                                             "audit.native-no-mps",
                                                             "fallback.operators",
                                                             "device.unused",
                                                             "device.partial",
                                                             "dtype.unsupported",
                                                             "memory.fit",
                                                             "memory.growth",
                                                             "numerics.tolerance",
                                                             "numerics.bitwise-cuda",
                                                             "performance.pipeline",
                                                             "performance.growth",
                                                             "performance.wait",
                                                             "workload.llm",
                                                             "session.survival",
                                                             "policy.transfer",
                                                             "result.absent",
                                                             "result.elsewhere",
                                                             "result.unreadable",
                                                             "crash.exit",
                                                             "crash.signal",
                                                             "crash.hang",
                                                             "crash.processes",
                                                             "crash.gpu-error",
                                                             "crash.swallowed",
                                                             "environment.unbuildable"};
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), id) - order.begin());
}

std::span<const CriterionRow> awaited_criteria() {
  using enum CriterionRow::Rule;
  using enum Effort;
  static constexpr std::array rows = {
      CriterionRow{"audit.cuda-essential", Cause::cuda, Route::linux_gpu, rewrite, any, 0, "",
                   "a CUDA extension or an NVIDIA-only package on the command's path"},
      CriterionRow{"audit.distributed", Cause::cuda, Route::linux_gpu, rewrite, any, 0, "",
                   "several GPUs, a distributed launcher or a cluster scheduler are needed"},
      CriterionRow{"audit.native-no-mps", Cause::operators, Route::linux_gpu, rewrite, any, 0, "",
                   "native code without an mps path carries the main computation"},
      CriterionRow{"fallback.operators", Cause::operators, Route::adapt, hours, any, 0, "",
                   "operators returned to the CPU"},
      CriterionRow{"device.unused", Cause::device, Route::adapt, minutes, any, 0, "",
                   "no evidence of work on mps"},
      CriterionRow{"device.partial", Cause::device, Route::adapt, hours, any, 0, "",
                   "a phase ran on the CPU"},
      CriterionRow{"dtype.unsupported", Cause::dtype, Route::adapt, minutes, any, 0, "",
                   "float64 or complex128 was sent to mps"},
      CriterionRow{"memory.fit", Cause::memory, Route::remote_mac, none, any, 0, "",
                   "the representative case does not fit in memory"},
      CriterionRow{"memory.growth", Cause::memory, Route::remote_mac, hours, over, 26, "%",
                   "growth of memory in ten epochs"},
      CriterionRow{"performance.pipeline", Cause::performance, Route::adapt, hours, report, 0, "",
                   "the data pipeline holds the GPU up"},
      CriterionRow{"performance.growth", Cause::performance, Route::adapt, hours, over, 26, "%",
                   "rise of the time per epoch in ten epochs"},
      // A year stands for no limit: only a protocol knows how long it can wait.
      CriterionRow{"performance.wait", Cause::performance, Route::linux_gpu, none, over, 31536000, "s",
                   "time that the protocol would have to wait"},
      CriterionRow{"workload.llm", Cause::performance, Route::mlx, hours, report, 0, "",
                   "language-model inference dominates"},
      CriterionRow{"session.survival", Cause::session, Route::adapt, hours, any, 0, "",
                   "the process does not survive its session"},
  };
  return rows;
}

}  // namespace mpsgate
