#pragma once
#include "base/result.h"
#include "process/process.h"

#include <filesystem>
#include <string_view>

namespace mpsgate {

/// Takes the bytes of one stream of a child: the first `file_bytes` go to a file, head and tail stay in
/// memory.
class StreamSink {
 public:
  /// `file` may be empty: no file. A file that cannot be written loses its copy, never the run.
  StreamSink(const std::filesystem::path& file, std::uint64_t file_bytes, std::uint64_t memory_bytes);
  ~StreamSink();
  StreamSink(const StreamSink&) = delete;
  StreamSink& operator=(const StreamSink&) = delete;

  void add(std::string_view bytes);
  /// Ends the file, with a line that says so where bytes were left out. Call once, last.
  StreamRecord finish();

 private:
  void keep(std::string_view bytes);
  void write(std::string_view bytes);

  int descriptor_ = -1;
  std::uint64_t file_left_;
  std::size_t memory_bytes_;
  StreamRecord record_;
};

}  // namespace mpsgate
