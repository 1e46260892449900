#pragma once
#include "base/json.h"
#include "process/process.h"

#include <filesystem>
#include <functional>
#include <string>

namespace mpsgate {

/// How `mpsgate` talks to mpsgate-fetch, mpsgate-device and re-execs of itself: one JSON request on standard
/// input; JSON lines on standard output: any number of {"event": …}, then one {"result": …} or
/// {"error": {"code", "message", "advice"}}. Standard error is the worker's log. docs/workers.md is the
/// contract.
struct WorkerCall {
  std::filesystem::path program;
  std::vector<std::string> arguments;  ///< after the program's name
  Json request;  ///< gets "protocol": kWorkerProtocol added; a worker refuses another number
  Variables environment;
  ProcessLimits limits;  ///< memory_bytes bounds the answer
  std::filesystem::path stderr_file;
  std::function<void(const Json&)> on_event;
};

inline constexpr int kWorkerProtocol = 1;

struct WorkerAnswer {
  Result<Json> result;    ///< error codes: the worker's own, or "worker.not-started", "worker.crashed",
                          ///< "worker.timed-out", "worker.interrupted", "worker.answer-invalid"
  ProcessResult process;  ///< how the process ended
};

/// Runs the worker and reads its answer as hostile input: never throws.
WorkerAnswer call_worker(ProcessRunner& processes, const WorkerCall& call);

/// A count in an answer or event: json[key] where that is a number from 0 to 2^53, else 0.
std::uint64_t count_at(const Json& json, const char* key);

/// The worker's side: reads the request from standard input, calls `serve`, writes the answer to standard
/// output. `serve` may call `emit` for events. Exceptions become {"error": {"code": "worker.exception"}}.
/// Returns the exit code: 0 when an answer (an error too) was written.
int serve_worker(const std::function<Result<Json>(const Json& request,
                                                  const std::function<void(const Json&)>& emit)>& serve);

}  // namespace mpsgate
