#include "base/clock.h"
#include "base/text.h"
#include "process/child_group.h"
#include "process/interrupt.h"
#include "process/process.h"
#include "process/process_tree.h"
#include "process/stream_sink.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpsgate {
namespace {

constexpr double kSampleSeconds = 0.1;
constexpr double kDrainSeconds = 2;     ///< for output that a killed tree has left in the pipes
constexpr double kSettleSeconds = 0.2;  ///< for workers that follow their leader by themselves
constexpr double kLeftoverGrace = 1;
constexpr double kInterruptGrace = 2;
constexpr double kKillSeconds = 15;    ///< a process in uninterruptible sleep is given up after this
constexpr double kPollSeconds = 0.02;  ///< where no descriptor tells of the end

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;
};

bool make_pipe(Pipe& ends) {
  int fds[2];
#ifdef __linux__
  if (::pipe2(fds, O_CLOEXEC) != 0) return false;
#else
  if (::pipe(fds) != 0) return false;
  for (const int fd : fds)
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
  ends.read.reset(fds[0]);
  ends.write.reset(fds[1]);
  return true;
}

void make_nonblocking(const Descriptor& descriptor) {
  ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

/// The program that a shell would find; empty if none.
std::string find_program(const std::string& name, const Variables& environment) {
  if (name.find('/') != std::string::npos) return name;
  const auto path = environment.find("PATH");
  if (path == environment.end()) return {};
  for (const auto& folder : split(path->second, ':')) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    struct stat state {};
    if (::access(candidate.c_str(), X_OK) == 0 && ::stat(candidate.c_str(), &state) == 0 &&
        S_ISREG(state.st_mode))
      return candidate;
  }
  return {};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Starts the child; its pid, or 0 with `message`.
pid_t spawn(const ProcessRequest& request, Pipe& in, Pipe& out, Pipe& err, std::string& message) {
  const std::string program = find_program(request.argv.front(), request.environment);
  if (program.empty()) {
    message = "there is no program \"" + request.argv.front() + "\" on its PATH";
    return 0;
  }
  if (!request.directory.empty() && ::access(request.directory.c_str(), X_OK) != 0) {
    message = "its folder " + request.directory.string() + " cannot be entered: " + std::strerror(errno);
    return 0;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (!request.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, request.directory.c_str());
  if (in.read.open()) {
    posix_spawn_file_actions_adddup2(&actions, in.read.get(), 0);
  } else {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), 2);
  sigset_t every, none;
  sigfillset(&every);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &every);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef __APPLE__
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  posix_spawnattr_setflags(&attributes, flags);
  std::vector<std::string> argv = request.argv;
  std::vector<std::string> environment;
  for (const auto& [name, value] : request.environment)
    environment.push_back(name + "=" + value);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(argv).data(),
                                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    message = program + ": " + std::strerror(error);
    return 0;
  }
  return pid;
}

/// One child from its start to its reaping.
class Execution {
 public:
  explicit Execution(const ProcessRequest& request)
      : request_(request),
        out_(request.stdout_file, request.limits.file_bytes, request.limits.memory_bytes),
        err_(request.stderr_file, request.limits.file_bytes, request.limits.memory_bytes) {}

  ProcessResult run() {
    if (Interrupt::signal() != 0) {
      result_.ending = Ending::interrupted;
      return finish();
    }
    Pipe in, out, err;
    if (request_.argv.empty() || !make_pipe(out) || !make_pipe(err) ||
        (!request_.input.empty() && !make_pipe(in))) {
      result_.message =
          request_.argv.empty() ? "the command is empty" : std::string("no pipe: ") + std::strerror(errno);
      return finish();
    }
    started_ = clock_.seconds();
    leader_ = spawn(request_, in, out, err, result_.message);
    if (leader_ == 0) return finish();
    set_child_group(leader_);
    in.read.reset();
    out.write.reset();
    err.write.reset();
    stdin_ = std::move(in.write);
    stdout_ = std::move(out.read);
    stderr_ = std::move(err.read);
    for (const auto* descriptor : {&stdin_, &stdout_, &stderr_}) {
      if (descriptor->open()) make_nonblocking(*descriptor);
    }
    exit_.reset(exit_descriptor(leader_));
    tree_ = ProcessTree(leader_);
    last_output_ = started_;
    while (!leader_ended_)
      turn();
    end_leftovers();
    drain();
    reap();
    return finish();
  }

 private:
  double now() const { return clock_.seconds(); }

  /// One wait and what follows from it.
  void turn() {
    double wake = next_sample_;
    const auto sooner = [&](double time) { wake = std::min(wake, time); };
    const auto& limits = request_.limits;
    if (!reason_) {
      if (limits.wall_seconds > 0) sooner(started_ + limits.wall_seconds);
      if (limits.silence_seconds > 0) sooner(last_output_ + limits.silence_seconds);
    } else {
      sooner(kill_at_);
    }
    wait_for_something(exit_.open() ? wake - now() : std::min(wake - now(), kPollSeconds));
    check_leader();
    if (leader_ended_) return;
    const double time = now();
    if (next_sample_ == 0 || time >= next_sample_) sample();
    if (!reason_) {
      if (Interrupt::signal() != 0) {
        // A CI gives some seconds in all, and the reports are still to be written.
        stop(Ending::interrupted, std::min(request_.limits.grace_seconds, kInterruptGrace));
      } else if (limits.wall_seconds > 0 && time - started_ >= limits.wall_seconds) {
        stop(Ending::timed_out);
      } else if (limits.silence_seconds > 0 && time - last_output_ >= limits.silence_seconds) {
        stop(Ending::silent);
      } else if (limits.processes > 0 && result_.processes_peak > limits.processes) {
        // A tree that grows this fast is not asked: it would use the time to grow.
        stop(Ending::too_many_processes, 0);
      }
    } else if (time >= kill_at_) {
      kill_tree();
    }
  }

  void stop(Ending reason) { stop(reason, request_.limits.grace_seconds); }
  void stop(Ending reason, double grace) {
    reason_ = reason;
    kill_at_ = now() + grace;
    if (grace > 0) {
      tree_.sample();
      tree_.send(SIGTERM);
      tree_.send(SIGCONT);
    } else {
      kill_tree();
    }
  }

  /// Stopped first, so that nothing can fork while the others die; again until nothing is left.
  void kill_tree() {
    const double give_up = now() + kKillSeconds;
    while (now() < give_up) {
      for (std::size_t count = 0; count != tree_.sample().size();) {
        count = tree_.living().size();
        tree_.send(SIGSTOP);
      }
      tree_.send(SIGKILL);
      wait_for_something(0.01);
      reap_orphans();
      check_leader();
      if (tree_.sample().empty()) break;
    }
    kill_at_ = now() + kKillSeconds;
    if (!leader_ended_) check_leader();
  }

  void sample() {
    // The first sample is put off: a child that lives for some milliseconds costs no look at all.
    if (next_sample_ > 0) {
      const auto& living = tree_.sample();
      result_.processes_peak = std::max(result_.processes_peak, static_cast<int>(living.size()));
      std::uint64_t sum = 0;
      for (const auto& entry : living)
        sum += memory_of(entry.pid);
      result_.peak_tree_bytes = std::max(result_.peak_tree_bytes, sum);
      reap_orphans();
    }
    next_sample_ = now() + kSampleSeconds;
  }

  void wait_for_something(double seconds) {
    std::array<pollfd, 5> fds{};
    nfds_t count = 0;
    const auto add = [&](int fd, short events) {
      if (fd >= 0) fds[count++] = {fd, events, 0};
    };
    add(stdout_.get(), POLLIN);
    add(stderr_.get(), POLLIN);
    add(stdin_.get(), POLLOUT);
    add(leader_ended_ ? -1 : exit_.get(), POLLIN);
    add(reason_ || leader_ended_ ? -1 : Interrupt::descriptor(), POLLIN);
    const int milliseconds = static_cast<int>(std::clamp(seconds, 0.0, 60.0) * 1000 + 0.999);
    if (::poll(fds.data(), count, milliseconds) <= 0) return;
    for (nfds_t i = 0; i < count; ++i) {
      if (fds[i].revents == 0) continue;
      if (fds[i].fd == stdout_.get()) {
        read_from(stdout_, Stream::out);
      } else if (fds[i].fd == stderr_.get()) {
        read_from(stderr_, Stream::err);
      } else if (fds[i].fd == stdin_.get()) {
        feed();
      }
    }
  }

  void read_from(Descriptor& descriptor, Stream stream) {
    std::array<char, 65536> buffer;
    // A flood must not keep the clock from being looked at.
    for (int round = 0; round < 16; ++round) {
      const ssize_t size = ::read(descriptor.get(), buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return;
      if (size <= 0) {
        descriptor.reset();
        return;
      }
      last_output_ = now();
      const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
      (stream == Stream::out ? out_ : err_).add(bytes);
      if (request_.on_output) request_.on_output(stream, bytes);
    }
  }

  void feed() {
    const std::string_view rest = std::string_view(request_.input).substr(fed_);
    const ssize_t size = ::write(stdin_.get(), rest.data(), rest.size());
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size > 0) fed_ += static_cast<std::size_t>(size);
    if (size < 0 || fed_ == request_.input.size()) stdin_.reset();
  }

  /// Looks without reaping, so that the leader's id stays taken while its tree is ended.
  void check_leader() {
    if (leader_ended_) return;
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == leader_) {
      leader_ended_ = true;
      ended_ = now();
    }
  }

  void end_leftovers() {
    if (!may_have_other_children(leader_)) return;
    const double settled = now() + kSettleSeconds;
    while (!tree_.sample().empty() && now() < settled) {
      reap_orphans();
      wait_for_something(0.01);
    }
    if (tree_.living().empty()) return;
    if (!reason_) result_.leftovers = static_cast<int>(tree_.living().size());
    tree_.send(SIGTERM);
    const double patience = now() + (reason_ ? 0 : kLeftoverGrace);
    while (!tree_.sample().empty() && now() < patience) {
      reap_orphans();
      wait_for_something(0.02);
    }
    if (!tree_.living().empty()) kill_tree();
  }

  void drain() {
    const double give_up = now() + kDrainSeconds;
    stdin_.reset();
    while ((stdout_.open() || stderr_.open()) && now() < give_up)
      wait_for_something(give_up - now());
    reap_orphans();
  }

  /// Orphans that became ours and have ended.
  void reap_orphans() {
    if (!may_have_other_children(leader_)) return;
    for (const auto& entry : all_processes()) {
      if (entry.zombie && entry.parent == ::getpid() && entry.pid != leader_)
        ::waitpid(entry.pid, nullptr, WNOHANG);
    }
  }

  void reap() {
    int status = 0;
    rusage usage{};
    while (::wait4(leader_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    result_.user_seconds = seconds(usage.ru_utime);
    result_.system_seconds = seconds(usage.ru_stime);
    result_.peak_bytes = peak_bytes_of(usage.ru_maxrss);
    result_.wall_seconds = ended_ - started_;
    if (WIFSIGNALED(status)) {
      result_.ending = Ending::signalled;
      result_.signal = WTERMSIG(status);
    } else {
      result_.ending = Ending::exited;
      result_.exit_code = WEXITSTATUS(status);
    }
    if (reason_) result_.ending = *reason_;
    result_.processes_peak = std::max(result_.processes_peak, 1);
  }

  ProcessResult finish() {
    set_child_group(0);
    result_.out = out_.finish();
    result_.err = err_.finish();
    return std::move(result_);
  }

  const ProcessRequest& request_;
  SystemClock clock_;
  StreamSink out_, err_;
  ProcessResult result_;
  pid_t leader_ = 0;
  ProcessTree tree_{0};
  Descriptor stdin_, stdout_, stderr_, exit_;
  std::size_t fed_ = 0;
  double started_ = 0, ended_ = 0, last_output_ = 0, next_sample_ = 0, kill_at_ = 0;
  bool leader_ended_ = false;
  std::optional<Ending> reason_;  ///< why we ended it
};

}  // namespace

Supervisor::Supervisor() {
  become_subreaper();
  // A child that closes its standard input early must not end the harness.
  ::signal(SIGPIPE, SIG_IGN);
}

ProcessResult Supervisor::run(const ProcessRequest& request) {
  const SystemClock clock;
  const double started = clock.seconds();
  ProcessResult result = Execution(request).run();
  if (result.ending != Ending::not_started) child_seconds_ += clock.seconds() - started;
  return result;
}

}  // namespace mpsgate
