#pragma once
#include "base/files.h"
#include "base/text.h"
#include "fetch/fetch.h"
#include "process/variables.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mpsgate {

inline fs::path fetch_worker() {
  return fs::path(MPSGATE_BINARY_DIR) / "bin" / "mpsgate-fetch";
}

/// A repository made with git itself, untouched by the settings of whoever runs the tests.
class Lab {
 public:
  Lab(ProcessRunner& processes, fs::path folder) : processes_(processes), folder_(std::move(folder)) {
    EXPECT_TRUE(make_folder(folder_));
    git({"init", "-q", "-b", "main"});
  }

  const fs::path& folder() const { return folder_; }

  void write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(make_folder((folder_ / path).parent_path()));
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }

  /// Commits everything that is there; returns the commit's id.
  std::string commit(const std::string& message = "work") {
    git({"add", "-A"});
    return commit_index(message);
  }
  std::string commit_index(const std::string& message = "work") {
    git({"commit", "-q", "--allow-empty", "-m", message});
    return git({"rev-parse", "HEAD"});
  }
  /// Pins `commit` of a submodule at `path`, as `git submodule add` would, and commits.
  std::string pin(const std::string& path, const std::string& url, const std::string& commit_id) {
    git({"config", "-f", ".gitmodules", "submodule." + path + ".path", path});
    git({"config", "-f", ".gitmodules", "submodule." + path + ".url", url});
    git({"add", ".gitmodules"});
    git({"update-index", "--add", "--cacheinfo", "160000," + commit_id + "," + path});
    return commit_index("pin " + path);
  }

  std::string git(std::vector<std::string> arguments) {
    return git_in(processes_, folder_, std::move(arguments));
  }

  static std::string git_in(ProcessRunner& processes, const fs::path& folder,
                            std::vector<std::string> arguments) {
    ProcessRequest request;
    request.argv = {"git"};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.directory = folder;
    const auto own = own_variables();
    const auto path = own.find("PATH");
    request.environment = {{"PATH", path == own.end() ? "/usr/bin:/bin" : path->second},
                           {"HOME", folder.string()},
                           {"GIT_CONFIG_GLOBAL", "/dev/null"},
                           {"GIT_CONFIG_NOSYSTEM", "1"},
                           {"GIT_AUTHOR_NAME", "Ada"},
                           {"GIT_AUTHOR_EMAIL", "ada@example.org"},
                           {"GIT_AUTHOR_DATE", "2026-11-01T12:00:00Z"},
                           {"GIT_COMMITTER_NAME", "Ada"},
                           {"GIT_COMMITTER_EMAIL", "ada@example.org"},
                           {"GIT_COMMITTER_DATE", "2026-11-01T12:00:00Z"}};
    const ProcessResult result = processes.run(request);
    EXPECT_TRUE(result.succeeded()) << shell_quoted(request.argv) << ": " << result.description() << "\n"
                                    << result.err.text();
    return std::string(trim(result.out.text()));
  }

 private:
  ProcessRunner& processes_;
  fs::path folder_;
};

/// Checks out with the real worker, below a folder of its own.
class CheckoutTest : public ::testing::Test {
 protected:
  Checkout request(const std::string& url, const std::string& commit) const {
    Checkout checkout;
    checkout.url = url;
    checkout.commit = commit;
    checkout.folder = folder_.path() / "out";
    checkout.log = folder_.path() / "fetch.err";
    checkout.worker = fetch_worker();
    checkout.seconds = 240;
    return checkout;
  }
  Result<CheckedOut> run(const Checkout& checkout) { return check_out(processes_, own_, checkout); }
  Result<CheckedOut> run(const Lab& lab, const std::string& commit) {
    return run(request(lab.folder().string(), commit));
  }
  fs::path out() const { return folder_.path() / "out"; }
  std::string text(const std::string& path) const { return read_file(out() / path).value_or("(absent)"); }
  std::string git_out(std::vector<std::string> arguments) {
    return Lab::git_in(processes_, out(), std::move(arguments));
  }
  std::string log() const { return read_file(folder_.path() / "fetch.err").value_or(""); }

  TemporaryFolder folder_;
  Supervisor processes_;
  Variables own_ = {{"HOME", folder_.path().string()}, {"PATH", "/usr/bin:/bin"}};
};

}  // namespace mpsgate
