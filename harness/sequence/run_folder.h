#pragma once
#include <filesystem>
#include <string>

namespace mpsgate {

/// The layout of a run directory; docs/run-directory.md describes it to users.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path protocol() const { return root_ / "protocol.yaml"; }
  std::filesystem::path journal() const { return root_ / "journal.jsonl"; }
  std::filesystem::path lock() const { return root_ / ".lock"; }
  std::filesystem::path source() const { return root_ / "source"; }
  std::filesystem::path environment() const { return root_ / "environment.json"; }
  std::filesystem::path logs() const { return root_ / "logs"; }
  std::filesystem::path log(const std::string& name) const { return logs() / name; }
  /// Copies of the checkout, one a pass; each is gone when its pass has ended.
  std::filesystem::path work() const { return root_ / "work"; }
  /// Weights and data as commands see them: links to where they lie.
  std::filesystem::path artefacts(const std::string& kind) const { return root_ / "artefacts" / kind; }
  std::filesystem::path outputs() const { return root_ / "outputs"; }
  /// Collected outputs of one pass: COMMAND/NAME.EXT below it, the layout of a reference bundle.
  std::filesystem::path outputs(const std::string& arm, const std::string& pass) const {
    return outputs() / arm / pass;
  }
  /// `path` as records and reports name it: relative to the run directory.
  std::string relative(const std::filesystem::path& path) const {
    return path.lexically_relative(root_).generic_string();
  }

 private:
  std::filesystem::path root_;
};

}  // namespace mpsgate
