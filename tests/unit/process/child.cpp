// process_test_child MODE [ARGUMENT]: misbehaves as told.
#include "process/worker.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <unistd.h>

extern char** environ;

namespace {

void sleep_long() {
  for (;;)
    ::sleep(600);
}

/// A grandchild that notes its pid in `file` and stays; in a session of its own if asked.
void leave_child(const char* file, bool own_session, bool deaf) {
  if (::fork() != 0) return;
  if (own_session) ::setsid();
  if (deaf) ::signal(SIGTERM, SIG_IGN);
  std::ofstream(std::string(file) + ".tmp") << ::getpid() << "\n";
  std::rename((std::string(file) + ".tmp").c_str(), file);
  sleep_long();
}

void wait_for(const char* file) {
  while (::access(file, R_OK) != 0)
    ::usleep(2000);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const char* argument = argc > 2 ? argv[2] : "";
  if (mode == "exit") return std::atoi(argument);
  if (mode == "signal") {
    ::signal(std::atoi(argument), SIG_DFL);  // a sanitizer would turn it into an exit code
    ::raise(std::atoi(argument));
  }
  if (mode == "sleep") sleep_long();
  if (mode == "deaf") {
    ::signal(SIGTERM, SIG_IGN);
    std::puts("deaf");
    std::fflush(stdout);
    sleep_long();
  }
  if (mode == "both") {
    std::fputs("to out\n", stdout);
    std::fputs("to err\n", stderr);
    return 0;
  }
  if (mode == "flood") {
    const std::string line(1023, 'x');
    for (long i = 0, lines = std::atol(argument); i < lines; ++i) {
      std::puts(line.c_str());
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    return 0;
  }
  if (mode == "environment") {
    for (char** entry = environ; *entry; ++entry)
      std::puts(*entry);
    return 0;
  }
  if (mode == "count-input") {
    const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
    std::printf("%zu\n", text.size());
    return 0;
  }
  if (mode == "folder") {
    char path[4096];
    std::puts(::getcwd(path, sizeof path));
    return 0;
  }
  if (mode == "leave" || mode == "leave-session" || mode == "leave-deaf") {
    leave_child(argument, mode != "leave", mode == "leave-deaf");
    wait_for(argument);
    return 0;
  }
  if (mode == "stay-with-session") {
    leave_child(argument, true, true);
    sleep_long();
  }
  if (mode == "multiply") {
    // Bounded: 200 children at most, each in a session of its own.
    for (int i = 0; i < 200; ++i) {
      if (::fork() == 0) {
        ::setsid();
        sleep_long();
      }
      ::usleep(1000);
    }
    sleep_long();
  }
  if (mode == "worker") {
    return mpsgate::serve_worker(
        [](const mpsgate::Json& request, const auto& emit) -> mpsgate::Result<mpsgate::Json> {
          const std::string op = mpsgate::string_at(request, "op");
          std::puts("chatter of a library on standard output");
          std::fflush(stdout);
          if (op == "echo") {
            emit({{"n", 1}});
            emit({{"n", 2}});
            return mpsgate::Json{{"heard", mpsgate::string_at(request, "text")}};
          }
          if (op == "throw") throw std::runtime_error("a bug");
          if (op == "abort") std::abort();
          return mpsgate::fail("test.refused", "it says no", "ask otherwise");
        });
  }
  if (mode == "say") {
    std::fputs(argument, stdout);
    return 0;
  }
  if (mode == "noise") {
    for (int i = 0; i < 10'000; ++i)
      std::puts(std::string(1023, '[').c_str());
    return 0;
  }
  return 99;
}
