#include "process/process.h"

#include "base/text.h"

#include <csignal>
#include <cstring>

namespace mpsgate {

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::exited:
      return "exited";
    case Ending::signalled:
      return "signalled";
    case Ending::timed_out:
      return "timed out";
    case Ending::silent:
      return "silent";
    case Ending::too_many_processes:
      return "too many processes";
    case Ending::interrupted:
      return "interrupted";
    case Ending::not_started:
      return "not started";
  }
  return "?";
}

std::string StreamRecord::text() const {
  const std::uint64_t kept = head.size() + tail.size();
  if (kept >= bytes) return head + tail;
  return head + "\n[… " + std::to_string(bytes - kept) + " bytes left out …]\n" + tail;
}

namespace {

/// "SIGABRT" and the like for the signals that processes die of; sigabbrev_np is not on macOS.
const char* signal_name(int signal) {
  switch (signal) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGQUIT:
      return "SIGQUIT";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGKILL:
      return "SIGKILL";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGPIPE:
      return "SIGPIPE";
    case SIGTERM:
      return "SIGTERM";
    default:
      return "";
  }
}

}  // namespace

std::string ProcessResult::description() const {
  switch (ending) {
    case Ending::exited:
      return "exit code " + std::to_string(exit_code);
    case Ending::signalled: {
      const std::string name = signal_name(signal);
      return "signal " + std::to_string(signal) + (name.empty() ? "" : " (" + name + ")");
    }
    case Ending::timed_out:
      return "no end after " + format_seconds(wall_seconds);
    case Ending::silent:
      return "silent for too long, after " + format_seconds(wall_seconds);
    case Ending::too_many_processes:
      return std::to_string(processes_peak) + " processes at once";
    case Ending::interrupted:
      return "interrupted";
    case Ending::not_started:
      return "could not be started: " + message;
  }
  return "?";
}

}  // namespace mpsgate
