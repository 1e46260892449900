#include "fetch/download.h"

#include "base/files.h"
#include "process/variables.h"
#include "process/worker.h"

#include <chrono>
#include <deque>
#include <utility>

namespace mpsgate {
namespace {

/// The rate of what was received within the last seconds.
class Rate {
 public:
  double add(std::uint64_t received) {
    constexpr double kSeconds = 5;
    const double now =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (!seen_.empty() && received < seen_.back().second) seen_.clear();  // begun again from zero
    seen_.emplace_back(now, received);
    while (seen_.size() > 2 && now - seen_.front().first > kSeconds)
      seen_.pop_front();
    const double elapsed = now - seen_.front().first;
    return elapsed > 0 ? static_cast<double>(received - seen_.front().second) / elapsed : 0;
  }

 private:
  std::deque<std::pair<double, std::uint64_t>> seen_;
};

}  // namespace

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
  if (request.on_progress) {
    call.on_event = [&](const Json& event) {
      if (string_at(event, "kind") != "progress") return;
      const std::uint64_t received = count_at(event, "received");
      request.on_progress(received, count_at(event, "total"), rate.add(received));
    };
  }
  const WorkerAnswer answer = call_worker(processes, call);
  if (!answer.result) return tl::unexpected<Error>(answer.result.error());
  return Downloaded{count_at(*answer.result, "bytes"), count_at(*answer.result, "resumed_from"),
                    static_cast<int>(count_at(*answer.result, "attempts"))};
}

}  // namespace mpsgate
