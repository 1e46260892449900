#pragma once
#include "base/files.h"
#include "survey/starter.h"

#include <string>

#include <gtest/gtest.h>

namespace mpsgate {

inline const std::string kCommit = "1234567890123456789012345678901234567890";

/// A made-up checkout: git's files as git writes them, without git.
class MadeUp {
 public:
  MadeUp() {
    write(".git/HEAD", "ref: refs/heads/main\n");
    write(".git/refs/heads/main", kCommit + "\n");
    write(".git/config",
          "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.org/lab/tones\n");
  }
  fs::path folder() const { return scratch_.path() / "tones"; }
  void write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(write_file(folder() / path, text));
  }
  Survey survey(const SurveyLimits& limits = {}) const {
    auto found = survey_repository(folder(), limits);
    EXPECT_TRUE(found) << (found ? "" : found.error().text());
    return found ? *found : Survey{};
  }
  Starter starter() const { return write_starter(survey(), {"", "mpsgate.yaml", true, "", "."}); }

 private:
  TemporaryFolder scratch_;
};

/// What the reader has against a protocol that lies in the checkout; empty where it is valid.
inline std::string faults_of(const MadeUp& repository, const std::string& text) {
  std::string said;
  for (const auto& fault :
       read_protocol(text, repository.folder() / "mpsgate.yaml", repository.folder(), Registry{}).diagnostics)
    said += text_of(fault) + "\n";
  return said;
}

}  // namespace mpsgate
