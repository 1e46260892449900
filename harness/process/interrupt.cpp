#include "process/interrupt.h"

#include "process/child_group.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

namespace mpsgate {
namespace {

std::atomic<int> received{0};
std::atomic<pid_t> group{0};
int pipe_ends[2] = {-1, -1};

void on_signal(int signal) {
  const int error = errno;
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) {
    if (const pid_t child = group.load(); child > 0) ::kill(-child, SIGKILL);
    ::_exit(128 + signal);
  }
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], &byte, 1);
  errno = error;
}

}  // namespace

void Interrupt::install() {
  if (pipe_ends[0] >= 0 || ::pipe(pipe_ends) != 0) return;
  for (const int end : pipe_ends) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

int Interrupt::signal() {
  return received.load();
}

int Interrupt::descriptor() {
  return pipe_ends[0];
}

void Interrupt::reset() {
  received = 0;
  char byte = 0;
  while (pipe_ends[0] >= 0 && ::read(pipe_ends[0], &byte, 1) > 0) {
  }
}

void set_child_group(pid_t leader) {
  group = leader;
}

}  // namespace mpsgate
