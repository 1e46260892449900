#include "environment/interpreter.h"

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "process/variables.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include <unistd.h>

namespace mpsgate {
namespace {

// Plain listing of folders: importing importlib.metadata would cost more than all the rest.
constexpr const char* kQuestion =
    "import json, os, platform, sys, sysconfig\n"
    "pip = [(name[4:-10], os.path.join(path, 'pip')) for path in sys.path if os.path.isdir(path)"
    " for name in os.listdir(path) if name.startswith('pip-') and name.endswith('.dist-info')"
    " and os.path.isdir(os.path.join(path, 'pip'))]\n"
    "print(json.dumps({'version': platform.python_version(), 'machine': platform.machine(), 'platform': "
    "sysconfig.get_platform(),"
    " 'tag': 'cp%d%d' % sys.version_info[:2], 'implementation': platform.python_implementation(),"
    " 'pip': pip[0][0] if pip else '', 'pip_folder': pip[0][1] if pip else ''}))\n";

std::string value_of(const Variables& own, const std::string& name) {
  const auto found = own.find(name);
  return found == own.end() ? "" : found->second;
}

/// "3.11" of "3.11.7".
std::string minor_of(const std::string& version) {
  const auto parts = split(version, '.');
  return parts.size() < 2 ? version : parts[0] + "." + parts[1];
}

/// The version that a folder's name tells: "3.11.7", "cpython-3.11.7-linux-x86_64-gnu".
std::string version_in(const std::string& name) {
  const auto start = name.find_first_of("0123456789");
  if (start == std::string::npos) return {};
  return name.substr(start, name.find_first_not_of("0123456789.", start) - start);
}

std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  for (const auto& part : split(version, '.'))
    numbers.push_back(std::atoi(part.c_str()));
  return numbers;
}

/// Interpreters below `root` whose folder's name tells a version of `wanted`, newest first.
void add_versions(std::vector<fs::path>& candidates, const fs::path& root, const std::string& wanted) {
  std::error_code error;
  std::vector<std::pair<std::vector<int>, std::string>> found;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    const std::string name = entry.path().filename().string();
    if (const std::string version = version_in(name); satisfies(version, wanted))
      found.emplace_back(numbers_of(version), name);
  }
  std::sort(found.rbegin(), found.rend());
  for (const auto& [version, name] : found)
    candidates.push_back(root / name / "bin" / "python3");
}

/// What pyenv's shims stand for: the versions that PYENV_VERSION or the file `version` name, then the others.
void add_pyenv(std::vector<fs::path>& candidates, const fs::path& root, const std::string& wanted,
               const Variables& own) {
  std::string chosen = value_of(own, "PYENV_VERSION");
  if (chosen.empty()) chosen = replace_all(read_file(root / "version", 4096).value_or(""), "\n", ":");
  for (const auto& name : split(chosen, ':')) {
    const std::string version(trim(name));
    if (version.find_first_of("/ ") == std::string::npos && satisfies(version_in(version), wanted))
      candidates.push_back(root / "versions" / version / "bin" / "python3");
  }
  if (!wanted.empty()) add_versions(candidates, root / "versions", wanted);
}

/// macOS's own python3 opens a dialog where the command line tools are not installed.
bool only_offers_to_install(const fs::path& candidate) {
#ifdef __APPLE__
  std::error_code error;
  return candidate == "/usr/bin/python3" &&
         !fs::exists("/Library/Developer/CommandLineTools/usr/bin", error) &&
         !fs::exists("/Applications/Xcode.app", error);
#else
  (void)candidate;
  return false;
#endif
}

}  // namespace

std::vector<fs::path> python_candidates(const std::string& wanted, const Variables& own) {
  std::vector<fs::path> candidates;
  std::vector<std::string> names;
  if (!wanted.empty()) names.push_back("python" + minor_of(wanted));
  names.emplace_back("python3");
  const fs::path home = value_of(own, "HOME");
  const std::string named = value_of(own, "PYENV_ROOT");
  const fs::path pyenv = named.empty() ? home / ".pyenv" : fs::path(named);
  for (const auto& name : names) {
    for (const auto& folder : split(value_of(own, "PATH"), ':')) {
      if (folder.empty()) continue;
      if (fs::path(folder).filename() == "shims") {
        add_pyenv(candidates, fs::path(folder).parent_path(), wanted, own);
      } else {
        candidates.push_back(fs::path(folder) / name);
      }
    }
  }
  add_versions(candidates, pyenv / "versions", wanted);
  for (const char* folder : {"/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"})
    candidates.push_back(fs::path(folder) / names.front());
  add_versions(candidates, home / ".local/share/uv/python", wanted);
  return candidates;
}

bool satisfies(const std::string& version, const std::string& wanted) {
  if (version.empty()) return false;
  if (!wanted.empty()) return version == wanted || version.starts_with(wanted + ".");
  const auto parts = split(version, '.');
  return parts.size() >= 2 && parts[0] == "3" && std::atoi(parts[1].c_str()) >= 9;
}

std::optional<Interpreter> find_interpreter(ProcessRunner& processes, const std::string& wanted,
                                            const Variables& own) {
  std::set<fs::path> asked;
  std::optional<Interpreter> second_choice;
  for (const auto& candidate : python_candidates(wanted, own)) {
    std::error_code error;
    if (::access(candidate.c_str(), X_OK) != 0 || fs::is_directory(candidate, error)) continue;
    if (only_offers_to_install(candidate)) continue;
    if (!asked.insert(fs::weakly_canonical(candidate, error)).second) continue;
    ProcessRequest request;
    request.argv = {candidate.string(), "-I", "-c", kQuestion};
    request.environment = lab_variables(own, fs::temp_directory_path());
    request.limits.wall_seconds = 20;
    const ProcessResult result = processes.run(request);
    if (!result.succeeded()) continue;
    const auto answer = parse_json(result.out.text(), "the interpreter's answer");
    if (!answer || !satisfies(string_at(*answer, "version"), wanted)) continue;
    if (string_at(*answer, "implementation") != "CPython") continue;
    Interpreter found{candidate,
                      string_at(*answer, "version"),
                      string_at(*answer, "machine"),
                      string_at(*answer, "platform"),
                      string_at(*answer, "tag"),
                      string_at(*answer, "pip"),
                      string_at(*answer, "pip_folder")};
    if (!found.mac_without_mps()) return found;
    if (!second_choice) second_choice = std::move(found);
  }
  return second_choice;
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
