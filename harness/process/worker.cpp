#include "process/worker.h"

#include "base/text.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>

#include <unistd.h>

namespace mpsgate {
namespace {

constexpr int kDeepest = 64;

/// Whether brackets nest deeper than any answer of ours: the JSON parser recurses.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

Result<Json> parse_line(std::string_view line) {
  if (too_deep(line)) return fail("json.invalid", "the line is nested too deeply");
  return parse_json(line, "the line");
}

/// Hands complete lines on as they come, for events while the worker runs.
class LineFeed {
 public:
  explicit LineFeed(const std::function<void(const Json&)>& on_event) : on_event_(on_event) {}
  void add(std::string_view bytes) {
    if (!on_event_) return;
    pending_ += bytes;
    for (std::size_t end; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1)) {
      // Only lines that say so are parsed: a large result is parsed once, at the end.
      const std::string_view line(pending_.data(), end);
      if (!line.starts_with("{\"event\"")) continue;
      if (const auto json = parse_line(line); json && json->is_object()) on_event_(value_at(*json, "event"));
    }
    if (pending_.size() > (1u << 20)) pending_.clear();
  }

 private:
  const std::function<void(const Json&)>& on_event_;
  std::string pending_;
};

std::string last_words(const ProcessResult& process) {
  const auto lines = last_lines(process.err.text(), 1);
  return lines.empty() ? "" : ": " + lines.front();
}

Result<Json> read_answer(const ProcessResult& process, const std::string& name) {
  switch (process.ending) {
    case Ending::not_started:
      return fail("worker.not-started", name + " could not be started: " + process.message,
                  "reinstall mpsgate: its programs belong together");
    case Ending::interrupted:
      return fail("worker.interrupted", name + " was interrupted");
    case Ending::timed_out:
    case Ending::silent:
      return fail("worker.timed-out", name + " did not answer: " + process.description());
    case Ending::signalled:
    case Ending::too_many_processes:
      return fail("worker.crashed", name + " ended by " + process.description() + last_words(process));
    case Ending::exited:
      break;
  }
  const Result<Json> invalid =
      fail("worker.answer-invalid",
           name + " gave no usable answer (" + process.description() + ")" + last_words(process));
  if (process.out.head.size() + process.out.tail.size() < process.out.bytes) {
    return fail("worker.answer-invalid",
                name + " gave an answer of " + format_bytes(process.out.bytes) + ", which is too large");
  }
  const std::string text = process.out.head + process.out.tail;
  Result<Json> answer = invalid;
  bool answered = false;
  for (const auto& line : lines_of(text)) {
    if (line.starts_with("{\"event\"")) continue;
    const auto json = parse_line(line);
    if (!json || !json->is_object() || answered) return invalid;
    if (const Json& error = value_at(*json, "error"); error.is_object()) {
      answer = fail(string_at(error, "code", "worker.error"), string_at(error, "message", "no message"),
                    string_at(error, "advice"));
    } else if (json->contains("result")) {
      answer = value_at(*json, "result");
    } else {
      return invalid;
    }
    answered = true;
  }
  return answer;
}

}  // namespace

WorkerAnswer call_worker(ProcessRunner& processes, const WorkerCall& call) {
  Json request = call.request;
  request["protocol"] = kWorkerProtocol;
  LineFeed feed(call.on_event);
  ProcessRequest process;
  process.argv = {call.program.string()};
  process.argv.insert(process.argv.end(), call.arguments.begin(), call.arguments.end());
  process.environment = call.environment;
  process.input = dump_json(request) + "\n";
  process.limits = call.limits;
  process.stderr_file = call.stderr_file;
  process.on_output = [&](Stream stream, std::string_view bytes) {
    if (stream == Stream::out) feed.add(bytes);
  };
  ProcessResult result = processes.run(process);
  Result<Json> answer = read_answer(result, call.program.filename().string());
  return {std::move(answer), std::move(result)};
}

std::uint64_t count_at(const Json& json, const char* key) {
  constexpr double kMost = 9007199254740992.0;
  const double value = number_at(json, key);
  return value > 0 && value <= kMost ? static_cast<std::uint64_t>(value) : 0;
}

int serve_worker(
    const std::function<Result<Json>(const Json&, const std::function<void(const Json&)>&)>& serve) {
  // Libraries may print to standard output: the answer has a descriptor of its own.
  const int answer = ::dup(1);
  ::dup2(2, 1);
  const auto write_line = [&](const Json& json) {
    const std::string line = dump_json(json) + "\n";
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t written = ::write(answer, rest.data(), rest.size());
      if (written <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  };
  const auto write_error = [&](const Error& error) {
    write_line({{"error", {{"code", error.code}, {"message", error.message}, {"advice", error.advice}}}});
  };
  const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  try {
    const auto request = parse_line(trim(text));
    if (!request) {
      write_error(request.error());
      return 0;
    }
    if (number_at(*request, "protocol") != kWorkerProtocol) {
      write_error({"worker.protocol",
                   "the worker speaks protocol " + std::to_string(kWorkerProtocol) + ", mpsgate another one",
                   "reinstall mpsgate: its programs belong together",
                   {}});
      return 0;
    }
    const auto result = serve(*request, [&](const Json& event) { write_line({{"event", event}}); });
    if (result) {
      write_line({{"result", *result}});
    } else {
      write_error(result.error());
    }
  } catch (const std::exception& error) {
    write_error(
        {"worker.exception", one_line(error.what()), "this is a bug in mpsgate: please report it", {}});
  }
  return 0;
}

}  // namespace mpsgate
