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
      KeyRow{"", "weights", false, "names of section artefacts.*",
             "checkpoints; `{weights.NAME}` in a command is the file"},
      KeyRow{"", "data", false, "names of section artefacts.*",
             "sample data; `{data.NAME}` in a command is the file or folder"},
      KeyRow{"", "confidentiality", false, "section confidentiality",
             "where weights and data may go, and for how long"},
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
      KeyRow{"repository", "sparse", false, "list of path",
             "files and folders to check out, and no others; every report says so", "everything"},
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
      KeyRow{"artefacts.*", "url", false, "text",
             "https or file; its query is never shown; no user name or token in it"},
      KeyRow{"artefacts.*", "url-from", false, "variable",
             "environment variable that holds the URL: a presigned one is as secret as a token"},
      KeyRow{"artefacts.*", "path", false, "text",
             "a file or folder beside the protocol, used where it lies"},
      KeyRow{"artefacts.*", "checkout", false, "path", "a file or folder of the lab's repository"},
      KeyRow{"artefacts.*", "sha256", true, "sha256",
             "of the file; of a folder: of its sorted manifest. `mpsgate hash PATH` prints it"},
      KeyRow{"artefacts.*", "size", false, "size",
             "what is larger or smaller is refused before it is hashed"},
      KeyRow{"artefacts.*", "file", false, "text", "the name that a command sees",
             "the last part of `url` or `path`, else its name"},
      KeyRow{"artefacts.*", "credential", false, "variable",
             "holds a token for that URL's host; it reaches `mpsgate-fetch` only"},
      KeyRow{"artefacts.*", "confidentiality", false, "word a class: public, internal, restricted",
             "the class of this one", "`confidentiality.class`"},
      KeyRow{"confidentiality", "class", false, "word a class: public, internal, restricted",
             "of all weights and data that say nothing else", "`public`"},
      KeyRow{"confidentiality", "machines", false, "list of text",
             "names of the machines on which what is not public may lie (`*` stands for any characters)",
             "any machine; restricted needs it"},
      KeyRow{"confidentiality", "allowed-by", false, "text",
             "who allowed it, and when; every report repeats it; restricted needs it"},
      KeyRow{"confidentiality", "retention", false, "duration",
             "how long a downloaded copy may be kept: `mpsgate purge --expired` deletes what is older"},
      KeyRow{"commands.*", "run", false, "text | list of text", "the command itself"},
      KeyRow{"commands.*", "notebook", false, "path",
             "a notebook of the checkout, executed by the environment's own nbconvert, or papermill where "
             "there are `parameters`; it is run in its own folder"},
      KeyRow{"commands.*", "parameters", false, "map of text",
             "of the notebook, for papermill; values may hold placeholders"},
      KeyRow{"commands.*", "directory", false, "path", "where it is executed, below the checkout", "the top"},
      KeyRow{"commands.*", "environment", false, "map of text",
             "environment variables by name; values may hold placeholders"},
      KeyRow{"commands.*", "exit", false, "whole 0..255", "the exit code of a success", "0"},
      KeyRow{"outputs.*", "of", false, "text", "the command that writes it", "the first command"},
      KeyRow{"outputs.*", "file", false, "path",
             "below `{out}`: a file, or a folder, compared as a whole; `*`, `?` and `**` match names: one "
             "match counts as that file, several as a folder of them"},
      KeyRow{"outputs.*", "checkout", false, "path",
             "the same below the checkout, for scripts that write beside themselves"},
      KeyRow{"outputs.*", "json", false, "text",
             "the value at that path of the JSON file alone: `$.val.accuracy`, `$.runs[0].loss`; of .jsonl "
             "the last line counts"},
      KeyRow{"outputs.*", "printed", false, "text",
             "a number that the command prints: a regular expression (RE2) with one group; the last line of "
             "standard output that matches counts"},
      KeyRow{"outputs.*", "change", false, "section outputs.*.change",
             "the largest difference, instead of a tolerance"},
      KeyRow{"outputs.*", "compare", false, "section outputs.*.compare",
             "the lab's own comparison, instead of a tolerance"},
      KeyRow{"outputs.*", "tolerance", false, "text | section tolerances.*",
             "the band in which it must lie, or its name", "`rtol` 1e-3, `atol` 1e-5"},
      KeyRow{"outputs.*.change", "at-most", true, "change",
             "in the output's own unit, in percentage points, or in percent of the expected value"},
      KeyRow{"outputs.*.compare", "command", true, "text",
             "a command with `{actual}` and `{expected}`: exit code 0 says they agree, 1 that they do not"},
      KeyRow{"outputs.*.compare", "printed", false, "text",
             "a figure that it prints: a regular expression (RE2) with one group"},
      KeyRow{"outputs.*.compare", "at-most", false, "number", "the largest figure that agrees"},
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
      KeyRow{"steps", "sweep", false, "section steps.sweep", "runs of several batch sizes",
             "the step is skipped"},
      KeyRow{"steps", "soak", false, "section steps.soak", "a run of many epochs", "the step is skipped"},
      KeyRow{"steps", "speed", false, "text", "the command whose steps are timed", "the first command"},
      KeyRow{"steps", "export", false, "section steps.export", "writes results in the project's own format",
             "the step is skipped"},
      KeyRow{"steps.repeat", "command", false, "text", "the command", "the first command"},
      KeyRow{"steps.repeat", "passes", false, "whole 2..50", "how many passes", "3"},
      KeyRow{"steps.repeat", "bitwise", false, "flag", "demand equal bytes instead of the tolerances",
             "`false`"},
      KeyRow{"steps.sweep", "command", true, "text", "a command with `{batch}`"},
      KeyRow{"steps.sweep", "batch", true, "list of whole 1..1000000",
             "the batch sizes; other steps that execute the command take the first"},
      KeyRow{"steps.sweep", "epochs", false, "whole 1..1000000", "`{epochs}`, where the command has it", "1"},
      KeyRow{"steps.soak", "command", true, "text", "a command with `{epochs}`"},
      KeyRow{"steps.soak", "epochs", false, "whole 2..1000000", "how many", "10"},
      KeyRow{"steps.soak", "batch", false, "whole 1..1000000", "`{batch}`, where the command has it",
             "the first of the sweep, else 1"},
      KeyRow{"steps.export", "command", true, "text",
             "the command that writes the export; its outputs are read back"},
      KeyRow{"steps.export", "check", false, "text",
             "the lab's own check; in it `{exported}` is the folder of the export's outputs"},
      KeyRow{"gating", "add", false,
             "list of word a step: host, source, artefacts, audit, environment, probe, control, strict, "
             "census, repeat, parity, sweep, soak, speed, export, relaunch, cleanup",
             "steps that must pass as well"},
      KeyRow{"gating", "drop", false, "map of text",
             "gating steps that are not run, with the reason; every report repeats it. `source`, `artefacts` "
             "(where some are named), `environment` and `control` cannot be dropped"},
      KeyRow{"stop.*", "over", false, "text", "another limit, with the criterion's unit"},
      KeyRow{"stop.*", "off", false, "flag", "`true`: not in force; wants `because`", "`false`"},
      KeyRow{"stop.*", "ask", false, "flag", "`true`: in force, for criteria that are so on request only",
             "`false`"},
      KeyRow{"stop.*", "because", false, "text", "the reason"},
      KeyRow{"stop.*", "allow", false, "map of section stop.*.allow.*",
             "operators that may return to the CPU, for `fallback.operators`: `aten::cumsum.out`"},
      KeyRow{"stop.*.allow.*", "because", true, "text", "the reason; every report repeats it"},
      KeyRow{"stop.*.allow.*", "until", true, "date", "the last day on which it holds"},
      KeyRow{"limits", "command", false, "duration", "of one pass", "10 min"},
      KeyRow{"limits", "silence", false, "duration", "longest time without output", "none"},
      KeyRow{"limits", "environment", false, "duration", "of building the environment", "1 h"},
      KeyRow{"limits", "source", false, "duration", "of the checkout", "30 min"},
      KeyRow{"limits", "artefacts", false, "duration", "of all weights and data", "2 h"},
      KeyRow{"limits", "processes", false, "whole 1..100000", "at once, of one pass", "512"},
      KeyRow{"limits", "output", false, "size", "of one output, file or folder", "4 GiB"},
      KeyRow{"limits", "log", false, "size", "kept of each stream", "64 MiB"},
      KeyRow{"cleanup", "delete", true,
             "list of word what can be deleted: outputs, source, environment, weights, data",
             "what is deleted, and looked for afterwards; of weights and data the downloaded copies"},
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
  static constexpr std::array rows = {ChoiceRow{"artefacts.*", "url, url-from, path, checkout", true},
                                      ChoiceRow{"commands.*", "run, notebook", true},
                                      ChoiceRow{"outputs.*", "file, checkout, printed", true},
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
      SectionRow{"artefacts.*", "weights.*, data.*",
                 "One file or folder: one of `url`, `url-from`, `path` and `checkout`; see "
                 "[artefacts.md](artefacts.md)."},
      SectionRow{"confidentiality", "confidentiality",
                 "Where weights and data may go; see [artefacts.md](artefacts.md)."},
      SectionRow{"commands.*", "commands.*", "A command with more to say than its words."},
      SectionRow{"outputs.*", "outputs.*", "One output: one of `file`, `checkout` and `printed`."},
      SectionRow{"outputs.*.change", "outputs.*.change", "The largest difference."},
      SectionRow{"outputs.*.compare", "outputs.*.compare",
                 "The lab's own comparison; it is executed in a pass of its own."},
      SectionRow{"tolerances.*", "tolerances.*",
                 "A band; an element passes when |actual − expected| ≤ atol + rtol·|expected|."},
      SectionRow{"steps", "steps", "The command of each step."},
      SectionRow{"steps.repeat", "steps.repeat", "The passes of repeat."},
      SectionRow{"steps.sweep", "steps.sweep", "The batch sizes."},
      SectionRow{"steps.soak", "steps.soak", "The epochs."},
      SectionRow{"steps.export", "steps.export", "The export."},
      SectionRow{"gating", "gating", "Steps that must pass; see [verdict.md](verdict.md)."},
      SectionRow{"stop.*", "stop.*", "One stop criterion; see [verdict.md](verdict.md)."},
      SectionRow{"stop.*.allow.*", "stop.*.allow.*", "One exception."},
      SectionRow{"limits", "limits", "Limits."},
      SectionRow{"cleanup", "cleanup", "The end."},
  };
  return rows;
}

bool comes_later(std::string_view section, std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> later = {
      {{"", "capture"},
       {"repository", "lfs"},
       {"steps", "artefacts"},
       {"steps", "audit"},
       {"steps", "parity"}}};
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

namespace {

/// Ids of criteria hold dots: below a map every later part may be the next key, the nearest that fits is.
const KeyRow* key_below(std::string_view section, std::span<const std::string> parts) {
  const KeyRow* row = nullptr;
  for (const auto& candidate : key_table()) {
    if (candidate.section == section && candidate.name == parts[0]) row = &candidate;
  }
  if (!row || parts.size() == 1) return row;
  const Shape shape = parse_shape(row->shape);
  const Shape* inner = shape.section();
  if (!has_names(shape)) return inner ? key_below(inner->what, parts.subspan(1)) : nullptr;
  if (!inner || parts.size() == 2) return row;
  for (std::size_t at = 2; at < parts.size(); ++at) {
    if (const KeyRow* found = key_below(inner->what, parts.subspan(at))) return found;
  }
  return nullptr;
}

}  // namespace

const KeyRow* key_at(std::string_view path) {
  const auto parts = split(path, '.');
  return key_below("", parts);
}

}  // namespace mpsgate
