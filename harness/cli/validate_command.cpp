#include "base/files.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "protocol/schema.h"
#include "protocol/structure.h"
#include "reports/annotations.h"

#include <cstdio>
#include <fstream>

namespace mpsgate {
namespace {

/// Whether a YAML file of a folder claims to be a protocol: its first key begins a line.
bool claims_to_be_protocol(const fs::path& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("mpsgate:")) return true;
  }
  return false;
}

/// The protocols that a word of the command line stands for: a file, or those below a folder, in order.
std::vector<std::string> protocols_of(const std::string& word) {
  std::error_code error;
  if (!fs::is_directory(word, error)) return {word};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator at(word, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.filename() == ".git") at.disable_recursion_pending();
    const bool yaml = path.extension() == ".yaml" || path.extension() == ".yml";
    if (yaml && at->is_regular_file(error) && claims_to_be_protocol(path)) files.push_back(path.string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Json json_of(const std::string& file, const Result<Reading>& reading) {
  Json faults = Json::array();
  if (!reading) {
    faults.push_back({{"line", 0},
                      {"column", 0},
                      {"path", ""},
                      {"message", reading.error().message},
                      {"hint", reading.error().advice}});
  } else {
    for (const auto& fault : reading->diagnostics)
      faults.push_back({{"line", fault.place.line},
                        {"column", fault.place.column},
                        {"path", fault.path},
                        {"message", fault.message},
                        {"hint", fault.hint}});
  }
  return {{"file", file}, {"valid", faults.empty()}, {"faults", std::move(faults)}};
}

/// A CI names files from the top of the repository that holds them.
void print_annotations(const std::string& file, const Result<Reading>& reading) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(file, error);
  const std::string shown = path.lexically_relative(root_of(path)).generic_string();
  const auto print = [&](int line, int column, const std::string& message) {
    std::fputs(annotation("error", {shown, line, column}, "mpsgate: invalid protocol", message).c_str(),
               stdout);
  };
  if (!reading) return print(1, 0, reading.error().text());
  for (const auto& fault : reading->diagnostics) {
    const std::string key = fault.path.empty() ? "" : fault.path + ": ";
    print(fault.place.line, fault.place.column,
          key + fault.message + (fault.hint.empty() ? "" : "; " + fault.hint));
  }
}

ExitCode explain(const std::string& path) {
  const auto text = explain_key(path);
  if (!text) {
    complain(text.error());
    return ExitCode::usage;
  }
  std::fputs(text->c_str(), stdout);
  return ExitCode::ok;
}

/// The protocol as JSON, for other validators of the schema.
ExitCode print_tree(const std::string& file) {
  const auto text = read_file(file, 1 << 20);
  if (!text) {
    complain(text.error());
    return ExitCode::usage;
  }
  Faults faults(*text, file);
  const auto tree = parse_yaml(*text, faults);
  for (const auto& fault : faults.take())
    print_disarmed(stderr, text_of(fault));
  if (!tree) return ExitCode::usage;
  print_json(dump_json(json_of(*tree), 2) + "\n");
  return ExitCode::ok;
}

}  // namespace

ExitCode validate_command(const std::vector<std::string>& words) {
  std::vector<std::string> given;
  std::string format = "text", path;
  bool tree = false;
  CLI::App app("Checks protocols without running anything.", "mpsgate validate");
  app.add_option("protocols", given, "YAML protocols, or folders: every protocol below them");
  app.add_option("--format", format, "text; json on standard output; github: annotations for GitHub Actions")
      ->check(CLI::IsMember({"text", "json", "github"}));
  app.add_option("--explain", path, "say what a key means: steps.repeat.passes");
  app.add_flag("--tree", tree, "print the one protocol as JSON, for other validators of the schema");
  if (const auto done = parse_arguments(app, words)) return *done;
  if (!path.empty()) return explain(path);
  if (given.empty() || (tree && given.size() != 1)) {
    complain({"usage.files",
              tree ? "--tree wants one protocol" : "no protocol is named",
              "mpsgate validate FILE…",
              {}});
    return ExitCode::usage;
  }
  if (tree) return print_tree(given.front());

  bool valid = true;
  std::size_t count = 0;
  Json listed = Json::array();
  for (const auto& word : given) {
    for (const auto& file : protocols_of(word)) {
      ++count;
      const auto reading = read_protocol_file(file);
      const bool good = reading && reading->protocol;
      valid = valid && good;
      if (format == "json") {
        listed.push_back(json_of(file, reading));
      } else if (format == "github") {
        print_annotations(file, reading);
      } else if (good) {
        print_disarmed(stdout, one_line(file) + ": valid");
      } else {
        print_faults(reading);
      }
    }
  }
  if (count == 0) {
    complain({"usage.files",
              "there is no protocol in " + join(given, ", "),
              "a protocol has a line that begins with mpsgate:",
              {}});
    return ExitCode::usage;
  }
  if (format == "json") print_json(dump_json(Json{{"valid", valid}, {"protocols", listed}}, 2) + "\n");
  return valid ? ExitCode::ok : ExitCode::usage;
}

}  // namespace mpsgate
