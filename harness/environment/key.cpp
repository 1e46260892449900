#include "environment/key.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "process/variables.h"

namespace mpsgate {
namespace {

constexpr int kFormat = 2;  ///< of an environment's folder

std::string value_of(const Variables& own, const std::string& name) {
  const auto found = own.find(name);
  return found == own.end() ? "" : found->second;
}

/// Files named by "constraint = a b" in a configuration file, or by PIP_CONSTRAINT.
void add_constraint_files(const std::string& value, std::vector<fs::path>& to) {
  for (const auto& word : split(replace_all(value, "\n", " "), ' ')) {
    if (!trim(word).empty()) to.emplace_back(std::string(trim(word)));
  }
}

std::vector<fs::path> constraint_files(const std::string& configuration) {
  std::vector<fs::path> files;
  for (const auto& line : lines_of(configuration)) {
    const auto equals = line.find('=');
    if (equals != std::string::npos && trim(std::string_view(line).substr(0, equals)) == "constraint")
      add_constraint_files(line.substr(equals + 1), files);
  }
  return files;
}

}  // namespace

std::vector<fs::path> pip_configuration_files(const Variables& own, const fs::path& interpreter) {
  const fs::path home = value_of(own, "HOME");
  const fs::path named = value_of(own, "PIP_CONFIG_FILE");
  if (named == "/dev/null") return {};
  std::vector<fs::path> candidates;
  const std::string shared = value_of(own, "XDG_CONFIG_DIRS");
  for (const auto& folder : split(shared.empty() ? "/etc/xdg" : shared, ':')) {
    if (!folder.empty()) candidates.push_back(fs::path(folder) / "pip" / "pip.conf");
  }
  candidates.emplace_back("/etc/pip.conf");
#ifdef __APPLE__
  candidates.emplace_back("/Library/Application Support/pip/pip.conf");
  candidates.push_back(home / "Library/Application Support/pip/pip.conf");
#endif
  const fs::path config = value_of(own, "XDG_CONFIG_HOME");
  candidates.push_back(home / ".pip" / "pip.conf");
  candidates.push_back((config.empty() ? home / ".config" : config) / "pip" / "pip.conf");
  candidates.push_back(interpreter.parent_path().parent_path() / "pip.conf");
  if (!named.empty()) candidates.push_back(named);
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& candidate : candidates) {
    if (candidate.is_absolute() && fs::is_regular_file(candidate, error)) files.push_back(candidate);
  }
  return files;
}

std::string content_key(const EnvironmentRequest& request, const BuildPlan& plan) {
  const Interpreter& python = plan.interpreter;
  Json key = {{"format", kFormat},
              {"python", {python.path.string(), python.version, python.architecture, python.platform}},
              {"pip", python.pip},
              {"requirements", Json::array()},
              {"constraints", plan.torch.constraints},
              {"rewrites", Json::array()},
              {"pip variables", Json::object()},
              {"pip files", Json::array()}};
  for (const auto& requirement : plan.requirements)
    key["requirements"].push_back({requirement.constraint, requirement.text});
  for (const auto& rewrite : plan.rewrites)
    key["rewrites"].push_back({rewrite.from, rewrite.to});
  std::vector<fs::path> constraints;
  for (const auto& [name, value] : request.own) {
    if (!name.starts_with("PIP_") || name == "PIP_CACHE_DIR") continue;
    key["pip variables"][name] = hide_credentials(value);
    if (name == "PIP_CONSTRAINT") add_constraint_files(value, constraints);
  }
  const auto add_file = [&](const fs::path& file) {
    const auto text = read_file(file, 1 << 20);
    const std::string safe = text ? hide_credentials(*text) : "";
    key["pip files"].push_back({file.string(), sha256_of(safe)});
    return safe;
  };
  for (const auto& file : pip_configuration_files(request.own, python.path)) {
    const auto more = constraint_files(add_file(file));
    constraints.insert(constraints.end(), more.begin(), more.end());
  }
  for (const auto& file : constraints)
    add_file(file);
  if (plan.local_packages()) key["tree"] = {request.tree, request.wanted->install};
  return sha256_of(dump_json(key)).substr(0, 32);
}

}  // namespace mpsgate
