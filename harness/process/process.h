#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// A child's complete environment: nothing is inherited beside it.
using Variables = std::map<std::string, std::string>;

struct ProcessLimits {
  double wall_seconds = 600;   ///< 0: no limit
  double silence_seconds = 0;  ///< ended after this long without a byte on either stream; 0: no limit
  int processes = 512;         ///< the whole tree, the first process included
  std::uint64_t file_bytes =
      64ull << 20;  ///< of each stream kept in its file; what follows is counted, not kept
  std::uint64_t memory_bytes = 256ull << 10;  ///< of each stream kept as head, and as much again as tail
  double grace_seconds = 5;                   ///< between TERM and KILL
};

enum class Stream { out, err };

struct ProcessRequest {
  std::vector<std::string> argv;  ///< argv[0] is an absolute path, or a name looked up in environment["PATH"]
  std::filesystem::path directory;  ///< empty: the harness's own
  Variables environment;
  std::string input;  ///< given on standard input; empty: /dev/null
  ProcessLimits limits;
  std::filesystem::path stdout_file;  ///< empty: kept in memory only
  std::filesystem::path stderr_file;
  std::function<void(Stream, std::string_view)> on_output;  ///< called as bytes come; must not throw
};

/// How a process came to its end. Exactly one holds.
enum class Ending {
  exited,              ///< by itself; see exit_code
  signalled,           ///< by a signal that was not ours; see signal
  timed_out,           ///< wall limit; ended by us
  silent,              ///< silence limit; ended by us
  too_many_processes,  ///< ended by us
  interrupted,         ///< the user or the CI stopped the harness; ended by us
  not_started,         ///< see message
};
const char* name_of(Ending ending);  ///< "exited", "signalled", "timed out", …

struct StreamRecord {
  std::uint64_t bytes = 0;  ///< all that was written
  bool truncated = false;   ///< the file holds less than that
  std::string head;         ///< the first limits.memory_bytes
  std::string tail;         ///< the last limits.memory_bytes of what follows the head
  /// head and tail, with a line "[… N bytes left out …]" between them where there is a gap.
  std::string text() const;
};

struct ProcessResult {
  Ending ending = Ending::not_started;
  int exit_code = -1;
  int signal = 0;
  std::string message;  ///< why it did not start
  double wall_seconds = 0;
  double user_seconds = 0;  ///< of the process and the children it waited for
  double system_seconds = 0;
  std::uint64_t peak_bytes = 0;       ///< resident memory of the largest single process (wait4's ru_maxrss)
  std::uint64_t peak_tree_bytes = 0;  ///< largest sampled sum over the tree; 0 where it cannot be read
  int processes_peak = 0;             ///< largest sampled number of processes
  int leftovers = 0;                  ///< descendants that outlived it and were ended
  StreamRecord out, err;

  bool succeeded() const { return ending == Ending::exited && exit_code == 0; }
  /// "exit code 3", "signal 6 (SIGABRT)", "no end after 600 s", "could not be started: …".
  std::string description() const;
};

/// Starts children. One real implementation, Supervisor; tests use fakes that record.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  virtual ProcessResult run(const ProcessRequest& request) = 0;
};

/// The real one: posix_spawn from argv, an own process group, both streams on pipes of their own, limits, and
/// the whole tree ended with TERM, then KILL, descendants that called setsid included. One child at a time a
/// process: on Linux the harness is a subreaper, so every orphan below it belongs to the child under way. The
/// calling process must not have other children.
class Supervisor : public ProcessRunner {
 public:
  Supervisor();
  ProcessResult run(const ProcessRequest& request) override;
  /// Seconds in which some child was alive, summed over all runs. The rest is the harness's own time.
  double child_seconds() const { return child_seconds_; }

 private:
  double child_seconds_ = 0;
};

}  // namespace mpsgate
