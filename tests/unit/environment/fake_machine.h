#pragma once
#include "base/files.h"
#include "environment/environment.h"
#include "process/process.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mpsgate {

/// A machine with one Python 3.11 that has a pip, an index, and the words that each would say. Records what
/// is started.
class FakeMachine : public ProcessRunner {
 public:
  FakeMachine();
  ProcessResult run(const ProcessRequest& request) override;

  std::string python() const { return (folder_.path() / "bin" / "python3.11").string(); }
  const fs::path& folder() const { return folder_.path(); }
  /// PATH with this machine's Python only.
  Variables own() const;

  /// One answer of pip: output and, when it succeeds, the files that it downloads.
  struct Answer {
    int exit_code = 0;
    std::string out, err;
    std::vector<std::string> files;
  };
  /// What `pip download` says the first, second, … time; the last goes on. Called with the argv.
  std::function<Answer(int time, const std::vector<std::string>& argv)> on_download;
  std::function<Answer(const std::vector<std::string>& argv)> on_install;
  std::function<void(const ProcessRequest&)> on_any;  ///< before each start

  struct Page {
    int status = 404;
    std::string body, content_type;
  };
  std::map<std::string, Page> pages;  ///< others are 404
  std::set<std::string> unreachable;
  std::string default_index = "https://index.example/simple";
  std::string pip_config;
  std::string version = "3.11.7", pip = "23.2.1", machine = "x86_64", platform = "linux-x86_64";
  std::string implementation = "CPython";
  std::string own_metadata;  ///< Requires-Dist of the lab's own packages, as the script prints them

  std::vector<ProcessRequest> requests;
  /// Requests whose argv has this word.
  std::vector<ProcessRequest> with(const std::string& word) const;

 private:
  ProcessResult answer(const Answer& answer) const;
  void install(const std::string& name_and_version, const fs::path& environment) const;
  TemporaryFolder folder_;
  int downloads_ = 0;
};

/// The value after `option`.
std::string value_after(const std::vector<std::string>& argv, const std::string& option);

}  // namespace mpsgate
