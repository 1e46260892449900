#include "environment/requirements.h"

#include "base/files.h"
#include "base/text.h"
#include "process/variables.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLargestFile = 1 << 20;
constexpr std::size_t kMostRequirements = 5000;
constexpr int kDeepest = 16;
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

/// A comment begins at the start of a line or after white space.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return trim(line.substr(0, at));
  }
  return trim(line);
}

/// The value of `-r VALUE`, `-rVALUE`, `--requirement VALUE`, `--requirement=VALUE`; nothing when the line is
/// another.
std::optional<std::string> option_value(std::string_view line, std::string_view short_name,
                                        std::string_view long_name) {
  if (line.starts_with(long_name)) {
    const auto rest = line.substr(long_name.size());
    if (!rest.empty() && (rest[0] == '=' || rest[0] == ' ' || rest[0] == '\t'))
      return std::string(trim(rest.substr(1)));
  }
  if (line.starts_with(short_name) && !line.starts_with("--"))
    return std::string(trim(line.substr(short_name.size())));
  return std::nullopt;
}

/// A path within the checkout, as seen from `folder`.
std::string joined(const std::string& folder, const std::string& path) {
  return (fs::path(folder) / path).lexically_normal().generic_string();
}

class FileReader {
 public:
  explicit FileReader(const fs::path& checkout) : checkout_(checkout) {}

  Result<void> read(const std::string& file, bool constraint, const Place& from, int depth) {
    const std::string ending = fs::path(file).extension().string();
    for (const char* other : {".toml", ".cfg", ".py", ".yml", ".yaml", ".lock", ".json"}) {
      if (ending == other)
        return fail(
            "environment.file-invalid", one_line(file) + " is no requirements file",
            "for a package of the lab's own say install: . and name what else it needs under packages", from);
    }
    if (!seen_.insert({file, constraint}).second) return {};
    if (depth > kDeepest)
      return fail("environment.file-invalid", "requirements files include one another too deeply",
                  "name the innermost file in environment.files", from);
    const auto path = path_inside(checkout_, checkout_, file);
    const auto text =
        path ? read_file(*path, kLargestFile) : Result<std::string>(tl::unexpected(path.error()));
    if (!text) {
      if (text.error().code == "file.too-large")
        return fail("environment.file-invalid", one_line(file) + " is too large for a requirements file",
                    "correct environment.files in the protocol", from);
      return fail("environment.file-missing", "the commit has no readable file " + one_line(file),
                  "correct environment.files in the protocol", from);
    }
    return lines(file, *text, constraint, depth);
  }
  std::vector<Requirement> take() { return std::move(found_); }

 private:
  Result<void> lines(const std::string& file, const std::string& text, bool constraint, int depth) {
    std::string_view rest = text;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    const auto lines = lines_of(to_utf8(rest));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Place place{file, static_cast<int>(i) + 1, 0};
      std::string line = lines[i];
      while (line.ends_with("\\") && i + 1 < lines.size()) {
        line.pop_back();
        line += lines[++i];
      }
      while (line.ends_with("\\"))
        line.pop_back();
      line = without_comment(replace_all(line, "\t", " "));
      if (line.empty()) continue;
      const std::string folder = fs::path(file).parent_path().generic_string();
      if (const auto inner = option_value(line, "-r", "--requirement")) {
        MPSGATE_TRY(read(joined(folder, *inner), constraint, place, depth + 1));
      } else if (const auto held = option_value(line, "-c", "--constraint")) {
        MPSGATE_TRY(read(joined(folder, *held), true, place, depth + 1));
      } else {
        if (found_.size() >= kMostRequirements)
          return fail("environment.file-invalid", "the requirements files name too many packages",
                      "correct environment.files in the protocol", place);
        found_.push_back(parse_requirement(line, place, folder));
        found_.back().constraint = constraint;
      }
    }
    return {};
  }

  fs::path checkout_;
  std::set<std::pair<std::string, bool>> seen_;
  std::vector<Requirement> found_;
};

/// Where options of a line begin: " --hash=…", " --config-settings=…".
std::string_view without_line_options(std::string_view text, bool& hashed) {
  const auto at = text.find(" --");
  if (at == std::string_view::npos) return text;
  hashed = text.find("--hash", at) != std::string_view::npos;
  return trim(text.substr(0, at));
}

bool names_url(std::string_view text) {
  const auto scheme = text.find("://");
  return scheme != std::string_view::npos && scheme < text.find_first_of(" ;");
}

/// "./ops", "/x", "wheels/foo.whl", "foo.whl": pip takes them for paths.
bool names_path(std::string_view text) {
  const auto head = text.substr(0, text.find_first_of(" ;[@"));
  return head.starts_with(".") || head.starts_with("file:") || head.find('/') != std::string_view::npos ||
         head.ends_with(".whl") || head.ends_with(".tar.gz") || head.ends_with(".zip");
}

void split_marker(std::string_view& rest, Requirement& requirement) {
  const auto semicolon = rest.find(';');
  if (semicolon == std::string_view::npos) return;
  requirement.marker = std::string(trim(rest.substr(semicolon + 1)));
  rest = trim(rest.substr(0, semicolon));
}

void split_extras(std::string_view& rest, Requirement& requirement) {
  if (!rest.starts_with("[")) return;
  const auto close = rest.find(']');
  if (close == std::string_view::npos) return;
  requirement.extras = std::string(trim(rest.substr(1, close - 1)));
  rest = trim(rest.substr(close + 1));
}

void read_local(std::string_view text, const std::string& folder, Requirement& requirement) {
  requirement.kind = Requirement::Kind::local;
  split_marker(text, requirement);
  if (text.starts_with("file:")) text.remove_prefix(5);
  std::string path(text);
  if (const auto bracket = path.find('['); bracket != std::string::npos) {
    std::string_view extras = std::string_view(path).substr(bracket);
    split_extras(extras, requirement);
    path.resize(bracket);
  }
  requirement.path = joined(folder, path);
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

Requirement parse_requirement(std::string_view given, const Place& place, const std::string& folder) {
  Requirement requirement;
  std::string_view text = without_line_options(trim(given), requirement.hashed);
  requirement.place = place;
  requirement.text = std::string(text);
  const auto editable = option_value(text, "-e", "--editable");
  if (editable && !names_url(*editable)) {
    read_local(*editable, folder, requirement);
    return requirement;
  }
  if (editable) {
    text = *editable;  // the same source, installed as it would be anywhere else
    requirement.text = *editable;
  } else if (text.starts_with("-")) {
    requirement.kind = Requirement::Kind::option;
    requirement.text = std::string(trim(given));
    return requirement;
  }
  const auto end = std::min(text.find_first_not_of(kNameCharacters), text.size());
  std::string_view rest = trim(text.substr(end));
  split_extras(rest, requirement);
  const bool named_url = end > 0 && rest.starts_with("@");
  if (!named_url && names_url(text)) {
    requirement.kind = Requirement::Kind::url;
    if (const auto egg = text.find("#egg="); egg != std::string_view::npos)
      requirement.name = normalised_name(text.substr(egg + 5, text.find_first_of("&[ ;", egg + 5) - egg - 5));
    return requirement;
  }
  if (!named_url && names_path(text)) {
    requirement.extras.clear();
    read_local(text, folder, requirement);
    return requirement;
  }
  requirement.name = normalised_name(text.substr(0, end));
  if (named_url) {
    requirement.kind = Requirement::Kind::url;
    return requirement;
  }
  split_marker(rest, requirement);
  if (rest.starts_with("(") && rest.ends_with(")")) rest = trim(rest.substr(1, rest.size() - 2));
  if (rest.starts_with("==") && rest.find_first_of(",*") == std::string_view::npos)
    requirement.pinned = std::string(trim(rest.substr(rest.starts_with("===") ? 3 : 2)));
  return requirement;
}

Result<std::vector<Requirement>> read_requirements(const fs::path& checkout, const std::string& file) {
  FileReader reader(checkout);
  MPSGATE_TRY(reader.read(fs::path(file).lexically_normal().generic_string(), false, {}, 0));
  return reader.take();
}

void take_with_changes(const std::vector<Requirement>& given, const Protocol::Environment& environment,
                       WantedPackages& wanted) {
  for (const auto& requirement : given) {
    if (requirement.kind == Requirement::Kind::option) {
      const bool prerelease = requirement.text == "--pre";
      wanted.own_index = wanted.own_index || requirement.text.find("index") != std::string::npos ||
                         requirement.text.starts_with("-i") || requirement.text.starts_with("-f") ||
                         requirement.text.starts_with("--find-links");
      if (prerelease) {
        wanted.requirements.push_back(requirement);
      } else {
        wanted.rewrites.push_back(
            {hide_credentials(requirement.text), "", "an option for pip: this machine's own settings hold"});
      }
      continue;
    }
    if (const auto dropped = environment.drop.find(requirement.name);
        dropped != environment.drop.end() && !requirement.name.empty()) {
      std::erase(wanted.unused, requirement.name);
      wanted.rewrites.push_back({hide_credentials(requirement.text), "", dropped->second});
      continue;
    }
    if (const auto replaced = environment.replace.find(requirement.name);
        replaced != environment.replace.end() && !requirement.name.empty()) {
      wanted.rewrites.push_back(
          {hide_credentials(requirement.text), replaced->second.with, replaced->second.because});
      continue;  // taken once, in wanted_packages
    }
    wanted.requirements.push_back(requirement);
  }
}

Result<WantedPackages> wanted_packages(const Protocol::Environment& environment, const fs::path& checkout) {
  WantedPackages wanted;
  for (const auto& [name, because] : environment.drop)
    wanted.unused.push_back(name);
  std::vector<Requirement> given;
  for (const auto& file : environment.files) {
    MPSGATE_ASSIGN(const auto lines, read_requirements(checkout, file));
    given.insert(given.end(), lines.begin(), lines.end());
  }
  take_with_changes(given, environment, wanted);
  for (const auto& entry : environment.replace) {
    const std::string& name = entry.first;
    const auto& replacement = entry.second;
    // Also where only another package asks for it: then it is held from here.
    const bool named =
        std::any_of(given.begin(), given.end(), [&](const auto& line) { return line.name == name; });
    if (!named)
      wanted.rewrites.push_back(
          {name + " (where a package asks for it)", replacement.with, replacement.because});
    wanted.requirements.push_back(parse_requirement(replacement.with, {}));
    wanted.requirements.back().of_lab = false;
  }
  for (const auto& package : environment.packages) {
    wanted.requirements.push_back(parse_requirement(package, {}));
    wanted.requirements.back().of_lab = false;
  }
  const auto hashed = std::count_if(given.begin(), given.end(), [](const auto& line) { return line.hashed; });
  if (hashed > 0)
    wanted.rewrites.push_back(
        {std::to_string(hashed) + (hashed == 1 ? " requirement" : " requirements") + " with hashes",
         "the same without hashes",
         "hashes name the files of one platform, and pip refuses to mix them with changed pins"});
  return wanted;
}

}  // namespace mpsgate
