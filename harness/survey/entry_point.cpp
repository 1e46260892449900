#include "survey/entry_point.h"

#include "base/files.h"
#include "base/text.h"
#include "survey/yaml_text.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace mpsgate {
namespace {

constexpr std::size_t kLongestName = 40;
constexpr std::size_t kMostReached = 30;

/// What a script does, as far as its name tells: the rank by which entry points are ordered.
enum class Purpose { infers, shows, other, trains, serves, tests };

struct Verb {
  const char* word;
  Purpose purpose;
};
constexpr Verb kVerbs[] = {
    {"predict", Purpose::infers},    {"infer", Purpose::infers},     {"transcribe", Purpose::infers},
    {"separate", Purpose::infers},   {"segment", Purpose::infers},   {"classify", Purpose::infers},
    {"detect", Purpose::infers},     {"translate", Purpose::infers}, {"enhance", Purpose::infers},
    {"denoise", Purpose::infers},    {"synthesi", Purpose::infers},  {"embed", Purpose::infers},
    {"forecast", Purpose::infers},   {"score", Purpose::infers},     {"demo", Purpose::shows},
    {"eval", Purpose::shows},        {"test", Purpose::shows},       {"sampl", Purpose::shows},
    {"generat", Purpose::shows},     {"run", Purpose::other},        {"main", Purpose::other},
    {"train", Purpose::trains},      {"finetune", Purpose::trains},  {"pretrain", Purpose::trains},
    {"fit", Purpose::trains},        {"setup", Purpose::serves},     {"util", Purpose::serves},
    {"download", Purpose::serves},   {"convert", Purpose::serves},   {"prepare", Purpose::serves},
    {"preprocess", Purpose::serves}, {"plot", Purpose::serves},      {"dataset", Purpose::serves},
    {"build", Purpose::serves},      {"export", Purpose::serves},    {"check", Purpose::serves},
    {"hubconf", Purpose::serves},    {"conf", Purpose::serves},      {"synth", Purpose::serves},
    {"upload", Purpose::serves},     {"version", Purpose::serves},   {"lint", Purpose::serves},
    {"install", Purpose::serves},
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : lowercase(text)) {
    if (c >= 'a' && c <= 'z') {
      words.back() += c;
    } else {
      words.emplace_back();
    }
  }
  return words;
}

/// "train" and "training", but "confuse" is no "conf".
bool begins_with(const std::string& word, std::string_view verb) {
  return verb.size() > 4 || verb == "eval" || verb == "infer"
             ? word.starts_with(verb)
             : word == verb || word == std::string(verb) + "s";
}

Purpose purpose_of(const std::string& name, bool uses_torch) {
  const auto words = words_of(name);
  std::vector<Purpose> found;
  for (const auto& verb : kVerbs) {
    if (std::any_of(words.begin(), words.end(),
                    [&](const auto& word) { return begins_with(word, verb.word); }))
      found.push_back(verb.purpose);
  }
  const auto has = [&](Purpose purpose) {
    return std::find(found.begin(), found.end(), purpose) != found.end();
  };
  if (has(Purpose::serves) && !has(Purpose::infers)) return Purpose::serves;
  for (const Purpose purpose : {Purpose::infers, Purpose::shows, Purpose::trains}) {
    if (has(purpose)) return purpose;
  }
  return uses_torch || has(Purpose::other) ? Purpose::other : Purpose::serves;
}

bool is_identifier(const std::string& text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string::npos;
}

std::string parent_of(const std::string& path) {
  return fs::path(path).parent_path().generic_string();
}
std::string below(const std::string& folder, const std::string& path) {
  return folder.empty() ? path : folder + "/" + path;
}

/// The file of a module, "a.b", seen from a folder.
const PythonFile* module_file(const Survey& survey, const std::string& folder, const std::string& module) {
  const std::string path = below(folder, replace_all(module, ".", "/"));
  for (const char* ending : {".py", "/__init__.py"}) {
    if (const auto found = survey.python.find(path + ending); found != survey.python.end())
      return &found->second;
  }
  return nullptr;
}

const PythonFile* imported_file(const Survey& survey, const PythonFile& from, const std::string& import) {
  const auto dots = import.find_first_not_of('.');
  if (dots == std::string::npos) return nullptr;
  std::string folder = parent_of(from.path);
  if (dots > 0) {
    for (std::size_t i = 1; i < dots; ++i)
      folder = parent_of(folder);
    return module_file(survey, folder, import.substr(dots));
  }
  for (const auto& top : {folder, std::string(), std::string("src")}) {
    if (const PythonFile* file = module_file(survey, top, import)) return file;
  }
  return nullptr;
}

class Finder {
 public:
  explicit Finder(const Survey& survey) : survey_(survey) {}

  std::vector<EntryPoint> find() {
    for (const auto& script : survey_.packaging.scripts)
      add_console_script(script);
    for (const auto& [path, file] : survey_.python) {
      if (file.script() && !taken_.contains(path)) add_file(file);
    }
    std::stable_sort(ranked_.begin(), ranked_.end(),
                     [](const auto& a, const auto& b) { return a.rank < b.rank; });
    std::vector<EntryPoint> points;
    for (auto& ranked : ranked_)
      points.push_back(std::move(ranked.point));
    return points;
  }

 private:
  using Rank = std::tuple<Purpose, int, std::ptrdiff_t>;
  struct Ranked {
    Rank rank;
    EntryPoint point;
  };

  void add(EntryPoint point, const std::string& about, bool uses_torch, int place, std::ptrdiff_t depth,
           bool test = false) {
    const Purpose purpose = test ? Purpose::tests : purpose_of(about, uses_torch);
    point.trains = purpose == Purpose::trains;
    ranked_.push_back({{purpose, place, depth}, std::move(point)});
  }

  void add_console_script(const ConsoleScript& script) {
    EntryPoint point{fitted_name(script.name, "run"), {literal_word(script.name)}, "", script.place, false};
    const PythonFile* file = nullptr;
    for (const auto& top : {std::string(), std::string("src")}) {
      if (!file) file = module_file(survey_, top, script.module);
    }
    if (file) {
      point.file = file->path;
      taken_.insert(file->path);
    }
    // A package's only command is what the package is for.
    const bool only = survey_.packaging.scripts.size() == 1;
    add(std::move(point), (only ? "infer " : "") + script.name + " " + script.module, true, 1, 0);
  }

  void add_file(const PythonFile& file) {
    const fs::path path(file.path);
    std::string stem = path.stem().string();
    if (stem == "__main__") stem = path.parent_path().filename().string();
    if (path == "setup.py") return;
    const auto folders = words_of(parent_of(file.path));
    const auto in = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* name) {
        return std::find(folders.begin(), folders.end(), name) != folders.end();
      });
    };
    const auto depth = std::distance(path.begin(), path.end());
    const bool tested =
        in({"tests", "test", "testing", "docs", "doc"}) || (depth > 1 && stem.starts_with("test_"));
    const bool parses = !file.parser.empty() || path.stem() == "__main__";
    const bool inner =
        survey_.python.contains((path.parent_path() / "__init__.py").generic_string()) && !parses;
    const int place = inner ? 4 : depth == 1 ? 0 : in({"scripts", "tools", "bin"}) ? 2 : 3;
    const auto reached = reached_files(survey_, file.path);
    const bool uses_torch = std::any_of(reached.begin(), reached.end(), [](const PythonFile* one) {
      return std::any_of(one->imports.begin(), one->imports.end(), [](const auto& import) {
        return import == "torch" || import.starts_with("torch.");
      });
    });
    add({fitted_name(stem, "run"), words_for(file), file.path, {}, false}, stem, uses_torch, place, depth,
        tested);
  }

  /// `python -m package.module` for a module of a package, else `python file.py`.
  std::vector<std::string> words_for(const PythonFile& file) const {
    fs::path folder = fs::path(file.path).parent_path();
    std::string module = fs::path(file.path).stem().string();
    bool names = fs::path(file.path).extension() == ".py" && is_identifier(module), package = false;
    if (module == "__main__") module.clear();
    while (!folder.empty() && survey_.python.contains((folder / "__init__.py").generic_string())) {
      package = true;
      names = names && is_identifier(folder.filename().string());
      module = folder.filename().string() + (module.empty() ? "" : "." + module);
      folder = folder.parent_path();
    }
    const bool importable = folder.empty() || (folder == "src" && !survey_.packaging.package.empty());
    if (package && names && importable) return {"python", "-m", module};
    const bool option = file.path.starts_with('-');
    return {"python", literal_word((option ? "./" : "") + file.path)};
  }

  const Survey& survey_;
  std::vector<Ranked> ranked_;
  std::set<std::string> taken_;
};

}  // namespace

std::string fitted_name(const std::string& text, const std::string& otherwise) {
  std::string name;
  for (const char c : lowercase(text)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (kept && !(name.empty() && c == '_')) {
      name += c;
    } else if (!name.empty() && name.back() != '-' && !kept) {
      name += '-';
    }
    if (name.size() == kLongestName) break;
  }
  while (name.ends_with('-') || name.ends_with('_'))
    name.pop_back();
  return name.empty() ? otherwise : name;
}

std::vector<const PythonFile*> reached_files(const Survey& survey, const std::string& file) {
  std::vector<const PythonFile*> reached;
  const auto start = survey.python.find(file);
  if (start == survey.python.end()) return reached;
  reached.push_back(&start->second);
  for (std::size_t i = 0; i < reached.size() && reached.size() < kMostReached; ++i) {
    for (const auto& import : reached[i]->imports) {
      const PythonFile* next = imported_file(survey, *reached[i], import);
      if (next && std::find(reached.begin(), reached.end(), next) == reached.end()) reached.push_back(next);
    }
  }
  return reached;
}

std::vector<ScriptOption> options_of(const Survey& survey, const std::string& file) {
  std::vector<ScriptOption> options;
  for (const PythonFile* reached : reached_files(survey, file)) {
    // The options of another script are that script's own.
    if (reached->path != file && (reached->script() || reached->subcommands > 0)) continue;
    for (const auto& option : reached->options) {
      const bool known = std::any_of(options.begin(), options.end(),
                                     [&](const auto& one) { return one.flag == option.flag; });
      if (!known) options.push_back(option);
    }
  }
  return options;
}

std::vector<EntryPoint> entry_points(const Survey& survey) {
  return Finder(survey).find();
}

}  // namespace mpsgate
