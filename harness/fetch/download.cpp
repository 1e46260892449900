#include "fetch/download.h"

#include "base/clock.h"
#include "base/files.h"
#include "fetch/rate.h"
#include "process/variables.h"
#include "process/worker.h"

#include <utility>

namespace mpsgate {
Result<Downloaded> download(ProcessRunner& processes, const Variables& own, const Download& request) {
  WorkerCall call;
  call.program = request.worker.empty() ? sibling_executable("mpsgate-fetch") : request.worker;
  std::error_code error;
  call.request = {{"operation", "download"},
                  {"url", request.url},
                  {"sha256", request.sha256},
                  {"credential", request.credential},
                  {"file", fs::absolute(request.file, error).string()},
                  {"seconds", request.seconds}};
  if (request.size) call.request["size"] = Json::array({request.size->least, request.size->most});
  call.environment = fetch_variables(own, {request.credential});
  // The worker keeps the time itself; this is for one that cannot.
  call.limits.wall_seconds = request.seconds + 30;
  call.limits.memory_bytes = 64u << 20;  // five lines of progress a second, for hours
  call.stderr_file = request.log;
  Rate rate;
  const SystemClock clock;
  if (request.on_progress) {
    call.on_event = [&](const Json& event) {
      if (string_at(event, "kind") != "progress") return;
      const std::uint64_t received = count_at(event, "received");
      request.on_progress(received, count_at(event, "total"), rate.add(clock.seconds(), received));
    };
  }
  const WorkerAnswer answer = call_worker(processes, call);
  if (!answer.result) return tl::unexpected<Error>(answer.result.error());
  return Downloaded{count_at(*answer.result, "bytes"), count_at(*answer.result, "resumed_from"),
                    static_cast<int>(count_at(*answer.result, "attempts"))};
}

}  // namespace mpsgate
