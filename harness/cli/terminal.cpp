#include "cli/terminal.h"

#include "base/text.h"
#include "reports/escape.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <set>

#include <unistd.h>

namespace mpsgate {
namespace {

constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kYellow = "\x1b[33m";
constexpr const char* kDim = "\x1b[2m";
constexpr const char* kBold = "\x1b[1m";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value && std::string_view(value) != "0";
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string pad_left(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

}  // namespace

TerminalStyle terminal_style(std::FILE* stream) {
  TerminalStyle style;
  const char* term = std::getenv("TERM");
  const bool dumb = !term || std::string_view(term) == "dumb";
  const bool person = ::isatty(::fileno(stream)) && !is_set("CI");
  style.live = person && !dumb;
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour && *no_colour) return style;
  style.colour = is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR") || (person && !dumb);
  return style;
}

Terminal::Terminal(std::FILE* stream, TerminalStyle style, const Clock& clock)
    : stream_(stream), style_(style), clock_(clock), last_line_(clock.seconds()), thread_([this] {
        beat();
      }) {}

Terminal::~Terminal() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Terminal::beat() {
  std::unique_lock lock(mutex_);
  const auto period = std::chrono::milliseconds(style_.live ? 500 : 1000);
  while (!leaving_) {
    wake_.wait_for(lock, period);
    if (leaving_ || step_.empty()) continue;
    const double now = clock_.seconds();
    const std::string elapsed = format_seconds(now - step_started_);
    if (style_.live && now - step_started_ > 0.5) {
      std::fprintf(stream_, "\r\x1b[K   %s %s", padded(step_, 12).c_str(),
                   paint(kDim, "… " + elapsed).c_str());
      std::fflush(stream_);
      line_open_ = true;
    } else if (!style_.live && now - last_line_ >= style_.heartbeat_seconds) {
      print("   " + padded(step_, 12) + " still running after " + elapsed);
    }
  }
}

void Terminal::print(const std::string& line) {
  if (line_open_) std::fputs("\r\x1b[K", stream_);
  line_open_ = false;
  std::fputs((without_commands(line) + "\n").c_str(), stream_);
  std::fflush(stream_);
  last_line_ = clock_.seconds();
}

std::string Terminal::paint(const char* code, const std::string& text) const {
  return style_.colour ? code + text + "\x1b[0m" : text;
}

void Terminal::run_began(const Record& start) {
  const std::lock_guard lock(mutex_);
  const std::string scope = string_at(start.data, "scope");
  print(paint(kBold, "mpsgate " + string_at(value_at(start.data, "tool"), "version") + "  " +
                         string_at(start.data, "mode") + " " + string_at(start.data, "name")) +
        "  scope " + scope + (scope == "cpu" ? " (no mps device: what needs one is not established)" : ""));
}

void Terminal::step_began(const std::string& id, const std::string&) {
  const std::lock_guard lock(mutex_);
  step_ = id;
  step_started_ = clock_.seconds();
}

void Terminal::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  print(paint(kDim, "     " + harmless(line)));
}

void Terminal::step_ended(const Record& end, const Records& emitted) {
  const std::lock_guard lock(mutex_);
  step_.clear();
  const std::string status = string_at(end.data, "status");
  const char* colour = status == "passed"    ? kGreen
                       : status == "skipped" ? kDim
                       : status == "failed"  ? kRed
                                             : kYellow;
  std::string line = "   " + padded(end.step, 12) + " " + paint(colour, padded(status, 8));
  line += pad_left(status == "skipped" ? "" : format_seconds(number_at(end.data, "seconds")), 12);
  if (const std::string reason = string_at(end.data, "reason"); !reason.empty())
    line += "  " + paint(status == "skipped" ? kDim : "", harmless(reason, 400));
  print(line);
  if (status == "skipped" || status == "passed") return;
  std::set<std::string> shown;  // ten outputs may differ for one reason
  for (const auto& record : emitted) {
    if (record.kind != Kind::finding || string_at(record.data, "weight") == "note") continue;
    const std::string advice =
        "     " + paint(kBold, record.id) + "  " + harmless(string_at(record.data, "remedy"), 400);
    if (shown.insert(advice).second) print(advice);
  }
  for (const auto& tail_line : value_at(end.data, "tail")) {
    if (tail_line.is_string()) print("     | " + harmless_log_line(tail_line.get<std::string>()));
  }
  if (const std::string log = string_at(end.data, "log"); !log.empty()) print("     log: " + log);
  if (const std::string reproduce = string_at(end.data, "reproduce"); !reproduce.empty())
    print("     reproduce: " + reproduce);
}

void Terminal::show_verdict(const Verdict& verdict, const std::string& run_folder) {
  const std::lock_guard lock(mutex_);
  step_.clear();
  const char* colour = verdict.decision == Decision::proceed_or_continue ? kGreen
                       : verdict.decision == Decision::abort             ? kRed
                                                                         : kYellow;
  print("");
  print(paint(colour, harmless(line_of(verdict), 2000)));
  for (const auto& sentence : verdict.next)
    print("  next: " + harmless(sentence, 500));
  if (!verdict.not_established.empty()) {
    std::string names;
    for (const auto& [step, why] : verdict.not_established)
      names += (names.empty() ? "" : ", ") + step;
    print("  not established: " + names);
  }
  for (const auto& note : verdict.notes) {
    if (note.basis == "static") print("  note: " + harmless(note.message));
  }
  for (const auto& [step, why] : verdict.dropped)
    print("  gating step dropped by the protocol: " + step + " (" + harmless(why) + ")");
  print("  report: " + run_folder + "/report.md");
}

}  // namespace mpsgate
