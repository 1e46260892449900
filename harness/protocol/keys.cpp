#include "protocol/keys.h"

#include "base/text.h"
#include "protocol/shape.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mpsgate {

std::span<const KeyRow> key_table() {
  static constexpr std::array rows = {
      KeyRow{"", "mpsgate", true, "whole 1..1",
             "version of the protocol language; it rises only when a meaning changes"},
      KeyRow{"", "name", true, "name", "what runs and reports are called"},
      KeyRow{"", "purpose", false, "section purpose", "why the question is asked"},
      KeyRow{"", "repository", true, "section repository", "what is checked out"},
      KeyRow{"", "environment", false, "section environment", "the Python environment", "an empty one"},
      KeyRow{"", "commands", true, "names of text | section commands.* | list of text",
             "what is executed; the first is the default of every step"},
      KeyRow{"", "devices", false, "map(cpu, mps, cuda) of nothing | text | list of text",
             "what `{device_args}` stands for on each arm",
             "`--device cpu`, `--device mps`, `--device cuda`"},
      KeyRow{"", "outputs", true, "names of section outputs.*", "what the commands write"},
      KeyRow{"", "tolerances", false, "names of section tolerances.*", "tolerance bands by name"},
      KeyRow{"", "references", false, "names of text",
             "folders of bundles captured elsewhere: `outputs/COMMAND/NAME.EXT` below the folder"},
      KeyRow{"", "files", false, "list of text",
             "driver scripts beside the protocol, copied into the top of each pass's checkout"},
      KeyRow{"", "steps", false, "section steps", "which command each step executes"},
      KeyRow{"", "gating", false, "section gating", "which steps must pass"},
      KeyRow{"", "stop", false, "map of section stop.*", "changed stop criteria, by id"},
      KeyRow{"", "limits", false, "section limits", "limits of a pass and of the slow steps"},
      KeyRow{"", "cleanup", false, "section cleanup", "what is deleted at the end"},
      KeyRow{"purpose", "why", false, "text", "repeated in every report"},
      KeyRow{"purpose", "macos-required", false, "flag",
             "whether macOS validation is a required stage of the project", "`false`"},
      KeyRow{"purpose", "workload", false, "word a workload: inference, training, llm, preprocessing",
             "what dominates the work", "`inference`"},
      KeyRow{"repository", "url", true, "text",
             "https, ssh, file, `git@host:path`, or a path from the root of the protocol's own repository; "
             "no user name or token in it"},
      KeyRow{"repository", "commit", true, "commit",
             "the exact commit; branches and tags move and are refused"},
      KeyRow{"repository", "submodules", false, "flag", "whether submodules are checked out", "`true`"},
      KeyRow{"repository", "credential", false, "variable",
             "holds a token for https; it reaches `mpsgate-fetch` only"},
      KeyRow{"environment", "python", false, "version", "`\"3.11\"` takes any 3.11 of the machine",
             "the machine's own `python3`"},
      KeyRow{"environment", "files", false, "list of path", "requirements files of the checkout"},
      KeyRow{"environment", "packages", false, "list of text", "further requirements"},
      KeyRow{"environment", "install", false, "path", "folder of the lab's own package, usually `.`"},
      KeyRow{"environment", "replace", false, "map of section environment.replace.*",
             "requirements to replace, by package"},
      KeyRow{"environment", "drop", false, "map of text",
             "requirements to leave out, by package, with the reason; every report repeats it"},
      KeyRow{"environment.replace.*", "with", true, "text", "the requirement that is installed instead"},
      KeyRow{"environment.replace.*", "because", true, "text", "the reason; every report repeats it"},
      KeyRow{"commands.*", "run", true, "text | list of text", "the command itself"},
      KeyRow{"commands.*", "directory", false, "path", "where it is executed, below the checkout", "the top"},
      KeyRow{"commands.*", "environment", false, "map of text",
             "environment variables by name; values may hold placeholders"},
      KeyRow{"commands.*", "exit", false, "whole 0..255", "the exit code of a success", "0"},
      KeyRow{"outputs.*", "of", false, "text", "the command that writes it", "the first command"},
      KeyRow{"outputs.*", "file", false, "path", "below `{out}`: a file, or a folder, compared as a whole"},
      KeyRow{"outputs.*", "checkout", false, "path",
             "below the checkout, for scripts that write beside themselves"},
      KeyRow{"outputs.*", "printed", false, "text",
             "a number that the command prints: a regular expression (RE2) with one group; the last line of "
             "standard output that matches counts"},
      KeyRow{"outputs.*", "change", false, "section outputs.*.change",
             "the largest difference, instead of a tolerance"},
      KeyRow{"outputs.*", "tolerance", false, "text | section tolerances.*",
             "the band in which it must lie, or its name", "`rtol` 1e-3, `atol` 1e-5"},
      KeyRow{"outputs.*.change", "at-most", true, "number", "in the output's own unit"},
      KeyRow{"tolerances.*", "rtol", false, "number", "relative part, of the expected value", "0"},
      KeyRow{"tolerances.*", "atol", false, "number", "absolute part", "0"},
      KeyRow{"tolerances.*", "nan", false, "word fail or equal: fail, equal",
             "whether NaN against NaN passes", "`fail`"},
      KeyRow{"steps", "control", false, "text", "the command that is executed on the CPU first",
             "the first command"},
      KeyRow{"steps", "strict", false, "text", "the command that is executed on mps without any fallback",
             "the first command"},
      KeyRow{"steps", "census", false, "text", "the command that is executed on mps under observation",
             "the first command"},
      KeyRow{"steps", "repeat", false, "text | section steps.repeat",
             "the command that is executed several times", "the first command"},
      KeyRow{"steps", "relaunch", false, "text", "the command that is started again from disk",
             "the first command"},
      KeyRow{"steps", "export", false, "section steps.export", "writes results in the project's own format",
             "the step is skipped"},
      KeyRow{"steps.repeat", "command", false, "text", "the command", "the first command"},
      KeyRow{"steps.repeat", "passes", false, "whole 2..50", "how many passes", "3"},
      KeyRow{"steps.repeat", "bitwise", false, "flag", "demand equal bytes instead of the tolerances",
             "`false`"},
      KeyRow{"steps.export", "command", true, "text",
             "the command that writes the export; its outputs are read back"},
      KeyRow{"steps.export", "check", false, "text",
             "the lab's own check; in it `{exported}` is the folder of the export's outputs"},
      KeyRow{"gating", "add", false,
             "list of word a step: host, source, artefacts, audit, environment, probe, control, strict, "
             "census, repeat, parity, sweep, soak, speed, export, relaunch, cleanup",
             "steps that must pass as well"},
      KeyRow{"gating", "drop", false, "map of text",
             "gating steps that are not run, with the reason; every report repeats it. `source`, "
             "`environment` and `control` cannot be dropped"},
      KeyRow{"stop.*", "over", false, "text", "another limit, with the criterion's unit"},
      KeyRow{"stop.*", "off", false, "flag", "`true`: not in force; wants `because`", "`false`"},
      KeyRow{"stop.*", "ask", false, "flag", "`true`: in force, for criteria that are so on request only",
             "`false`"},
      KeyRow{"stop.*", "because", false, "text", "the reason"},
      KeyRow{"limits", "command", false, "duration", "of one pass", "10 min"},
      KeyRow{"limits", "silence", false, "duration", "longest time without output", "none"},
      KeyRow{"limits", "environment", false, "duration", "of building the environment", "1 h"},
      KeyRow{"limits", "source", false, "duration", "of the checkout", "30 min"},
      KeyRow{"limits", "processes", false, "whole 1..100000", "at once, of one pass", "512"},
      KeyRow{"limits", "output", false, "size", "of one output, file or folder", "4 GiB"},
      KeyRow{"limits", "log", false, "size", "kept of each stream", "64 MiB"},
      KeyRow{"cleanup", "delete", true, "list of word what can be deleted: outputs, source, environment",
             "what is deleted, and looked for afterwards"},
  };
  return rows;
}

std::vector<std::string> ChoiceRow::names() const {
  std::vector<std::string> found;
  for (const auto& name : split(keys, ','))
    found.emplace_back(trim(name));
  return found;
}

std::span<const ChoiceRow> choice_table() {
  static constexpr std::array rows = {ChoiceRow{"outputs.*", "file, checkout, printed", true},
                                      ChoiceRow{"tolerances.*", "rtol, atol", false}};
  return rows;
}

std::span<const SectionRow> section_table() {
  static constexpr std::array rows = {
      SectionRow{"", "The top", "The keys of the file itself."},
      SectionRow{"purpose", "purpose", "Why the question is asked."},
      SectionRow{"repository", "repository", "What is checked out."},
      SectionRow{"environment", "environment",
                 "The Python environment; see [environments.md](environments.md)."},
      SectionRow{"environment.replace.*", "environment.replace.*", "One replaced requirement."},
      SectionRow{"commands.*", "commands.*", "A command with more to say than its words."},
      SectionRow{"outputs.*", "outputs.*", "One output: one of `file`, `checkout` and `printed`."},
      SectionRow{"outputs.*.change", "outputs.*.change", "An absolute difference."},
      SectionRow{"tolerances.*", "tolerances.*",
                 "A band; an element passes when |actual − expected| ≤ atol + rtol·|expected|."},
      SectionRow{"steps", "steps", "The command of each step."},
      SectionRow{"steps.repeat", "steps.repeat", "The passes of repeat."},
      SectionRow{"steps.export", "steps.export", "The export."},
      SectionRow{"gating", "gating", "Steps that must pass; see [verdict.md](verdict.md)."},
      SectionRow{"stop.*", "stop.*", "One stop criterion; see [verdict.md](verdict.md)."},
      SectionRow{"limits", "limits", "Limits."},
      SectionRow{"cleanup", "cleanup", "The end."},
  };
  return rows;
}

bool comes_later(std::string_view section, std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> later = {
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

namespace {

bool has_names(const Shape& shape) {
  return shape.kind == Shape::Kind::names || shape.kind == Shape::Kind::map;
}

}  // namespace

const KeyRow* key_at(std::string_view path) {
  // Ids of criteria hold dots: the last part names the key, the first ones the way to its section.
  const KeyRow* found = nullptr;
  std::string section;
  const auto parts = split(path, '.');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const KeyRow* row = nullptr;
    for (const auto& candidate : key_table()) {
      if (candidate.section == section && candidate.name == parts[i]) row = &candidate;
    }
    if (!row) return nullptr;
    found = row;
    if (i + 1 == parts.size()) return found;
    const Shape shape = parse_shape(row->shape);
    const Shape* inner = shape.section();
    if (has_names(shape)) {
      // A name, of one part or more; what follows the last of them is a key again.
      if (!inner || i + 2 >= parts.size()) return found;
      section = inner->what;
      i = parts.size() - 2;
      continue;
    }
    if (!inner) return nullptr;
    section = inner->what;
  }
  return found;
}

}  // namespace mpsgate
