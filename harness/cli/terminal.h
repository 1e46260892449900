#pragma once
#include "base/clock.h"
#include "sequence/step.h"
#include "verdict/verdict.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace mpsgate {

struct TerminalStyle {
  bool live = false;  ///< a person watches: the line of the step under way is rewritten in place
  bool colour = false;
  double heartbeat_seconds = 60;  ///< without a new line, where it is not live
};
/// For `stream`: CI and redirected output are plain. NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR and TERM=dumb are
/// honoured.
TerminalStyle terminal_style(std::FILE* stream);

/// Progress as a person or a CI log reads it: a line a step with its time; on failure the last lines of the
/// process's stderr, made harmless, and the line that reproduces it. Writes from a thread of its own while a
/// step runs.
class Terminal : public Progress {
 public:
  Terminal(std::FILE* stream, TerminalStyle style, const Clock& clock);
  ~Terminal() override;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void run_began(const Record& start) override;
  void step_began(const std::string& id, const std::string& establishes) override;
  void say(const std::string& line) override;
  void step_ended(const Record& end, const Records& emitted) override;
  /// After the last step: verdict, reasons, what next, where the reports are.
  void show_verdict(const Verdict& verdict, const std::string& run_folder);

 private:
  void beat();
  void print(const std::string& line);
  std::string paint(const char* code, const std::string& text) const;

  std::FILE* stream_;
  TerminalStyle style_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool leaving_ = false;
  std::string step_;  ///< under way; empty between steps
  double step_started_ = 0;
  double last_line_ = 0;
  bool line_open_ = false;  ///< a live line stands on the terminal
  std::thread thread_;
};

}  // namespace mpsgate
