#include "process/stream_sink.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace mpsgate {

StreamSink::StreamSink(const std::filesystem::path& file, std::uint64_t file_bytes,
                       std::uint64_t memory_bytes)
    : file_left_(file_bytes), memory_bytes_(static_cast<std::size_t>(memory_bytes)) {
  if (!file.empty()) descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

StreamSink::~StreamSink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void StreamSink::write(std::string_view bytes) {
  while (descriptor_ >= 0 && !bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      ::close(descriptor_);
      descriptor_ = -1;
      record_.truncated = true;
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void StreamSink::keep(std::string_view bytes) {
  if (record_.head.size() < memory_bytes_) {
    const auto size = std::min(bytes.size(), memory_bytes_ - record_.head.size());
    record_.head += bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  if (bytes.empty()) return;
  if (bytes.size() > memory_bytes_) bytes.remove_prefix(bytes.size() - memory_bytes_);
  record_.tail += bytes;
  // Cut rarely: the tail may grow to twice its size in between.
  if (record_.tail.size() > 2 * memory_bytes_) record_.tail.erase(0, record_.tail.size() - memory_bytes_);
}

void StreamSink::add(std::string_view bytes) {
  record_.bytes += bytes.size();
  keep(bytes);
  if (descriptor_ < 0) return;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file_left_));
  write(bytes.substr(0, size));
  file_left_ -= size;
  if (size < bytes.size()) record_.truncated = true;
}

StreamRecord StreamSink::finish() {
  if (record_.truncated && descriptor_ >= 0)
    write("\n[mpsgate: the rest of the log is left out; see limits.log]\n");
  if (record_.tail.size() > memory_bytes_) record_.tail.erase(0, record_.tail.size() - memory_bytes_);
  return std::move(record_);
}

}  // namespace mpsgate
