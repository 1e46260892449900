#include "environment/pip.h"

#include "base/text.h"
#include "process/variables.h"

#include <cstdlib>

namespace mpsgate {
namespace {

void add_manners(Variables& variables) {
  variables["PIP_NO_INPUT"] = "1";
  variables["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  variables["PIP_PROGRESS_BAR"] = "off";
  variables["PIP_NO_COLOR"] = "1";
  variables["PIP_REQUIRE_VIRTUALENV"] = "0";
}

/// `pip --python` came with 22.3.
bool knows_python_option(const std::string& version) {
  const auto parts = split(version, '.');
  const int major = std::atoi(parts[0].c_str());
  const int minor = parts.size() > 1 ? std::atoi(parts[1].c_str()) : 0;
  return major > 22 || (major == 22 && minor >= 3);
}

void add_links(const std::vector<std::filesystem::path>& links, std::vector<std::string>& argv) {
  argv.emplace_back("--no-index");
  for (const auto& link : links)
    argv.insert(argv.end(), {"--find-links", link.string()});
}

}  // namespace

Variables download_variables(const Variables& own, const std::filesystem::path& home) {
  Variables variables = installer_variables(own, home);
  // git, for requirements that name a repository, may lie anywhere.
  if (const auto path = own.find("PATH"); path != own.end()) variables["PATH"] = path->second;
  for (const char* name :
       {"PIP_REQUIRE_HASHES", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_LOG"})
    variables.erase(name);
  add_manners(variables);
  return variables;
}

Variables offline_variables(const Variables& own, const std::filesystem::path& home) {
  Variables variables = lab_variables(own, home);
  variables["PIP_CONFIG_FILE"] = "/dev/null";  // no configuration file at all, pip's documentation says
  variables["PIP_NO_INDEX"] = "1";
  add_manners(variables);
  return variables;
}

std::vector<std::string> Pip::download(const std::filesystem::path& to,
                                       const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv = {python.string(), "-m", "pip", "download", "--dest", to.string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

std::vector<std::string> Pip::install(const std::vector<std::filesystem::path>& links,
                                      const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv;
  if (knows_python_option(version)) {
    argv = {python.string(), "-m", "pip", "--python", target.string(), "install"};
  } else {
    argv = {target.string(), folder, "install", "--ignore-installed"};
  }
  argv.emplace_back("--no-deps");
  add_links(links, argv);
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

std::vector<std::string> Pip::wheel(const std::filesystem::path& to,
                                    const std::vector<std::filesystem::path>& links,
                                    const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv = {python.string(), "-m",          "pip",      "wheel",
                                   "--no-deps",     "--wheel-dir", to.string()};
  add_links(links, argv);
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

}  // namespace mpsgate
