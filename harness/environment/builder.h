#pragma once
#include "environment/environment.h"
#include "environment/interpreter.h"
#include "environment/pip_log.h"
#include "environment/requirements.h"
#include "environment/torch_pin.h"

#include <string>
#include <vector>

namespace mpsgate {

/// What one build works from.
struct BuildPlan {
  Interpreter interpreter;
  std::vector<Requirement> requirements;
  std::vector<Rewrite> rewrites;
  TorchPin torch;
  bool linux_cpu_build = false;  ///< a rehearsal on Linux
  std::filesystem::path folder;  ///< the environment's final place
};

/// Builds an environment: pip downloads with the machine's settings, then installs offline from what was
/// downloaded, with no settings, credentials or proxies in sight of the code that a source build runs.
class Builder {
 public:
  Builder(ProcessRunner& processes, const EnvironmentRequest& request, BuildPlan& plan);
  /// Findings: why not, or (complete) what a Mac would lack.
  std::vector<Finding> build();
  /// Whether the folder holds the whole environment but for its marker.
  bool complete() const { return complete_; }
  const std::string& installer() const { return installer_; }
  const std::string& index() const { return index_; }

 private:
  struct Outcome {
    ProcessResult process;
    std::string text;  ///< both streams
  };
  Outcome run(const std::vector<std::string>& argv, const Variables& variables, const std::string& log);
  Outcome download(const std::vector<std::string>& arguments, const std::string& log);
  bool find_installer(std::vector<Finding>& findings);
  std::vector<Finding> download_all();
  std::vector<Finding> download_build_requirements();
  std::vector<Finding> install_all();
  std::vector<Finding> check_torch() const;
  std::vector<Finding> predict_mac();
  Finding explain(const Outcome& outcome);
  Finding explain_no_distribution(const PipFailure& failure);
  Variables scrubbed() const;
  std::vector<std::string> archives() const;
  std::optional<std::vector<std::string>> ask_index(const std::string& project, Error& error);

  ProcessRunner& processes_;
  const EnvironmentRequest& request_;
  BuildPlan& plan_;
  Variables settings_;
  std::filesystem::path scratch_, wheels_;
  std::string python_;  ///< an interpreter of the same version that has pip
  std::string installer_, index_;
  double deadline_;
  bool complete_ = false;
};

}  // namespace mpsgate
