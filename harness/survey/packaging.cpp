#include "survey/packaging.h"

#include "base/files.h"
#include "base/pattern.h"
#include "base/text.h"
#include "environment/version.h"
#include "survey/python_source.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLargestFile = 512 << 10;
constexpr std::size_t kMostScripts = 50;
constexpr int kOldestPython = 9, kNewestPython = 20;

Pattern pattern(const std::string& text) {
  return *Pattern::compile(text);
}

/// One value of an INI or TOML file.
struct Entry {
  std::string section, key, value;  ///< value as written, over all of its lines
  int line = 0;
};

std::vector<Entry> toml_entries(const PythonSource& source) {
  std::vector<Entry> entries;
  const std::string& code = source.code();
  std::string section;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = std::min(code.find('\n', at), code.size());
    const std::string_view line = trim(std::string_view(code).substr(at, end - at));
    const auto sign = code.find('=', at);
    if (line.starts_with('[')) {
      const std::string_view text = trim(std::string_view(source.text()).substr(at, end - at));
      section = replace_all(std::string(text.substr(0, text.find(']'))), "[", "");
    } else if (sign < end) {
      const auto value = code.find_first_not_of(" \t", sign + 1);
      if (value < code.size() && (code[value] == '[' || code[value] == '{'))
        end = std::max(end, source.behind_bracket(value));
      const std::string key =
          replace_all(std::string(trim(std::string_view(source.text()).substr(at, sign - at))), "\"", "");
      entries.push_back({section, key, source.text().substr(sign + 1, end - sign - 1), source.line_of(at)});
    }
    at = end + 1;
  }
  return entries;
}

std::vector<Entry> ini_entries(const std::string& text) {
  std::vector<Entry> entries;
  std::string section;
  int number = 0;
  for (const auto& line : lines_of(text)) {
    ++number;
    const std::string_view shown = trim(line);
    if (shown.empty() || shown[0] == '#' || shown[0] == ';') continue;
    const bool continued = line[0] == ' ' || line[0] == '\t';
    if (continued && !entries.empty()) {
      entries.back().value += "\n" + std::string(shown);
    } else if (shown.starts_with('[')) {
      section = std::string(shown.substr(1, shown.find(']') - 1));
    } else if (const auto sign = shown.find('='); sign != std::string_view::npos) {
      entries.push_back(
          {section, std::string(trim(shown.substr(0, sign))), std::string(shown.substr(sign + 1)), number});
    }
  }
  return entries;
}

/// Whether a requirements file says by its name that it is for another purpose than running the code.
bool is_for_developers(const std::string& file) {
  static const Pattern words =
      pattern("(?:^|[^a-z])(dev|develop|development|tests?|testing|docs?|lint|build|ci)(?:[^a-z]|$)");
  return words.first_match(lowercase(file)).has_value();
}

class PackagingReader {
 public:
  PackagingReader(const fs::path& folder, const std::set<std::string>& files)
      : folder_(folder), files_(files) {}

  Packaging read() {
    find_files();
    read_pyproject();
    read_setup_cfg();
    read_setup_py();
    if (const auto text = file_text(".python-version"))
      take_python(std::string(trim(text->substr(0, text->find('\n')))), {".python-version", 1, 0}, true);
    return std::move(found_);
  }

 private:
  std::optional<std::string> file_text(const std::string& file) const {
    if (!files_.contains(file)) return std::nullopt;
    auto text = read_file(folder_ / file, kLargestFile);
    if (!text) return std::nullopt;
    return to_utf8(*text);
  }

  void find_files() {
    static const Pattern conda = pattern("^((?:environment|conda|env)[A-Za-z0-9_-]*\\.ya?ml)$");
    for (const auto& file : files_) {
      const fs::path path(file);
      const std::string name = path.filename().string();
      if (std::distance(path.begin(), path.end()) > 2) continue;
      if (lowercase(name).starts_with("requirements") && name.ends_with(".txt"))
        found_.requirement_files.push_back(file);
      if (conda.first_match(name)) found_.conda_files.push_back(file);
    }
    std::stable_sort(found_.requirement_files.begin(), found_.requirement_files.end(),
                     [](const std::string& a, const std::string& b) { return order(a) < order(b); });
    if (found_.requirement_files.empty() || is_for_developers(found_.requirement_files.front())) return;
    const auto read = read_requirements(folder_, found_.requirement_files.front());
    if (read) {
      found_.requirements = *read;
    } else {
      found_.unreadable = read.error().text();
    }
  }

  /// The file to take stands first: the plain one at the top.
  static std::tuple<bool, bool, bool> order(const std::string& file) {
    return {is_for_developers(file), file.find('/') != std::string::npos,
            fs::path(file).filename() != "requirements.txt"};
  }

  void take_python(const std::string& text, const Place& place, bool certain = false) {
    if (text.empty() || (!certain && !found_.python.empty())) return;
    found_.python = text;
    found_.python_place = place;
  }

  void take_requirement(const std::string& text, const Place& place) {
    const std::string line(trim(text));
    if (!line.empty() && line.size() < 300) found_.requirements.push_back(parse_requirement(line, place));
  }

  void take_script(const std::string& name, const std::string& target, const Place& place) {
    static const Pattern plain = pattern("^([A-Za-z0-9_.-]{1,60})$"),
                         module = pattern("^([A-Za-z0-9_.]{1,200})$");
    const std::string wanted(trim(name));
    const auto colon = target.find(':');
    const std::string from(trim(target.substr(0, colon)));
    if (!plain.first_match(wanted) || wanted[0] == '-' || !module.first_match(from) ||
        colon == std::string::npos)
      return;
    if (found_.scripts.size() < kMostScripts)
      found_.scripts.push_back({wanted, from, std::string(trim(target.substr(colon + 1))), place});
  }

  void read_pyproject() {
    const std::string file = "pyproject.toml";
    const auto text = file_text(file);
    if (!text) return;
    for (const auto& entry : toml_entries(PythonSource(*text))) {
      const Place place{file, entry.line, 0};
      const auto texts = strings_in(entry.value);
      const std::string first = texts.empty() ? "" : texts.front();
      const bool poetry = entry.section == "tool.poetry.dependencies";
      if (entry.section == "project" || entry.section == "tool.poetry" || entry.section == "build-system")
        found_.package = file;
      if (entry.section == "project" && entry.key == "requires-python") take_python(first, place);
      if (entry.section == "project" && entry.key == "dependencies") {
        for (const auto& requirement : texts)
          take_requirement(requirement, place);
      }
      if (poetry && entry.key == "python") take_python(first, place);
      if (poetry && entry.key != "python") {
        const bool exact =
            !first.empty() &&
            first.find_first_not_of("0123456789.+abcdefghijklmnopqrstuvwxyz") == std::string::npos;
        take_requirement(entry.key + (exact ? "==" + first : ""), place);
      }
      if (entry.section == "project" && entry.key.starts_with("scripts."))
        take_script(entry.key.substr(8), first, place);
      if (entry.section == "project.scripts" || entry.section == "tool.poetry.scripts")
        take_script(entry.key, first, place);
    }
  }

  void read_setup_cfg() {
    const std::string file = "setup.cfg";
    const auto text = file_text(file);
    if (!text) return;
    for (const auto& entry : ini_entries(*text)) {
      const Place place{file, entry.line, 0};
      if (entry.section == "metadata" && entry.key == "name" && found_.package.empty()) found_.package = file;
      if (entry.section == "options" && entry.key == "python_requires")
        take_python(std::string(trim(entry.value)), place);
      if (entry.section == "options" && entry.key == "install_requires") {
        for (const auto& line : lines_of(entry.value))
          take_requirement(line, place);
      }
      if (entry.section == "options.entry_points" && entry.key == "console_scripts")
        take_scripts(lines_of(entry.value), place);
    }
  }

  void take_scripts(const std::vector<std::string>& lines, const Place& place) {
    for (const auto& line : lines) {
      if (const auto sign = line.find('='); sign != std::string::npos)
        take_script(line.substr(0, sign), line.substr(sign + 1), place);
    }
  }

  void read_setup_py() {
    const std::string file = "setup.py";
    const auto text = file_text(file);
    if (!text) return;
    if (found_.package.empty()) found_.package = file;
    const PythonSource source(*text);
    for (const auto& call : source.calls("setup", 3)) {
      const Place place{file, call.line, 0};
      if (const auto python = call.named.find("python_requires"); python != call.named.end())
        take_python(value_of(source, python->second), place);
      if (const auto wanted = call.named.find("install_requires"); wanted != call.named.end()) {
        for (const auto& requirement : strings_in(wanted->second))
          take_requirement(requirement, place);
      }
    }
    if (text->find("console_scripts") != std::string::npos) {
      for (const auto& string : source.strings()) {
        if (string.text.find(':') != std::string::npos)
          take_scripts(lines_of(string.text), {file, source.line_of(string.begin), 0});
      }
    }
    if (const auto at = source.code().find("CUDAExtension("); at != std::string::npos)
      found_.extension = {file, source.line_of(at), 0};
  }

  /// A literal, or that of the variable which stands there.
  static std::string value_of(const PythonSource& source, const std::string& argument) {
    if (const auto literal = string_literal(argument)) return *literal;
    static const Pattern variable = pattern("^([A-Za-z_][A-Za-z0-9_]*)$");
    if (!variable.first_match(argument)) return {};
    const auto assigned =
        pattern("(?m)^" + argument + "\\s*=\\s*[\"']([^\"'\\n]*)[\"']").first_match(source.text());
    return assigned ? assigned->group : std::string();
  }

  const fs::path& folder_;
  const std::set<std::string>& files_;
  Packaging found_;
};

}  // namespace

Packaging read_packaging(const fs::path& folder, const std::set<std::string>& files) {
  return PackagingReader(folder, files).read();
}

std::string pinned_python(const std::string& text) {
  static const Pattern exact = pattern("^(?:==|~)?\\s*v?(3\\.[0-9]{1,2})(?:\\.(?:[0-9]{1,3}|\\*))?$");
  if (const auto match = exact.first_match(std::string(trim(text)))) return match->group;
  if (allows(text, "3.99")) return {};
  for (int minor = kNewestPython; minor >= kOldestPython; --minor) {
    const std::string version = "3." + std::to_string(minor);
    if (allows(text, version) || allows(text, version + ".5")) return version;
  }
  return {};
}

}  // namespace mpsgate
