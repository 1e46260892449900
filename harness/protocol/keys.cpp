#include "protocol/keys.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mpsgate {

std::span<const KeyRow> key_table() {
  static constexpr std::array rows = {
      KeyRow{"", "mpsgate", true, "1", "version of the protocol language"},
      KeyRow{"", "name", true, "name", "what runs and reports are called"},
      KeyRow{"", "purpose", false, "section", "why the question is asked"},
      KeyRow{"", "repository", true, "section", "what is checked out"},
      KeyRow{"", "environment", false, "section", "the Python environment"},
      KeyRow{"", "commands", true, "name: command",
             "what is executed; the first is the default of every step"},
      KeyRow{"", "devices", false, "arm: text or list", "what {device_args} stands for on each arm"},
      KeyRow{"", "outputs", true, "name: section", "what the commands write"},
      KeyRow{"", "tolerances", false, "name: section", "tolerance bands by name"},
      KeyRow{"", "references", false, "name: folder", "bundles of outputs captured elsewhere"},
      KeyRow{"", "files", false, "list of files",
             "driver scripts beside the protocol, copied into each pass"},
      KeyRow{"", "steps", false, "section", "which command each step executes"},
      KeyRow{"", "gating", false, "section", "which steps must pass"},
      KeyRow{"", "stop", false, "criterion: section", "changed stop criteria"},
      KeyRow{"", "limits", false, "section", "limits of each command and of the slow steps"},
      KeyRow{"", "cleanup", false, "section", "what is deleted at the end"},
      KeyRow{"purpose", "why", false, "text", "repeated in every report"},
      KeyRow{"purpose", "macos-required", false, "true or false",
             "whether macOS validation is a required stage of the project"},
      KeyRow{"purpose", "workload", false, "inference, training, llm or preprocessing",
             "what dominates the work"},
      KeyRow{"repository", "url", true, "URL or path",
             "https, ssh, file, or a path from the root of the protocol's own repository"},
      KeyRow{"repository", "commit", true, "40 hexadecimal digits", "the exact commit"},
      KeyRow{"repository", "submodules", false, "true or false", "whether submodules are checked out; true"},
      KeyRow{"repository", "credential", false, "variable",
             "name of the environment variable that holds a token"},
      KeyRow{"environment", "python", false, "version",
             "3.11 takes any 3.11; without it the machine's own python3"},
      KeyRow{"environment", "files", false, "list of files", "requirements files of the checkout"},
      KeyRow{"environment", "packages", false, "list of requirements", "further requirements"},
      KeyRow{"environment", "install", false, "folder", "the lab's own package, usually ."},
      KeyRow{"environment", "replace", false, "package: section", "requirements to replace"},
      KeyRow{"environment", "drop", false, "package: reason", "requirements to leave out"},
      KeyRow{"environment.replace.*", "with", true, "requirement", "what is installed instead"},
      KeyRow{"environment.replace.*", "because", true, "text", "the reason; every report repeats it"},
      KeyRow{"outputs.*", "of", false, "command", "the command that writes it; the first by default"},
      KeyRow{"outputs.*", "file", false, "path", "below {out}: a file or a folder"},
      KeyRow{"outputs.*", "checkout", false, "path",
             "below the checkout, for scripts that write beside themselves"},
      KeyRow{"outputs.*", "tolerance", false, "name or section",
             "the band in which it must lie; default: rtol 1e-3, atol 1e-5"},
      KeyRow{"tolerances.*", "rtol", false, "number", "relative part, of the expected value"},
      KeyRow{"tolerances.*", "atol", false, "number", "absolute part"},
      KeyRow{"tolerances.*", "nan", false, "fail or equal", "whether NaN against NaN passes; fail"},
      KeyRow{"steps", "control", false, "command", "executed on the CPU first"},
      KeyRow{"steps", "strict", false, "command", "executed on mps without any fallback"},
      KeyRow{"steps", "census", false, "command", "executed on mps under observation"},
      KeyRow{"steps", "repeat", false, "command or section", "executed several times"},
      KeyRow{"steps", "relaunch", false, "command", "started again from disk"},
      KeyRow{"steps", "export", false, "section", "writes results in the project's own format"},
      KeyRow{"steps.repeat", "command", false, "command", "the command"},
      KeyRow{"steps.repeat", "passes", false, "2 to 50", "how many; 3"},
      KeyRow{"steps.repeat", "bitwise", false, "true or false",
             "demand equal bytes instead of the tolerances; false"},
      KeyRow{"steps.export", "command", true, "command", "writes the export; its outputs are read back"},
      KeyRow{"steps.export", "check", false, "command",
             "the lab's own check; {exported} is the folder of the export's outputs"},
      KeyRow{"gating", "add", false, "list of steps", "steps that must pass as well"},
      KeyRow{"gating", "drop", false, "step: reason",
             "gating steps that are not run; every report repeats the reason"},
      KeyRow{"stop.*", "over", false, "number with the criterion's unit", "another limit"},
      KeyRow{"stop.*", "off", false, "true", "not in force; wants because"},
      KeyRow{"stop.*", "ask", false, "true", "in force, for criteria that are so on request only"},
      KeyRow{"stop.*", "because", false, "text", "the reason"},
      KeyRow{"limits", "command", false, "duration", "of one pass; 10 min"},
      KeyRow{"limits", "silence", false, "duration", "longest time without output; none"},
      KeyRow{"limits", "environment", false, "duration", "of building the environment; 1 h"},
      KeyRow{"limits", "source", false, "duration", "of the checkout; 30 min"},
      KeyRow{"limits", "processes", false, "number", "at once, of one pass; 512"},
      KeyRow{"limits", "log", false, "size", "kept of each stream; 64 MiB"},
      KeyRow{"cleanup", "delete", true, "list", "of outputs, source, environment"},
  };
  return rows;
}

bool comes_later(std::string_view section, std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 15> later = {
      {{"", "weights"},
       {"", "data"},
       {"", "confidentiality"},
       {"", "capture"},
       {"repository", "sparse"},
       {"repository", "lfs"},
       {"steps", "artefacts"},
       {"steps", "audit"},
       {"steps", "parity"},
       {"steps", "sweep"},
       {"steps", "soak"},
       {"steps", "speed"},
       {"outputs.*", "printed"},
       {"outputs.*", "change"},
       {"stop.*", "allow"}}};
  return std::find(later.begin(), later.end(), std::pair{section, name}) != later.end();
}

std::vector<std::string> keys_of(std::string_view section) {
  std::vector<std::string> names;
  for (const auto& row : key_table()) {
    if (row.section == section) names.emplace_back(row.name);
  }
  return names;
}

}  // namespace mpsgate
