#include "environment/requirements.h"

#include "base/files.h"
#include "base/text.h"

namespace mpsgate {
namespace {

constexpr int kDeepest = 8;
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

/// A comment begins at the start of a line or after white space.
std::string without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return std::string(trim(line.substr(0, at)));
  }
  return std::string(trim(line));
}

Result<void> read_into(const fs::path& checkout, const std::string& file, int depth,
                       std::vector<Requirement>& found) {
  if (depth > kDeepest)
    return fail("environment.file-deep", "requirements files include one another too deeply", "",
                {file, 0, 0});
  MPSGATE_ASSIGN(const fs::path path, path_inside(checkout, checkout, file));
  const auto text = read_file(path, 1 << 20);
  if (!text)
    return fail("environment.file-missing", "the commit has no readable file " + file,
                "correct environment.files in the protocol");
  const auto lines = lines_of(*text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Place place{file, static_cast<int>(i) + 1, 0};
    std::string line = lines[i];
    while (!line.empty() && line.back() == '\\' && i + 1 < lines.size())
      line = line.substr(0, line.size() - 1) + lines[++i];
    line = without_comment(line);
    if (line.empty()) continue;
    for (const char* option : {"-r", "--requirement", "-c", "--constraint"}) {
      const std::string_view rest =
          std::string_view(line).substr(std::min(line.size(), std::string_view(option).size()));
      if (!line.starts_with(option) || rest.empty() ||
          (rest[0] != ' ' && rest[0] != '=' && std::string_view(option).size() > 2))
        continue;
      const std::string target(trim(rest[0] == '=' ? rest.substr(1) : rest));
      const std::string inner = (fs::path(file).parent_path() / target).lexically_normal().generic_string();
      MPSGATE_TRY(read_into(checkout, inner, depth + 1, found));
      line.clear();
      break;
    }
    if (!line.empty()) found.push_back(parse_requirement(line, place));
  }
  return {};
}

}  // namespace

std::string normalised_name(std::string_view name) {
  std::string text;
  for (const char c : lowercase(name)) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (!separator) {
      text += c;
    } else if (text.empty() || text.back() != '-') {
      text += '-';
    }
  }
  return text;
}

Requirement parse_requirement(std::string_view given, const Place& place) {
  Requirement requirement;
  std::string_view text = trim(given);
  // Hashes would refuse the CPU build of a pinned torch, and pip checks versions without them.
  if (const auto hash = text.find(" --hash"); hash != std::string_view::npos)
    text = trim(text.substr(0, hash));
  requirement.text = std::string(text);
  requirement.place = place;
  const auto end = std::min(text.find_first_not_of(kNameCharacters), text.size());
  const bool is_path = text.starts_with("-") || text.starts_with(".") || text.starts_with("/") ||
                       (text.find("://") < text.find(';') && text.find('@') == std::string_view::npos);
  if (is_path || end == 0) return requirement;
  std::string_view rest = trim(text.substr(end));
  if (rest.starts_with("/") || rest.starts_with(":")) return requirement;
  requirement.name = normalised_name(text.substr(0, end));
  if (rest.starts_with("[")) rest = trim(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
  if (const auto semicolon = rest.find(';'); semicolon != std::string_view::npos) {
    requirement.marker = std::string(trim(rest.substr(semicolon + 1)));
    rest = trim(rest.substr(0, semicolon));
  }
  if (rest.starts_with("==") && rest.find(',') == std::string_view::npos &&
      rest.find('*') == std::string_view::npos) {
    requirement.pinned = std::string(trim(rest.substr(rest.starts_with("===") ? 3 : 2)));
  }
  return requirement;
}

Result<std::vector<Requirement>> read_requirements(const fs::path& checkout, const std::string& file) {
  std::vector<Requirement> found;
  MPSGATE_TRY(read_into(checkout, file, 0, found));
  return found;
}

Result<WantedPackages> wanted_packages(const Protocol::Environment& environment, const fs::path& checkout) {
  WantedPackages wanted;
  std::vector<Requirement> given;
  for (const auto& file : environment.files) {
    MPSGATE_ASSIGN(const auto lines, read_requirements(checkout, file));
    given.insert(given.end(), lines.begin(), lines.end());
  }
  for (const auto& requirement : given) {
    // An index that the lab names is another machine's choice: the machine's own settings decide.
    if (requirement.text.starts_with("--") || requirement.text.starts_with("-i ") ||
        requirement.text.starts_with("-f ")) {
      wanted.rewrites.push_back(
          {requirement.text, "",
           "options of a requirements file are not taken: the machine's own index settings hold"});
      continue;
    }
    if (const auto dropped = environment.drop.find(requirement.name); dropped != environment.drop.end()) {
      wanted.rewrites.push_back({requirement.text, "", dropped->second});
      continue;
    }
    if (const auto replaced = environment.replace.find(requirement.name);
        replaced != environment.replace.end()) {
      wanted.rewrites.push_back({requirement.text, replaced->second.with, replaced->second.because});
      wanted.requirements.push_back(parse_requirement(replaced->second.with, requirement.place));
      continue;
    }
    wanted.requirements.push_back(requirement);
  }
  for (const auto& package : environment.packages)
    wanted.requirements.push_back(parse_requirement(package, {}));
  return wanted;
}

}  // namespace mpsgate
