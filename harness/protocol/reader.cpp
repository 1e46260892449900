#include "base/files.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/json_path.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/units.h"
#include "protocol/command_line.h"
#include "protocol/keys.h"
#include "protocol/protocol.h"
#include "protocol/structure.h"

#include <algorithm>
#include <functional>
#include <set>

namespace mpsgate {
namespace {

constexpr int kVersion = 1;

/// Gating steps of the design's sequence, in its order: those that may be dropped with a reason.
const std::vector<std::string> kGatingSteps = {"source", "artefacts", "environment", "probe",  "control",
                                               "strict", "census",    "repeat",      "parity", "relaunch"};

/// PEP 503.
std::string normalised(std::string_view name) {
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

/// From a tree to a protocol. What a value may be is the key table's matter (Structure); here stands what
/// only several values together, or the disk, can tell. What has a fault of structure is passed over.
class Reader {
 public:
  Reader(const std::string& text, const fs::path& file, const fs::path& root, const Registry& registry)
      : faults_(text, file.string()), structure_(faults_), registry_(registry) {
    protocol_.file = file;
    protocol_.root = root;
    protocol_.text = text;
    protocol_.sha256 = sha256_of(text);
  }

  Reading read() {
    const auto tree = parse_yaml(protocol_.text, faults_);
    if (tree && check_version(*tree)) {
      structure_.check(*tree);
      read_top(*tree);
    }
    Reading reading;
    if (faults_.none()) {
      protocol_.places = structure_.take_places();
      const std::string shown = protocol_.shown_file();
      for (auto& [path, place] : protocol_.places)
        place.file = shown;
      for (auto& artefact : protocol_.artefacts)
        artefact.place.file = shown;
      for (auto& command : protocol_.commands)
        command.place.file = shown;
      for (auto& output : protocol_.outputs)
        output.place.file = shown;
      reading.protocol = std::move(protocol_);
    } else {
      reading.diagnostics = faults_.take();
    }
    return reading;
  }

 private:
  bool check_version(const Node& tree) {
    if (tree.kind != Node::Kind::map) {
      faults_.add(tree, "", "expected a mapping, found " + describe(tree),
                  "mpsgate: 1 is the first line of a protocol");
      return false;
    }
    const auto* entry = tree.find("mpsgate");
    if (!entry) {
      faults_.add(1, 1, "mpsgate", "the key \"mpsgate\" is missing: the version of the protocol language",
                  "begin the file with mpsgate: 1");
      return false;
    }
    if (!entry->value.quoted && entry->value.text == std::to_string(kVersion)) return true;
    const bool quoted = entry->value.quoted && entry->value.text == std::to_string(kVersion);
    faults_.add(entry->value, "mpsgate", "expected version 1, found " + describe(entry->value),
                quoted ? "the version is a number: write it without quotes"
                       : "a later version needs a newer mpsgate; this one reads version 1");
    return false;
  }

  using Take = std::function<void(const Node::Entry&, const std::string&)>;

  /// Calls `take` with each entry of a mapping whose value is sound.
  void each(const Node& node, const std::string& path, const Take& take) const {
    for (const auto& entry : node.entries) {
      if (structure_.sound(entry.value)) take(entry, path.empty() ? entry.key : path + "." + entry.key);
    }
  }

  std::vector<std::string> texts(const Node& node) const {
    std::vector<std::string> values;
    for (const auto& item : node.items) {
      if (structure_.sound(item)) values.push_back(item.text);
    }
    return values;
  }

  static std::string inner_path(const Node& node) {
    std::string path = fs::path(node.text).lexically_normal().generic_string();
    while (path.size() > 1 && path.ends_with('/'))
      path.pop_back();
    return path;
  }

  static const Node* node_at(const Node& tree, const std::vector<std::string>& path) {
    const Node* at = &tree;
    for (const auto& key : path) {
      const auto* entry = at->find(key);
      if (!entry) return nullptr;
      at = &entry->value;
    }
    return at;
  }

  static int whole(const Node& node) { return static_cast<int>(parse_integer(node.text).value_or(0)); }
  static bool is_true(const Node& node) { return node.text == "true"; }

  std::string one_of(const Node& node, const std::string& path, const std::vector<std::string>& words,
                     const std::string& what) {
    if (std::find(words.begin(), words.end(), node.text) != words.end()) return node.text;
    const std::string guess = nearest(node.text, words);
    faults_.add(node, path, "expected " + what + " (" + join(words, ", ") + "), found " + describe(node),
                guess.empty() ? "" : "did you mean \"" + guess + "\"?");
    return {};
  }

  /// Names become names of files and folders, which on a Mac do not differ by case alone.
  void check_case(const Node& names, const std::string& path) {
    std::map<std::string, std::string> seen;
    for (const auto& entry : names.entries) {
      const auto [found, fresh] = seen.try_emplace(lowercase(entry.key), entry.key);
      if (!fresh && found->second != entry.key)
        faults_.add(entry.line, entry.column, path + "." + entry.key,
                    "differs from \"" + one_line(found->second, 60) +
                        "\" in case only, which a Mac's disk does not tell apart");
    }
  }

  void read_top(const Node& tree) {
    for (const char* names : {"commands", "outputs", "weights", "data"}) {
      if (const auto* entry = tree.find(names)) check_case(entry->value, names);
    }
    // Names are needed before what refers to them.
    if (const auto* commands = tree.find("commands")) {
      for (const auto& entry : commands->value.entries)
        command_names_.push_back(entry.key);
    }
    if (const auto* tolerances = tree.find("tolerances")) read_tolerances(tolerances->value);
    if (const auto* confidentiality = tree.find("confidentiality"))
      read_confidentiality(confidentiality->value);
    for (const char* kind : {"weights", "data"}) {
      if (const auto* artefacts = tree.find(kind)) read_artefacts(artefacts->value, kind);
    }
    protocol_.devices = {
        {"cpu", {"--device", "cpu"}}, {"mps", {"--device", "mps"}}, {"cuda", {"--device", "cuda"}}};
    each(tree, "", [&](const Node::Entry& entry, const std::string& path) {
      const Node& node = entry.value;
      if (path == "name") protocol_.name = node.text;
      if (path == "purpose") read_purpose(node);
      if (path == "repository") read_repository(node);
      if (path == "environment") read_environment(node);
      if (path == "commands") read_commands(node);
      if (path == "devices") read_devices(node);
      if (path == "outputs") read_outputs(node);
      if (path == "references") read_references(node);
      if (path == "files") read_files(node);
      if (path == "steps") read_steps(node);
      if (path == "gating") read_gating(node);
      if (path == "stop") read_stop(node);
      if (path == "limits") read_limits(node);
      if (path == "cleanup") read_cleanup(node);
    });
    finish_steps(tree);
  }

  void read_purpose(const Node& node) {
    each(node, "purpose", [&](const Node::Entry& entry, const std::string&) {
      if (entry.key == "why") protocol_.purpose.why = entry.value.text;
      if (entry.key == "macos-required") protocol_.purpose.macos_required = is_true(entry.value);
      if (entry.key == "workload") protocol_.purpose.workload = entry.value.text;
    });
  }

  void read_repository(const Node& node) {
    auto& repository = protocol_.repository;
    each(node, "repository", [&](const Node::Entry& entry, const std::string& path) {
      if (entry.key == "url") read_url(entry.value, path);
      if (entry.key == "submodules") repository.submodules = is_true(entry.value);
      if (entry.key == "credential") repository.credential = entry.value.text;
      if (entry.key == "commit") repository.commit = entry.value.text;
      if (entry.key == "sparse") {
        for (const auto& item : entry.value.items) {
          if (structure_.sound(item)) repository.sparse.push_back(inner_path(item));
        }
      }
    });
    if (!repository.credential.empty() && !repository.url.starts_with("https://")) {
      faults_.add(node, "repository.credential", "a token is sent over https only, and the url is not https");
    }
  }

  void read_url(const Node& node, const std::string& path) {
    auto& repository = protocol_.repository;
    repository.url = node.text;
    if (repository.url.find("://") != std::string::npos)
      return check_url(node, path, {"https", "ssh", "file"}, "repository.credential");
    const auto colon = repository.url.find(':');
    if (colon != std::string::npos && repository.url.find('/') > colon) return;  // git@host:path
    if (const auto local = path_inside(protocol_.root, protocol_.root, repository.url)) {
      repository.local = *local;
    } else {
      faults_.add(node, path, local.error().message, local.error().advice);
    }
  }

  /// A URL with a scheme: one of `schemes`, and no secret before its host.
  void check_url(const Node& node, const std::string& path, const std::vector<std::string>& schemes,
                 const std::string& credential_key) {
    const std::string_view url = node.text;
    const auto scheme = url.find("://");
    const std::string name(url.substr(0, scheme));
    if (scheme == std::string_view::npos ||
        std::find(schemes.begin(), schemes.end(), name) == schemes.end()) {
      const bool plain = name == "http" && schemes.front() == "https";
      faults_.add(node, path,
                  "expected " + join({schemes.begin(), schemes.end() - 1}, ", ") + " or " + schemes.back() +
                      ", found \"" + one_line(name, 20) + "\"",
                  plain ? "write https://" : "");
      return;
    }
    const auto authority = url.substr(scheme + 3, url.find('/', scheme + 3) - scheme - 3);
    const auto sign = authority.find('@');
    if (sign != std::string_view::npos &&
        (name == "https" || authority.substr(0, sign).find(':') != std::string_view::npos)) {
      faults_.add(node, path, "a user name or token stands in the url",
                  "name its environment variable with " + credential_key);
    }
  }

  void read_confidentiality(const Node& node) {
    auto& confidentiality = protocol_.confidentiality;
    each(node, "confidentiality", [&](const Node::Entry& entry, const std::string&) {
      if (entry.key == "class") confidentiality.level = entry.value.text;
      if (entry.key == "machines") confidentiality.machines = texts(entry.value);
      if (entry.key == "allowed-by") confidentiality.allowed_by = entry.value.text;
      if (entry.key == "retention")
        confidentiality.retention_seconds = parse_seconds(entry.value.text).value_or(0);
    });
  }

  void read_artefacts(const Node& node, const std::string& kind) {
    each(node, kind, [&](const Node::Entry& entry, const std::string& path) {
      Artefact artefact;
      artefact.kind = kind;
      artefact.name = entry.key;
      artefact.place = faults_.place(entry.line, entry.column);
      artefact.level = protocol_.confidentiality.level;
      const Node* file = nullptr;
      each(entry.value, path, [&](const Node::Entry& key, const std::string& inner) {
        const Node& value = key.value;
        if (key.key == "url") {
          check_url(value, inner, {"https", "file"}, path + ".credential");
          artefact.url = value.text;
        }
        if (key.key == "url-from") artefact.url_from = value.text;
        if (key.key == "path") artefact.local = own_path(value, inner).value_or(fs::path());
        if (key.key == "checkout") artefact.checkout = inner_path(value);
        if (key.key == "sha256") artefact.sha256 = value.text;
        if (key.key == "size") artefact.size = parse_size_band(value.text);
        if (key.key == "file") file = &value;
        if (key.key == "credential") artefact.credential = value.text;
        if (key.key == "confidentiality") artefact.level = value.text;
      });
      if (!artefact.credential.empty() && artefact.url_from.empty() && !artefact.url.starts_with("https://"))
        faults_.add(entry.line, entry.column, path + ".credential", "a token is sent over https only");
      if (file && !artefact.checkout.empty()) {
        faults_.add(*file, path + ".file", "a file of the checkout has its own name there", "leave it out");
      } else if (file && !is_file_name(file->text)) {
        faults_.add(*file, path + ".file", "expected the name of a file, found " + describe(*file));
      }
      artefact.file = file ? file->text : file_name_of(artefact);
      if (artefact.level == "restricted") check_restricted(entry, path);
      protocol_.artefacts.push_back(std::move(artefact));
    });
  }

  static bool is_file_name(const std::string& text) {
    return text != "." && text != ".." && text.find('/') == std::string::npos && text.size() <= 200 &&
           one_line(text) == text;
  }

  /// The last part of its URL (without query) or path; its own name where that is none.
  static std::string file_name_of(const Artefact& artefact) {
    std::string name = artefact.url.substr(0, artefact.url.find_first_of("?#"));
    if (artefact.url.empty())
      name = artefact.checkout.empty() ? artefact.local.generic_string() : artefact.checkout;
    while (name.ends_with('/'))
      name.pop_back();
    name = name.substr(name.rfind('/') + 1);
    return !name.empty() && is_file_name(name) ? name : artefact.name;
  }

  void check_restricted(const Node::Entry& entry, const std::string& path) {
    for (const auto& [key, missing] :
         {std::pair{"machines", protocol_.confidentiality.machines.empty()},
          std::pair{"allowed-by", protocol_.confidentiality.allowed_by.empty()}}) {
      if (missing)
        faults_.add(entry.line, entry.column, path,
                    std::string("what is restricted needs confidentiality.") + key,
                    "say where it may lie, and who allowed it");
    }
  }

  void read_environment(const Node& node) {
    auto& environment = protocol_.environment;
    each(node, "environment", [&](const Node::Entry& entry, const std::string& path) {
      const Node& value = entry.value;
      if (entry.key == "python") environment.python = value.text;
      if (entry.key == "files") {
        for (const auto& item : value.items)
          environment.files.push_back(inner_path(item));
      }
      if (entry.key == "packages") environment.packages = texts(value);
      if (entry.key == "install") environment.install = inner_path(value);
      if (entry.key == "replace") {
        each(value, path, [&](const Node::Entry& package, const std::string& inner) {
          Protocol::Environment::Replacement replacement;
          each(package.value, inner, [&](const Node::Entry& key, const std::string&) {
            if (key.key == "with") replacement.with = key.value.text;
            if (key.key == "because") replacement.because = key.value.text;
          });
          environment.replace[normalised(package.key)] = std::move(replacement);
        });
      }
      if (entry.key == "drop") {
        each(value, path, [&](const Node::Entry& package, const std::string&) {
          environment.drop[normalised(package.key)] = package.value.text;
        });
      }
    });
  }

  void read_commands(const Node& node) {
    each(node, "commands", [&](const Node::Entry& entry, const std::string& path) {
      Command command;
      command.name = entry.key;
      command.place = faults_.place(entry.line, entry.column);
      if (entry.value.kind != Node::Kind::map) {
        command.argv = command_words(entry.value, path, entry.key);
      } else {
        each(entry.value, path, [&](const Node::Entry& key, const std::string& inner) {
          if (key.key == "run") command.argv = command_words(key.value, inner, entry.key);
          if (key.key == "notebook") command.notebook = inner_path(key.value);
          if (key.key == "parameters") {
            each(key.value, inner, [&](const Node::Entry& parameter, const std::string& at) {
              check_placeholders(parameter.value.text, parameter.value, at, entry.key);
              command.parameters[parameter.key] = parameter.value.text;
            });
          }
          if (key.key == "directory") command.directory = inner_path(key.value);
          if (key.key == "environment") read_variables(key.value, inner, command);
          if (key.key == "exit") command.exit_code = whole(key.value);
        });
      }
      if (command.notebook.empty() && !command.parameters.empty())
        faults_.add(entry.line, entry.column, path + ".parameters", "only a notebook has parameters");
      if (!command.notebook.empty() && !command.directory.empty())
        faults_.add(entry.line, entry.column, path + ".directory",
                    "a notebook is executed in the folder where it lies", "leave it out");
      protocol_.commands.push_back(std::move(command));
    });
  }

  void read_variables(const Node& node, const std::string& path, Command& command) {
    each(node, path, [&](const Node::Entry& entry, const std::string& inner) {
      const std::string& name = entry.key;
      const bool letters =
          name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
          std::string::npos;
      if (name.empty() || !letters || (name[0] >= '0' && name[0] <= '9')) {
        faults_.add(entry.line, entry.column, inner,
                    "expected the name of a variable, found \"" + one_line(name, 40) + "\"");
      } else if (name == "HOME" || name == "PATH" || name == "TMPDIR" ||
                 name == "PYTORCH_ENABLE_MPS_FALLBACK" || name.starts_with("MPSGATE_")) {
        faults_.add(entry.line, entry.column, inner,
                    "mpsgate sets " + name + " itself: what is judged rests on it", "leave it out");
      } else {
        check_placeholders(entry.value.text, entry.value, inner, command.name);
        command.environment[name] = entry.value.text;
      }
    });
  }

  /// The words of a command, its placeholders checked.
  std::vector<std::string> command_words(const Node& node, const std::string& path,
                                         const std::string& command) {
    std::vector<std::string> words;
    if (node.kind == Node::Kind::scalar) {
      auto split = split_command(node.text);
      if (!split) {
        faults_.add(node.line, node.column + (node.quoted ? 1 : 0) + split.error().place.column - 1, path,
                    split.error().message, split.error().advice);
        return words;
      }
      words = std::move(*split);
    } else {
      words = texts(node);
    }
    if (words.empty()) faults_.add(node, path, "the command is empty");
    for (const auto& word : words)
      check_placeholders(word, node, path, command);
    return words;
  }

  void check_placeholders(const std::string& word, const Node& node, const std::string& path,
                          const std::string& command) {
    std::vector<std::string> known = {"device", "device_args", "out",   "exported",
                                      "actual", "expected",    "batch", "epochs"};
    for (const auto& artefact : protocol_.artefacts)
      known.push_back(artefact.id());
    const auto parts = split_word(word);
    if (!parts) {
      faults_.add(node, path, parts.error().message + " in \"" + one_line(word, 60) + "\"",
                  parts.error().advice);
      return;
    }
    for (const auto& part : *parts) {
      if (!part.placeholder) continue;
      const std::string shown = "{" + one_line(part.text, 40) + "}";
      if (std::find(known.begin(), known.end(), part.text) == known.end()) {
        const std::string guess = nearest(part.text, known);
        faults_.add(node, path, "expected one of {" + join(known, "}, {") + "}, found " + shown,
                    guess.empty() ? "write {{ for a literal brace" : "did you mean {" + guess + "}?");
      } else if (part.text == "device_args" && parts->size() > 1) {
        faults_.add(node, path, "{device_args} must be a word of its own: it may stand for several");
      } else {
        uses_.push_back({part.text, command, &node, path});
      }
    }
  }

  bool uses(const std::string& command, const std::string& placeholder) const {
    return std::any_of(uses_.begin(), uses_.end(), [&](const Use& use) {
      return use.command == command && use.placeholder == placeholder;
    });
  }

  void read_devices(const Node& node) {
    each(node, "devices", [&](const Node::Entry& entry, const std::string& path) {
      // Nothing stands for no argument at all.
      std::vector<std::string> words = texts(entry.value);
      if (entry.value.kind == Node::Kind::scalar) {
        if (auto split = split_command(entry.value.text)) {
          words = std::move(*split);
        } else {
          faults_.add(entry.value, path, split.error().message, split.error().advice);
        }
      }
      protocol_.devices[entry.key] = std::move(words);
    });
  }

  void read_outputs(const Node& node) {
    each(node, "outputs", [&](const Node::Entry& entry, const std::string& path) {
      Output output;
      output.name = entry.key;
      output.of = command_names_.empty() ? "" : command_names_.front();
      output.place = faults_.place(entry.line, entry.column);
      output.tolerance = {1e-3, 1e-5, false, "default"};
      each(entry.value, path, [&](const Node::Entry& key, const std::string& inner) {
        if (key.key == "of") output.of = one_of(key.value, inner, command_names_, "a command");
        if (key.key == "file" || key.key == "checkout") {
          output.in_checkout = key.key == "checkout";
          output.path = inner_path(key.value);
        }
        if (key.key == "printed") output.printed = read_pattern(key.value, inner);
        if (key.key == "json") output.json = read_json_path(key.value, inner);
        if (key.key == "tolerance") output.tolerance = read_tolerance(key.value, inner);
        if (key.key == "change") {
          each(key.value, inner,
               [&](const Node::Entry& most, const std::string&) { output.tolerance = change(most.value); });
        }
        if (key.key == "compare") output.script = read_script(key.value, inner);
      });
      std::vector<std::string> judges;
      for (const char* key : {"tolerance", "change", "compare"}) {
        if (entry.value.find(key)) judges.emplace_back(key);
      }
      if (judges.size() > 1)
        faults_.add(entry.line, entry.column, path,
                    "expected one of tolerance, change and compare, found " + join(judges, " and "));
      if (!output.printed.empty() && !output.json.empty())
        faults_.add(entry.line, entry.column, path + ".json", "what is printed is a number already");
      const bool pattern = is_glob(output.path);
      if (pattern && !output.json.empty())
        faults_.add(entry.line, entry.column, path + ".json",
                    "a path into one file, and the name is a pattern", "name the file");
      protocol_.outputs.push_back(std::move(output));
    });
  }

  /// "0.5" and "0.5 points" are absolute, "2 %" is of the expected value.
  static Tolerance change(const Node& node) {
    if (const auto percent = parse_percent(node.text)) return {*percent / 100, 0, false, "change"};
    return {0, parse_points(node.text).value_or(parse_number(node.text).value_or(0)), false, "change"};
  }

  std::string read_json_path(const Node& node, const std::string& path) {
    if (const auto parsed = JsonPath::parse(node.text); !parsed)
      faults_.add(node, path, parsed.error().message, parsed.error().advice);
    return node.text;
  }

  Output::Script read_script(const Node& node, const std::string& path) {
    Output::Script script;
    each(node, path, [&](const Node::Entry& key, const std::string& inner) {
      if (key.key == "command") {
        script.command = command_name(key.value, inner);
        scripts_.push_back({script.command, &key.value, inner});
      }
      if (key.key == "printed") script.printed = read_pattern(key.value, inner);
      if (key.key == "at-most") script.at_most = parse_number(key.value.text);
    });
    if (script.at_most && script.printed.empty())
      faults_.add(node, path + ".at-most", "it limits a figure, and printed does not say which",
                  "add printed: with a regular expression");
    return script;
  }

  std::string read_pattern(const Node& node, const std::string& path) {
    const auto pattern = Pattern::compile(node.text);
    if (!pattern) {
      faults_.add(node, path, pattern.error().message, pattern.error().advice);
    } else if (pattern->groups() != 1) {
      faults_.add(node, path,
                  "expected a regular expression with one group around the number, found " +
                      std::to_string(pattern->groups()) + " groups",
                  "(?:…) groups without counting");
    }
    return node.text;
  }

  Tolerance read_tolerance(const Node& node, const std::string& path) {
    if (node.kind == Node::Kind::scalar) {
      std::vector<std::string> names;
      for (const auto& [name, tolerance] : protocol_.tolerances)
        names.push_back(name);
      if (names.empty()) {
        faults_.add(node, path,
                    "expected a mapping such as {rtol: 1e-3, atol: 1e-5}, found " + describe(node),
                    "a name would have to stand under tolerances, which has none");
        return {};
      }
      const std::string name = one_of(node, path, names, "the name of a tolerance");
      const auto found = protocol_.tolerances.find(name);
      return found == protocol_.tolerances.end() ? Tolerance{} : found->second;
    }
    Tolerance tolerance;
    each(node, path, [&](const Node::Entry& key, const std::string&) {
      if (key.key == "rtol") tolerance.rtol = parse_number(key.value.text).value_or(0);
      if (key.key == "atol") tolerance.atol = parse_number(key.value.text).value_or(0);
      if (key.key == "nan") tolerance.nan_equal = key.value.text == "equal";
    });
    return tolerance;
  }

  void read_tolerances(const Node& node) {
    each(node, "tolerances", [&](const Node::Entry& entry, const std::string& path) {
      Tolerance tolerance = read_tolerance(entry.value, path);
      tolerance.name = entry.key;
      protocol_.tolerances[entry.key] = std::move(tolerance);
    });
  }

  /// A path of the protocol: from its folder, inside its root.
  std::optional<fs::path> own_path(const Node& node, const std::string& path) {
    const auto inside = path_inside(protocol_.root, protocol_.file.parent_path(), inner_path(node));
    if (inside) return *inside;
    faults_.add(node, path, inside.error().message, inside.error().advice);
    return std::nullopt;
  }

  void read_references(const Node& node) {
    each(node, "references", [&](const Node::Entry& entry, const std::string& path) {
      if (const auto folder = own_path(entry.value, path)) protocol_.references[entry.key] = *folder;
    });
  }

  void read_files(const Node& node) {
    std::error_code error;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string path = "files[" + std::to_string(i) + "]";
      if (!structure_.sound(node.items[i])) continue;
      const auto file = own_path(node.items[i], path);
      if (!file) continue;
      if (!fs::exists(*file, error)) {
        faults_.add(node.items[i], path, "there is no file " + file->string());
        continue;
      }
      protocol_.files.push_back(
          file->lexically_relative(fs::weakly_canonical(protocol_.root, error)).generic_string());
    }
  }

  std::string command_name(const Node& node, const std::string& path) {
    return one_of(node, path, command_names_, "a command");
  }

  void read_steps(const Node& node) {
    auto& steps = protocol_.steps;
    each(node, "steps", [&](const Node::Entry& entry, const std::string& path) {
      const Node& value = entry.value;
      if (entry.key == "control") steps.control = command_name(value, path);
      if (entry.key == "strict") steps.strict = command_name(value, path);
      if (entry.key == "census") steps.census = command_name(value, path);
      if (entry.key == "relaunch") steps.relaunch = command_name(value, path);
      if (entry.key == "repeat" && value.kind == Node::Kind::scalar) {
        steps.repeat = command_name(value, path);
      } else if (entry.key == "repeat") {
        each(value, path, [&](const Node::Entry& key, const std::string& inner) {
          if (key.key == "command") steps.repeat = command_name(key.value, inner);
          if (key.key == "passes") steps.repeat_passes = whole(key.value);
          if (key.key == "bitwise") steps.repeat_bitwise = is_true(key.value);
        });
      }
      if (entry.key == "speed") steps.speed = command_name(value, path);
      if (entry.key == "sweep") {
        each(value, path, [&](const Node::Entry& key, const std::string& inner) {
          if (key.key == "command") steps.sweep = command_with(key.value, inner, "batch");
          if (key.key == "epochs") steps.sweep_epochs = whole(key.value);
          if (key.key != "batch") return;
          for (const auto& item : key.value.items)
            steps.sweep_batch.push_back(whole(item));
          if (steps.sweep_batch.empty()) faults_.add(key.value, inner, "expected at least one batch size");
        });
      }
      if (entry.key == "soak") {
        each(value, path, [&](const Node::Entry& key, const std::string& inner) {
          if (key.key == "command") steps.soak = command_with(key.value, inner, "epochs");
          if (key.key == "epochs") steps.soak_epochs = whole(key.value);
        });
      }
      if (entry.key == "export") {
        each(value, path, [&](const Node::Entry& key, const std::string& inner) {
          if (key.key == "command") steps.export_command = command_name(key.value, inner);
          if (key.key == "check") steps.export_check = command_name(key.value, inner);
        });
      }
    });
  }

  /// The name of a command, which has to hold a placeholder: without it every run of the step is the same.
  std::string command_with(const Node& node, const std::string& path, const std::string& placeholder) {
    const std::string name = command_name(node, path);
    if (!name.empty()) wants_.push_back({placeholder, name, &node, path});
    return name;
  }

  /// Placeholders stand only in commands of the steps that give them a value.
  void check_uses() {
    const auto& steps = protocol_.steps;
    for (const auto& use : uses_) {
      // One that is named wrongly may be the one that is meant.
      const bool script = std::any_of(scripts_.begin(), scripts_.end(), [&](const Script& one) {
        return one.command == use.command || one.command.empty();
      });
      const bool counted = use.command == steps.sweep || use.command == steps.soak;
      if (use.placeholder == "exported" && use.command != steps.export_check)
        faults_.add(*use.node, use.path, "{exported} is known to the command of steps.export.check only");
      if ((use.placeholder == "actual" || use.placeholder == "expected") && !script)
        faults_.add(*use.node, use.path,
                    "{" + use.placeholder + "} is known to commands of outputs.*.compare only");
      if ((use.placeholder == "batch" || use.placeholder == "epochs") && !counted)
        faults_.add(*use.node, use.path,
                    "{" + use.placeholder +
                        "} has no value: neither steps.sweep nor steps.soak names command " + use.command,
                    "name it there, or write the number");
    }
    for (const auto& want : wants_) {
      if (protocol_.command(want.command) && !uses(want.command, want.placeholder))
        faults_.add(*want.node, want.path, "command " + want.command + " has no {" + want.placeholder + "}",
                    "give it the option of the script that takes it");
    }
    for (const auto& script : scripts_) {
      for (const char* placeholder : {"actual", "expected"}) {
        if (protocol_.command(script.command) && !uses(script.command, placeholder))
          faults_.add(*script.node, script.path,
                      "command " + script.command + " has no {" + placeholder + "}: it cannot compare");
      }
    }
    for (const auto& output : protocol_.outputs) {
      const Command* command = protocol_.command(output.of);
      if (!output.printed.empty() && command && !command->notebook.empty())
        faults_.add(output.place.line, output.place.column, "outputs." + output.name + ".printed",
                    "a notebook prints into its cells", "let it write a file below {out}");
    }
  }

  /// Defaults of the steps, and what only the whole tells.
  void finish_steps(const Node& tree) {
    if (protocol_.commands.empty()) return;
    auto& steps = protocol_.steps;
    const std::string first = protocol_.commands.front().name;
    for (std::string* name :
         {&steps.control, &steps.strict, &steps.census, &steps.repeat, &steps.relaunch, &steps.speed}) {
      if (name->empty()) *name = first;
    }
    steps.soak_batch = steps.sweep_batch.empty() ? 1 : steps.sweep_batch.front();
    if (const Node* batch = node_at(tree, {"steps", "soak", "batch"}); batch && structure_.sound(*batch))
      steps.soak_batch = whole(*batch);
    check_uses();
    // An output with a fault of its own may be the one that is missed.
    const auto* written = tree.find("outputs");
    const bool whole_outputs = written && protocol_.outputs.size() == written->value.entries.size() &&
                               std::none_of(protocol_.outputs.begin(), protocol_.outputs.end(),
                                            [](const Output& output) { return output.of.empty(); });
    if (!whole_outputs) return;
    const std::set<std::string> judged = {steps.control, steps.strict, steps.repeat, steps.relaunch};
    for (const auto& command : judged) {
      if (protocol_.command(command) && protocol_.outputs_of(command).empty()) {
        faults_.add(written->line, written->column, "outputs",
                    "command " + command + " is judged by its outputs, and none is declared",
                    "declare at least one with of: " + command);
      }
    }
  }

  void read_gating(const Node& node) {
    each(node, "gating", [&](const Node::Entry& entry, const std::string& path) {
      if (entry.key == "add") protocol_.gating_add = texts(entry.value);
      if (entry.key != "drop") return;
      each(entry.value, path, [&](const Node::Entry& step, const std::string& inner) {
        const bool named = step.key == "artefacts" && !protocol_.artefacts.empty();
        if (named || step.key == "source" || step.key == "environment" || step.key == "control") {
          faults_.add(step.line, step.column, inner,
                      "the step " + step.key + " cannot be dropped: nothing could be said without it");
        } else if (std::find(kGatingSteps.begin(), kGatingSteps.end(), step.key) == kGatingSteps.end()) {
          const std::string guess = nearest(step.key, kGatingSteps);
          faults_.add(step.line, step.column, inner,
                      "expected a gating step (" + join(kGatingSteps, ", ") + "), found \"" +
                          one_line(step.key, 40) + "\"",
                      guess.empty() ? "" : "did you mean \"" + guess + "\"?");
        } else {
          protocol_.gating_drop[step.key] = step.value.text;
        }
      });
    });
  }

  void read_stop(const Node& node) {
    std::vector<std::string> ids;
    for (const auto* row : registry_.criteria())
      ids.emplace_back(row->id);
    each(node, "stop", [&](const Node::Entry& entry, const std::string& path) {
      const CriterionRow* row = registry_.criterion(entry.key);
      if (!row) {
        const std::string guess = nearest(entry.key, ids);
        faults_.add(entry.line, entry.column, path,
                    "there is no stop criterion \"" + one_line(entry.key, 60) + "\"",
                    guess.empty() ? "docs/verdict.md lists them" : "did you mean \"" + guess + "\"?");
        return;
      }
      Protocol::Stop stop;
      each(entry.value, path, [&](const Node::Entry& key, const std::string& inner) {
        if (key.key == "over") stop.value = limit(key.value, inner, *row);
        if (key.key == "off") stop.off = is_true(key.value);
        if (key.key == "ask") {
          stop.asked = is_true(key.value);
          if (row->rule != CriterionRow::Rule::asked)
            faults_.add(key.value, inner, entry.key + std::string(" is in force without being asked for"));
        }
        if (key.key == "because") stop.because = key.value.text;
        if (key.key != "allow") return;
        if (entry.key != "fallback.operators") {
          faults_.add(key.line, key.column, inner, "only fallback.operators has exceptions");
          return;
        }
        each(key.value, inner, [&](const Node::Entry& allowed, const std::string& at) {
          const auto text = [&](const char* name) {
            const auto* found = allowed.value.find(name);
            return found && structure_.sound(found->value) ? found->value.text : std::string();
          };
          if (allowed.key.find("::") == std::string::npos)
            faults_.add(allowed.line, allowed.column, at,
                        "expected the name of an operator such as aten::cumsum.out, found \"" +
                            one_line(allowed.key, 60) + "\"");
          stop.allow[allowed.key] = {text("because"), text("until")};
        });
      });
      if (stop.off && stop.because.empty())
        faults_.add(entry.line, entry.column, path, "a criterion is turned off with a reason only",
                    "add because: …");
      protocol_.stop[entry.key] = std::move(stop);
    });
  }

  double limit(const Node& node, const std::string& path, const CriterionRow& row) {
    const std::string unit = row.unit;
    if (row.rule != CriterionRow::Rule::over) {
      faults_.add(node, path, std::string(row.id) + " has no limit: it stops whenever it is found");
      return 0;
    }
    std::optional<double> value;
    if (unit == "%") value = parse_percent(node.text);
    if (unit == "s") value = parse_seconds(node.text);
    if (unit == "GiB") {
      if (const auto bytes = parse_bytes(node.text)) value = static_cast<double>(*bytes) / (1ull << 30);
    }
    if (unit.empty()) value = parse_number(node.text);
    if (value) return *value;
    faults_.add(node, path,
                "expected a number" + (unit.empty() ? std::string() : " with its unit (" + unit + ")") +
                    ", found " + describe(node));
    return 0;
  }

  void read_limits(const Node& node) {
    auto& limits = protocol_.limits;
    each(node, "limits", [&](const Node::Entry& entry, const std::string&) {
      const Node& value = entry.value;
      const auto seconds = parse_seconds(value.text).value_or(0);
      if (entry.key == "command") limits.command_seconds = seconds;
      if (entry.key == "silence") limits.silence_seconds = seconds;
      if (entry.key == "environment") limits.environment_seconds = seconds;
      if (entry.key == "source") limits.source_seconds = seconds;
      if (entry.key == "artefacts") limits.artefacts_seconds = seconds;
      if (entry.key == "processes") limits.processes = whole(value);
      if (entry.key == "output") limits.output_bytes = parse_bytes(value.text).value_or(0);
      if (entry.key == "log") limits.log_bytes = parse_bytes(value.text).value_or(0);
    });
  }

  void read_cleanup(const Node& node) {
    each(node, "cleanup", [&](const Node::Entry& entry, const std::string& path) {
      protocol_.cleanup = texts(entry.value);
      for (const auto& item : entry.value.items) {
        const bool none = std::none_of(protocol_.artefacts.begin(), protocol_.artefacts.end(),
                                       [&](const Artefact& artefact) { return artefact.kind == item.text; });
        if (none && (item.text == "weights" || item.text == "data"))
          faults_.add(item, path, "the protocol names no " + item.text);
      }
    });
  }

  /// Where a command holds a placeholder, or is expected to.
  struct Use {
    std::string placeholder, command;
    const Node* node;
    std::string path;
  };
  /// Where an output names the command that compares it.
  struct Script {
    std::string command;
    const Node* node;
    std::string path;
  };

  Faults faults_;
  Structure structure_;
  Protocol protocol_;
  const Registry& registry_;
  std::vector<std::string> command_names_;
  std::vector<Use> uses_, wants_;
  std::vector<Script> scripts_;
};

}  // namespace

Reading read_protocol(const std::string& text, const fs::path& file, const fs::path& root,
                      const Registry& registry) {
  return Reader(text, file, root, registry).read();
}

}  // namespace mpsgate
