#include "fetch/download.h"

#include "base/files.h"
#include "process/variables.h"
#include "process/worker.h"

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
  call.limits.wall_seconds = request.seconds + 30;
  call.stderr_file = request.log;
  if (request.on_progress) {
    call.on_event = [&](const Json& event) {
      if (string_at(event, "kind") == "progress")
        request.on_progress(static_cast<std::uint64_t>(number_at(event, "received")),
                            static_cast<std::uint64_t>(number_at(event, "total")), number_at(event, "rate"));
    };
  }
  const WorkerAnswer answer = call_worker(processes, call);
  if (!answer.result) return tl::unexpected<Error>(answer.result.error());
  return Downloaded{static_cast<std::uint64_t>(number_at(*answer.result, "bytes")),
                    static_cast<std::uint64_t>(number_at(*answer.result, "resumed_from")),
                    static_cast<int>(number_at(*answer.result, "attempts"))};
}

}  // namespace mpsgate
