#pragma once
#include "process/process.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mpsgate {

struct Interpreter {
  std::filesystem::path path;
  std::string version;       ///< "3.11.7"
  std::string architecture;  ///< platform.machine(): "arm64", "x86_64"
  std::string platform;      ///< sysconfig.get_platform(): "macosx-14.0-arm64"
  std::string tag;           ///< "cp311"
  std::string pip;           ///< version of the pip beside it; empty: it has none
  std::string pip_folder;    ///< of that pip's package
  /// On a Mac an x86_64 interpreter runs under Rosetta and never has mps.
  bool mac_without_mps() const { return platform.starts_with("macosx") && architecture != "arm64"; }
};

/// Places where a Python of `wanted` ("3.11", "3.11.7", "" for the machine's own) may lie, most likely first.
/// pyenv's shims are not among them: each stands for the interpreter that it would choose outside of any
/// project.
std::vector<std::filesystem::path> python_candidates(const std::string& wanted, const Variables& own);
/// Whether a version is one of `wanted`: "3.11.7" is a "3.11"; "" wants 3.9 at least.
bool satisfies(const std::string& version, const std::string& wanted);
/// Asks the candidates in turn; nothing when none is of that version. One without mps only where there is no
/// other.
std::optional<Interpreter> find_interpreter(ProcessRunner& processes, const std::string& wanted,
                                            const Variables& own);
/// The command that installs such a Python here.
std::string installation_advice(const std::string& wanted);

}  // namespace mpsgate
