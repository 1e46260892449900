#pragma once
#include "environment/environment.h"
#include "environment/index.h"
#include "environment/interpreter.h"
#include "environment/pip.h"
#include "environment/requirements.h"
#include "environment/torch_pin.h"

#include <memory>
#include <string>
#include <vector>

namespace mpsgate {

/// What one build works from.
struct BuildPlan {
  Interpreter interpreter;
  std::vector<Requirement>
      requirements;  ///< the lab's and the protocol's; later those of the lab's own packages too
  std::vector<Rewrite> rewrites;
  std::vector<std::string> unused_drops;
  bool own_index = false;  ///< see WantedPackages
  TorchPin torch;
  bool linux_cpu_build = false;
  std::string install;           ///< folder of the lab's own package; empty: none
  std::filesystem::path folder;  ///< the environment's final place

  /// Whether folders of the checkout are installed.
  bool local_packages() const;
  bool empty() const { return requirements.empty() && install.empty(); }
};

/// Builds an environment: the lab's own packages first, offline; then pip downloads what they and the
/// requirements need, with the machine's settings; then it installs offline from what was downloaded, with no
/// settings, credentials or proxies in sight of the code that a source build runs.
class Builder {
 public:
  Builder(ProcessRunner& processes, const EnvironmentRequest& request, BuildPlan& plan);
  /// Findings: why not, or (complete) what a Mac would lack.
  std::vector<Finding> build();
  /// Whether the folder holds the whole environment but for its marker.
  bool complete() const { return complete_; }
  /// Scratch space of this build, removed on success.
  const std::filesystem::path& scratch() const { return scratch_; }
  /// "pip 23.2.1"; empty where nothing was installed.
  std::string installer() const { return pip_.version.empty() ? "" : "pip " + pip_.version; }
  std::string index() const { return index_ ? index_->settings().text() : ""; }

 private:
  using Findings = std::vector<Finding>;
  struct Outcome {
    ProcessResult process;
    std::string text;  ///< both streams
    std::string log;   ///< "download": of environment.download.out and .err
  };
  Outcome run(const std::vector<std::string>& argv, const Variables& variables, const std::string& log);
  /// One of the embedded scripts, isolated and offline.
  Outcome run_script(std::string_view script, const std::vector<std::string>& arguments,
                     const std::string& log);
  void say(const std::string& line) const;

  Findings make_folders();
  Findings find_installer();
  Findings build_own_packages();
  Findings download_all();
  Findings download_build_requirements(const std::vector<std::string>& sources);
  Findings install_all();
  Findings check_torch();

  /// Downloads wheels; source archives of those packages only that have no wheel.
  Outcome download_requirements();
  /// Runs pip offline, and again with what it missed for a build as long as that changes.
  Findings build_offline(const std::vector<std::string>& argv, const std::string& log);
  Outcome download_into(const std::filesystem::path& folder, std::vector<std::string> arguments,
                        const std::string& log);
  Finding explain(const Outcome& outcome) const;
  Findings disk_trouble(const Error& error) const;

  ProcessRunner& processes_;
  const EnvironmentRequest& request_;
  BuildPlan& plan_;
  double deadline_;
  std::filesystem::path scratch_, wheels_, build_wheels_, own_wheels_;
  Variables online_, offline_;
  Pip pip_;
  std::unique_ptr<PackageIndex> index_;
  bool complete_ = false;
};

}  // namespace mpsgate
