#pragma once
#include "base/json.h"
#include "base/result.h"
#include "process/process.h"
#include "protocol/protocol.h"
#include "record/finding.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpsgate {

struct EnvironmentRequest {
  const Protocol::Environment* wanted = nullptr;
  std::filesystem::path checkout;  ///< the pristine source; never written to
  std::string tree;                ///< its tree id; part of the key where the lab's own package is installed
  std::filesystem::path cache;     ///< environments, downloads and locks lie below it
  bool fresh = false;              ///< build again though one is there
  bool cuda = false;               ///< takes torch as the lab pins it, with CUDA, instead of its CPU build
  Variables own;                   ///< the harness's environment
  std::filesystem::path logs;      ///< folder for environment.*.out/err
  double seconds = 3600;           ///< for all of it, waiting for another build included
  std::filesystem::path fetch_worker;  ///< mpsgate-fetch; empty: beside the running executable
  std::function<void(const std::string&)>
      say;  ///< one line on what is being done, before anything slow or large
};

struct Package {
  std::string name, version;
  std::string wheel_tag;  ///< "cp311-cp311-macosx_14_0_arm64"; empty where not recorded
};

/// One change that was made to what the lab asked for; every report repeats them.
struct Rewrite {
  std::string from, to;  ///< to is empty where dropped
  std::string because;
};

struct BuiltEnvironment {
  std::string state;  ///< environment_state() when it was built; checked when it is used again
  std::filesystem::path folder;
  std::filesystem::path python;  ///< the environment's interpreter
  std::string key;               ///< content key
  bool reused = false;
  std::string python_version;     ///< "3.11.7"
  std::string architecture;       ///< of the interpreter
  std::string installer;          ///< "pip 25.0"
  std::string index;              ///< credentials hidden
  std::vector<Package> packages;  ///< sorted by name, read from dist-info
  std::vector<Rewrite> rewrites;
  Json to_json() const;  ///< environment.json
};

/// Either an environment, or findings that say why not (environment.*).
struct EnvironmentOutcome {
  std::optional<BuiltEnvironment> environment;
  std::vector<Finding> findings;
};

/// Finds or builds the environment. Two processes that want the same key at once: one builds, the other
/// waits. On Linux a torch pin is always taken in its CPU build. A fresh build never touches the one that it
/// replaces, which another run may be using.
EnvironmentOutcome provide_environment(ProcessRunner& processes, const EnvironmentRequest& request);
/// Hash of the files that are installed in an environment's folder now (names, sizes, times; without
/// __pycache__); empty when the folder or its marker is gone. Starts no process.
std::string environment_state(const std::filesystem::path& folder);
std::span<const FindingRow> environment_findings();
std::span<const CriterionRow> environment_criteria();

}  // namespace mpsgate
