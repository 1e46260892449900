#pragma once
#include "base/clock.h"
#include "record/record.h"

#include <filesystem>

namespace mpsgate {

/// The append-only file journal.jsonl. The only writer of a run; holds no lock itself.
class Journal {
 public:
  /// Opens for appending, after the records already there. A last line that a kill cut short is removed.
  /// Error codes: "file.unreadable", "file.unwritable", "journal.damaged" (a broken line before the last).
  static Result<Journal> open(const std::filesystem::path& path, const Clock& clock);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// Stamps version, seq, time and `step`, and appends. Error codes: "file.unwritable", "disk.full".
  Result<void> append(const std::string& step, Record record);
  /// To the disk.
  Result<void> sync();
  const Records& records() const { return records_; }

 private:
  Journal(std::filesystem::path path, int descriptor, const Clock& clock, Records records);
  std::filesystem::path path_;
  int descriptor_;
  const Clock* clock_;
  Records records_;
};

/// All records of a journal; a last line without its end is left out (a kill cut it). Error codes:
/// "file.unreadable", "file.too-large", "journal.damaged".
Result<Records> read_journal(const std::filesystem::path& path);
/// The same from text; `origin` names it in errors.
Result<Records> parse_journal(std::string_view text, const std::string& origin);

}  // namespace mpsgate
