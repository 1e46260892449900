#include "environment/interpreter.h"

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "process/variables.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

namespace mpsgate {
namespace {

// Plain listing of folders: importing importlib.metadata would cost more than all the rest.
constexpr const char* kQuestion =
    "import json, os, platform, sys, sysconfig\n"
    "pip = [name[4:-10] for path in sys.path if os.path.isdir(path) for name in os.listdir(path)"
    " if name.startswith('pip-') and name.endswith('.dist-info')]\n"
    "print(json.dumps({'version': platform.python_version(), 'machine': platform.machine(), 'platform': "
    "sysconfig.get_platform(),"
    " 'tag': 'cp%d%d' % sys.version_info[:2], 'base': sys.base_prefix, 'pip': pip[0] if pip else ''}))\n";

std::string value_of(const Variables& own, const std::string& name) {
  const auto found = own.find(name);
  return found == own.end() ? "" : found->second;
}

/// "3.11" of "3.11.7".
std::string minor_of(const std::string& version) {
  const auto parts = split(version, '.');
  return parts.size() < 2 ? version : parts[0] + "." + parts[1];
}

/// Folders below `root` named VERSION or something-VERSION…, newest first.
void add_versions(std::vector<fs::path>& candidates, const fs::path& root, const std::string& wanted) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    const std::string name = entry.path().filename().string();
    if (wanted.empty() || name.find(wanted) != std::string::npos) names.push_back(name);
  }
  std::sort(names.rbegin(), names.rend());
  for (const auto& name : names)
    candidates.push_back(root / name / "bin" / "python3");
}

}  // namespace

std::vector<fs::path> python_candidates(const std::string& wanted, const Variables& own) {
  std::vector<fs::path> candidates;
  std::vector<std::string> names;
  if (!wanted.empty()) names.push_back("python" + minor_of(wanted));
  names.emplace_back("python3");
  for (const auto& name : names) {
    for (const auto& folder : split(value_of(own, "PATH"), ':')) {
      if (!folder.empty()) candidates.push_back(fs::path(folder) / name);
    }
  }
  const fs::path home = value_of(own, "HOME");
  const std::string pyenv = value_of(own, "PYENV_ROOT");
  add_versions(candidates, (pyenv.empty() ? home / ".pyenv" : fs::path(pyenv)) / "versions", wanted);
  if (!wanted.empty()) {
    for (const char* folder : {"/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"})
      candidates.push_back(fs::path(folder) / names.front());
  }
  add_versions(candidates, home / ".local/share/uv/python", wanted);
  return candidates;
}

bool satisfies(const std::string& version, const std::string& wanted) {
  if (!wanted.empty()) return version == wanted || version.starts_with(wanted + ".");
  const auto parts = split(version, '.');
  return parts.size() >= 2 && parts[0] == "3" && std::atoi(parts[1].c_str()) >= 9;
}

std::optional<Interpreter> find_interpreter(ProcessRunner& processes, const std::string& wanted,
                                            const Variables& own) {
  std::vector<fs::path> asked;
  for (const auto& candidate : python_candidates(wanted, own)) {
    std::error_code error;
    if (::access(candidate.c_str(), X_OK) != 0 || fs::is_directory(candidate, error)) continue;
    const fs::path real = fs::weakly_canonical(candidate, error);
    if (std::find(asked.begin(), asked.end(), real) != asked.end()) continue;
    asked.push_back(real);
    ProcessRequest request;
    request.argv = {candidate.string(), "-I", "-c", kQuestion};
    request.environment = installer_variables(own, fs::temp_directory_path());
    request.environment["PATH"] = value_of(own, "PATH");
    if (const auto root = value_of(own, "PYENV_ROOT"); !root.empty())
      request.environment["PYENV_ROOT"] = root;
    request.limits.wall_seconds = 20;
    const ProcessResult result = processes.run(request);
    if (!result.succeeded()) continue;
    const auto answer = parse_json(result.out.text(), "the interpreter's answer");
    if (!answer || !satisfies(string_at(*answer, "version"), wanted)) continue;
    // A shim (pyenv's) is only a way to the interpreter, and changes with the folder it is called in.
    fs::path path = candidate;
    const fs::path base =
        fs::path(string_at(*answer, "base")) / "bin" / ("python" + minor_of(string_at(*answer, "version")));
    if (candidate.string().find("/shims/") != std::string::npos && fs::exists(base, error)) path = base;
    return Interpreter{path,
                       string_at(*answer, "version"),
                       string_at(*answer, "machine"),
                       string_at(*answer, "platform"),
                       string_at(*answer, "tag"),
                       string_at(*answer, "pip")};
  }
  return std::nullopt;
}

std::string installation_advice(const std::string& wanted) {
  const std::string version = wanted.empty() ? "3.12" : minor_of(wanted);
#ifdef __APPLE__
  return "install it with: brew install python@" + version;
#else
  return "install it with: apt install python" + version + " python" + version +
         "-venv, or where the distribution has no such package: uv python install " + version;
#endif
}

}  // namespace mpsgate
