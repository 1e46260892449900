#include "record/journal.h"

#include "base/files.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLargestJournal = 1ull << 30;

/// The part of `text` that consists of whole lines.
std::string_view whole_lines(std::string_view text) {
  const auto end = text.rfind('\n');
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

tl::unexpected<Error> unwritable(const std::filesystem::path& path) {
  if (errno == ENOSPC || errno == EDQUOT) {
    return fail("disk.full", "no space left to write " + path.string(),
                "free some disk space, then mpsgate resume");
  }
  return fail("file.unwritable", path.string() + " cannot be written: " + std::strerror(errno));
}

}  // namespace

Result<Records> parse_journal(std::string_view text, const std::string& origin) {
  Records records;
  int line = 0;
  for (text = whole_lines(text); !text.empty();) {
    const auto end = text.find('\n');
    ++line;
    const auto damaged = [&](const Error& error) {
      return fail("journal.damaged", error.message, "the run's journal was changed or damaged: run again",
                  {origin, line, 0});
    };
    auto json = parse_json(text.substr(0, end), "the line");
    if (!json) return damaged(json.error());
    auto record = record_from_json(*json);
    if (!record) return damaged(record.error());
    if (record->seq != records.size())
      return damaged({"", "seq " + std::to_string(record->seq) + " is out of order", "", {}});
    records.push_back(std::move(*record));
    text.remove_prefix(end + 1);
  }
  return records;
}

Result<Records> read_journal(const std::filesystem::path& path) {
  MPSGATE_ASSIGN(const std::string text, read_file(path, kLargestJournal));
  return parse_journal(text, path.string());
}

Result<Journal> Journal::open(const std::filesystem::path& path, const Clock& clock) {
  Records records;
  std::size_t whole = 0;
  if (std::filesystem::exists(path)) {
    MPSGATE_ASSIGN(const std::string text, read_file(path, kLargestJournal));
    MPSGATE_ASSIGN(records, parse_journal(text, path.string()));
    whole = whole_lines(text).size();
  }
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return unwritable(path);
  if (::ftruncate(descriptor, static_cast<off_t>(whole)) != 0 || ::lseek(descriptor, 0, SEEK_END) < 0) {
    ::close(descriptor);
    return unwritable(path);
  }
  return Journal(path, descriptor, clock, std::move(records));
}

Journal::Journal(std::filesystem::path path, int descriptor, const Clock& clock, Records records)
    : path_(std::move(path)), descriptor_(descriptor), clock_(&clock), records_(std::move(records)) {}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      clock_(other.clock_),
      records_(std::move(other.records_)) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> Journal::append(const std::string& step, Record record) {
  record.version = kRecordVersion;
  record.seq = records_.size();
  record.time = utc_text(clock_->now_ms());
  record.step = step;
  const std::string line = dump_json(to_json(record)) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return unwritable(path_);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  // What is kept is what a reader of the file would get: the text may have lost invalid UTF-8.
  MPSGATE_ASSIGN(const Json json,
                 parse_json(std::string_view(line).substr(0, line.size() - 1), "the record"));
  MPSGATE_ASSIGN(record, record_from_json(json));
  records_.push_back(std::move(record));
  return {};
}

Result<void> Journal::sync() {
  if (::fsync(descriptor_) != 0) return unwritable(path_);
  return {};
}

}  // namespace mpsgate
