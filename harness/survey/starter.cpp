#include "survey/starter.h"

#include "base/files.h"
#include "base/text.h"
#include "environment/version.h"
#include "survey/entry_point.h"
#include "survey/option_names.h"
#include "survey/packages.h"
#include "survey/yaml_text.h"

#include <algorithm>
#include <optional>
#include <set>

namespace mpsgate {
namespace {

using namespace option_names;

constexpr std::size_t kMostOthers = 8;
constexpr std::size_t kMostPlaces = 5;
constexpr std::size_t kMostOutputs = 5;

/// Files that comparison reads as numbers.
const std::vector<std::string> kCompared = {".npy", ".npz", ".csv", ".tsv", ".json"};

std::string at(const std::string& file, int line) {
  return file + ":" + std::to_string(line);
}
std::string at(const Place& place) {
  return at(place.file, place.line);
}
std::string at(const ScriptOption& option) {
  return at(option.file, option.line);
}

std::string extension_of(const std::string& file) {
  return fs::path(file).extension().string();
}
bool is_compared(const std::string& file) {
  return std::find(kCompared.begin(), kCompared.end(), lowercase(extension_of(file))) != kCompared.end();
}

/// A name that is not taken yet; takes it.
std::string fresh_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 2; !taken.insert(name).second; ++i)
    name = wanted + "-" + std::to_string(i);
  return name;
}

class Writer {
 public:
  Writer(const Survey& survey, const StarterPlace& place)
      : survey_(survey), place_(place), points_(entry_points(survey)) {
    if (!points_.empty()) options_ = options_of(survey, points_.front().file);
  }

  Starter write() {
    name_ = place_.name.empty() ? fitted_name(survey_.folder_name, "lab") : place_.name;
    find_weights();
    choose_words();
    write_purpose();
    write_repository();
    write_environment();
    write_weights();
    write_command();
    write_devices();
    write_outputs();
    write_rest();
    const std::string body = std::move(starter_.text);
    for (std::size_t i = body.find(kFillMeIn); i != std::string::npos; i = body.find(kFillMeIn, i + 1)) {
      const auto begin = body.rfind('\n', i) + 1;
      if (body[body.find_first_not_of(' ', begin)] != '#') ++starter_.open;
    }
    starter_.text.clear();
    write_head();
    starter_.text += body;
    return std::move(starter_);
  }

 private:
  // Writing.

  void line(const std::string& text) { starter_.text += text + "\n"; }
  void gap() { starter_.text += "\n"; }
  void comment(int indent, const std::vector<std::string>& paragraphs) {
    starter_.text += yaml_comment(indent, paragraphs);
  }
  void found(const std::string& what, const std::string& said) {
    starter_.found.emplace_back(what, one_line(replace_all(said, "\r", " "), 200));
  }

  void write_head() {
    std::vector<std::string> head = {
        "A first protocol for " + name_ +
        ", written by mpsgate init from what lies in the repository; nothing was executed. Where a comment "
        "says \"Decide\", only you know the answer."};
    if (starter_.open > 0)
      head.push_back(std::string(kFillMeIn) + " marks " + std::to_string(starter_.open) +
                     (starter_.open == 1 ? " word" : " words") +
                     " that the repository does not tell: the command fails until you write " +
                     (starter_.open == 1 ? "it." : "them."));
    head.insert(head.end(), {"",
                             "  mpsgate validate " + place_.file +
                                 "   # checks this file; --explain KEY says what a key means",
                             "  mpsgate rehearse " + place_.file + "   # does everything that needs no Mac",
                             "  mpsgate run " + place_.file + "   # on the Mac"});
    comment(0, head);
    line("mpsgate: 1");
    line("name: " + yaml_text(name_));
    gap();
  }

  void write_purpose() {
    comment(0, {"Decide: why you ask, in a sentence that every report repeats; and what dominates the work: "
                "inference, "
                "training, llm or preprocessing."});
    line("purpose: {why: " + yaml_text("whether " + name_ + " can be trusted on Apple's mps device") +
         ", workload: " + (trains() ? "training" : "inference") + "}");
    gap();
  }

  bool trains() const {
    const bool learns = option_of({"lr", "learning-rate", "weight-decay"}, true) != nullptr;
    return !points_.empty() && (points_.front().trains || learns);
  }

  void write_repository() {
    const auto& git = survey_.git;
    const std::string where = git.branch.empty() ? "HEAD" : "branch " + one_line(git.branch, 80);
    const std::string counts =
        " Only what is committed counts: changes in the working tree are not in a run.";
    if (!git.url.empty()) {
      comment(0, {"The remote \"origin\" and the commit of " + where + "." + counts +
                  " The commit must have been pushed."});
      if (!git.origin.empty())
        comment(0, {"git has origin as " + git.origin +
                    "; a protocol holds no user name, no token and no http."});
    } else {
      comment(0, {(git.origin.empty() ? "The checkout has no remote \"origin\""
                                      : "A protocol cannot name the remote \"origin\" (" + git.origin + ")") +
                      std::string(", so the url is this checkout itself, at the commit of ") + where + "." +
                      counts,
                  "Decide: where other machines find the repository: https://HOST/PATH or git@HOST:PATH. "
                  "Until then this file works " +
                      std::string(place_.inside ? "in this checkout only." : "on this machine only.")});
    }
    line("repository:");
    line("  url: " + yaml_text(git.url.empty() ? place_.local_url : git.url));
    line("  commit: " + yaml_text(git.commit));
    gap();
    found("repository", (git.url.empty() ? "no remote of use: this checkout itself" : git.url) + " at " +
                            git.commit.substr(0, 12));
  }

  // The environment.

  void write_environment() {
    const auto& packaging = survey_.packaging;
    const std::string file =
        packaging.requirements.empty() && !packaging.unreadable.empty() ? "" : file_taken();
    const std::string python = pinned_python(packaging.python);
    std::vector<std::string> packages;
    if (file.empty() && packaging.package.empty()) packages = imported_packages();
    comment(0, {"The Python environment, rebuilt from the repository's own files."});
    const bool nothing = python.empty() && file.empty() && packaging.package.empty() && packages.empty();
    line(nothing ? "environment: {}" : "environment:");
    if (!packaging.python.empty()) {
      comment(2, {at(packaging.python_place) + " asks for Python " + packaging.python +
                  (python.empty() ? ". Without the key python the machine's own python3 is taken." : "")});
    } else if (!nothing) {
      comment(
          2,
          {"Decide: nothing says which Python. Without the key python the machine's own python3 is taken."});
    }
    if (!python.empty()) line("  python: \"" + python + "\"");
    if (!file.empty()) line("  files: " + yaml_list({file}));
    if (!packaging.package.empty()) {
      comment(2, {packaging.package +
                  " makes the repository a package: it is installed, with what it depends on."});
      line("  install: .");
    }
    if (!packages.empty()) {
      comment(2, {"No file names a package, so these are what the code imports. Decide: which releases you "
                  "use; pin each: name==version."});
      line("  packages: " + yaml_list(packages));
    }
    write_other_files(file);
    write_torch(packages);
    const std::size_t unportable = write_unportable();
    gap();
    std::vector<std::string> said;
    if (!file.empty()) said.push_back(file);
    if (!packaging.package.empty()) said.push_back(packaging.package + " (install: .)");
    if (!packages.empty()) said.push_back("what the code imports: " + join(packages, ", "));
    if (!packaging.python.empty()) said.push_back("Python " + packaging.python);
    found("environment", said.empty() ? "nothing that names a package" : join(said, ", "));
    if (unportable > 0)
      found("not for a Mac", std::to_string(unportable) + (unportable == 1 ? " package" : " packages") +
                                 ": see environment in the file");
  }

  std::string file_taken() const {
    const auto& files = survey_.packaging.requirement_files;
    return files.empty() || (survey_.packaging.requirements.empty() && files.front() != "requirements.txt")
               ? ""
               : files.front();
  }

  std::vector<std::string> imported_packages() const {
    std::vector<std::string> packages;
    std::vector<const PythonFile*> files;
    if (!points_.empty()) files = reached_files(survey_, points_.front().file);
    for (const auto& [import, package] : kPackages) {
      const bool imported =
          std::any_of(files.begin(), files.end(), [&, &name = import](const PythonFile* file) {
            return std::any_of(file->imports.begin(), file->imports.end(),
                               [&](const auto& one) { return one == name || one.starts_with(name + "."); });
          });
      if (imported) packages.push_back(package);
    }
    return packages;
  }

  void write_other_files(const std::string& taken) {
    const auto& packaging = survey_.packaging;
    std::vector<std::string> others;
    for (const auto& file : packaging.requirement_files) {
      if (file != taken && others.size() < kMostOthers) others.push_back(one_line(file, 100));
    }
    if (!packaging.unreadable.empty()) comment(2, {"Not taken: " + packaging.unreadable});
    if (!others.empty()) comment(2, {"Other requirements files, not taken: " + join(others, ", ")});
    std::vector<std::string> conda(
        packaging.conda_files.begin(),
        packaging.conda_files.begin() +
            static_cast<std::ptrdiff_t>(std::min(kMostOthers, packaging.conda_files.size())));
    if (!conda.empty())
      comment(2, {"Conda's files are not read by this version: " + join(conda, ", ") +
                  ". Decide: which of their packages the command needs; name them under packages: "
                  "[name==version]."});
    if (!packaging.extension.file.empty())
      comment(2, {at(packaging.extension) +
                  " builds a CUDA extension, which no Mac can: the installation may fail there."});
  }

  void write_torch(const std::vector<std::string>& packages) {
    const auto& requirements = survey_.packaging.requirements;
    const auto torch = std::find_if(requirements.begin(), requirements.end(),
                                    [](const auto& one) { return one.name == "torch"; });
    const bool imported = std::find(packages.begin(), packages.end(), "torch") != packages.end();
    if (torch == requirements.end()) {
      comment(2,
              {std::string("No file names torch") + (imported ? "" : ", unless another package brings it") +
               ". A verdict rests on one release: without an exact one it is inconclusive. Decide: the "
               "release you use; "
               "python -c 'import torch; print(torch.__version__)' prints it."});
      if (!imported) line("  # packages: [torch==" + std::string(kFillMeIn) + "]");
    } else if (torch->pinned.empty()) {
      comment(2, {at(torch->place) + " leaves the release of torch open (" + torch->text +
                  "): without an exact one the verdict is inconclusive. Decide: the release you use, and "
                  "take out the \"#\"."});
      line("  # packages: [torch==" + std::string(kFillMeIn) + "]");
    }
  }

  std::size_t write_unportable() {
    std::vector<std::string> why, replace, drop;
    std::set<std::string> seen;
    for (const auto& requirement : survey_.packaging.requirements) {
      if (requirement.name.empty() || requirement.constraint || elsewhere_only(requirement.marker)) continue;
      const Unportable* row = unportable(requirement.name);
      const bool local = requirement.pinned.find("+cu") != std::string::npos;
      if ((!row && !local) || seen.size() >= 20 || !seen.insert(requirement.name).second) continue;
      why.push_back(at(requirement.place) + " asks for " + requirement.text +
                    (local ? ", a build for CUDA that no Mac can install."
                           : ", which needs CUDA or has no build for macOS."));
      const std::string release = public_version(requirement.pinned);
      const std::string name = local ? requirement.name : row->instead;
      const std::string key = yaml_text(requirement.name);
      if (!name.empty()) {
        replace.push_back("    " + key +
                          ": {with: " + yaml_text(name + (release.empty() ? "" : "==" + release)) +
                          ", because: the repository asks for the CUDA build}");
      } else {
        drop.push_back("    " + key + ": " + std::string(kFillMeIn) + " why the command does not need it");
      }
    }
    if (why.empty()) return 0;
    comment(2, why);
    comment(2, {"Decide: whether the command works without. If so, take out the \"#\" of these lines; every "
                "report repeats the reasons."});
    const auto suggest = [&](const char* key, const std::vector<std::string>& lines) {
      if (lines.empty()) return;
      line(std::string("  # ") + key + ":");
      for (const auto& text : lines)
        line("  # " + text.substr(2));
    };
    suggest("replace", replace);
    suggest("drop", drop);
    return why.size();
  }

  // Weights.

  struct NamedWeights {
    std::string name;
    const WeightFile* file;
  };

  /// Those that a protocol can name: with a hash, below the protocol's root.
  void find_weights() {
    std::set<std::string> taken;
    for (const auto& file : survey_.weights) {
      if (place_.inside && !file.sha256.empty())
        weights_.push_back(
            {fresh_name(fitted_name(fs::path(file.path).stem().string(), "weights"), taken), &file});
    }
  }

  void write_weights() {
    std::vector<std::string> unnamed;
    std::uint64_t bytes = 0;
    bool pointers = false;
    for (const auto& file : survey_.weights) {
      bytes += file.bytes;
      pointers = pointers || file.pointer;
      if (!place_.inside || file.sha256.empty())
        unnamed.push_back(one_line(file.path, 200) + " (" + format_bytes(file.bytes) + ")");
    }
    if (!unnamed.empty())
      comment(0, {"Weights that are not named here, because " +
                  std::string(place_.inside ? "they are too large to be hashed at once"
                                            : "this file lies outside the checkout") +
                  ": " + join(unnamed, ", ")});
    if (!survey_.weights.empty())
      found("weights", std::to_string(survey_.weights.size()) +
                           (survey_.weights.size() == 1 ? " file, " : " files, ") + format_bytes(bytes));
    if (!weights_.empty()) starter_.text += weights_section(pointers);
    if (!weights_.empty() || !unnamed.empty()) gap();
  }

  /// The section `weights`: the one place that knows its keys.
  std::string weights_section(bool pointers) const {
    std::string text = yaml_comment(
        0,
        {"Weights that lie in the working tree; {weights.NAME} stands for the file in a command. Decide: "
         "take out what the "
         "command does not load; give url: instead of path: where other machines have to fetch the file."});
    if (pointers)
      text += yaml_comment(0, {"Files of Git LFS that are not here yet have the hash and size that their "
                               "pointer tells; git lfs pull brings them."});
    text += "weights:\n";
    for (const auto& [name, file] : weights_) {
      text += "  " + yaml_text(name) + ": {path: " + yaml_text(place_.up + file->path) +
              ", sha256: " + yaml_text(file->sha256) +
              ", size: " + yaml_text(std::to_string(file->bytes) + " B") + "}" +
              (file->pointer ? "   # a Git LFS pointer" : "") + "\n";
    }
    return text;
  }

  const NamedWeights* weights_for(const ScriptOption& option) const {
    const std::string wanted = fs::path(option.fallback).filename().string();
    for (const auto& one : weights_) {
      if (fs::path(one.file->path).filename() == wanted) return &one;
    }
    return weights_.empty() ? nullptr : &weights_.front();
  }

  // The command.

  const ScriptOption* option_of(const std::vector<std::string>& names, bool with_value) const {
    for (const auto& name : names) {
      for (const auto& option : options_) {
        if (option.name == name && option.takes_value == with_value) return &option;
      }
    }
    return nullptr;
  }

  /// Every word of the command, and what has to be said about them.
  void choose_words() {
    if (points_.empty()) {
      words_ = {"python", std::string(kFillMeIn) + ".py", "{device_args}"};
      command_ = "run";
      return;
    }
    command_ = points_.front().name;
    words_ = points_.front().words;
    choose_device();
    output_ = option_of(kOutput, true);
    for (const auto& option : options_) {
      if (!output_ && option.short_o && option.takes_value) output_ = &option;
    }
    const ScriptOption* weights = option_of(kWeights, true);
    for (const auto& option : options_) {
      const bool named = std::any_of(weights_.begin(), weights_.end(), [&](const auto& one) {
        return !option.fallback.empty() &&
               fs::path(one.file->path).filename() == fs::path(option.fallback).filename();
      });
      if (!weights && &option != output_ && option.takes_value && named) weights = &option;
    }
    if (weights && !weights_for(*weights)) weights = nullptr;
    words_.emplace_back("{device_args}");
    std::vector<std::string> behind;
    for (const auto& option : options_) {
      std::vector<std::string> values;
      if (&option == output_) {
        values = {output_word(option)};
      } else if (&option == weights) {
        values = {"{weights." + weights_for(option)->name + "}"};
      } else if (option.required && &option != device_ && option.name != "device") {
        values.assign(static_cast<std::size_t>(std::max(option.values, 1)),
                      option.choices.empty() ? kFillMeIn : literal_word(option.choices.front()));
        demanded_.push_back(&option);
      } else {
        continue;
      }
      auto& target = option.positional ? behind : words_;
      if (!option.positional) target.push_back(literal_word(option.flag));
      target.insert(target.end(), values.begin(), values.end());
    }
    words_.insert(words_.end(), behind.begin(), behind.end());
  }

  void write_command() {
    if (points_.empty()) {
      const bool notebook = !survey_.notebooks.empty();
      comment(
          0, {std::string("No script was found that can be started: none has if __name__ == "
                          "\"__main__\" or parses arguments. Decide: the ") +
              (notebook ? "notebook" : "command") + " that does a small, representative piece of the work."});
      if (notebook)
        comment(0, {"It is executed by the environment's own nbconvert: name nbconvert and ipykernel under "
                    "environment.packages. It finds the device and the folder for outputs in os.environ."});
      found("command", notebook ? one_line(survey_.notebooks.front(), 100) + ", a notebook"
                                : "none: no script that can be started");
    } else {
      const auto& point = points_.front();
      comment(0,
              {"Decide: a small, representative piece of the work, of a few minutes at most. {device_args} "
               "is what devices says for the arm, {out} a "
               "folder for outputs; the working folder is a fresh copy of the checkout." +
               std::string(
                   point.declared.file.empty() ? "" : " " + at(point.declared) + " declares this command.")});
      for (const auto* option : demanded_)
        comment(0, {option->flag + " is demanded by " + at(*option) +
                    (option->help.empty() ? "" : ": " + option->help) +
                    (option->choices.empty() ? "" : ". Choices: " + join(option->choices, ", "))});
      write_hints(point);
      found("command",
            join(point.words, " ") +
                (points_.size() > 1 ? " (of " + std::to_string(points_.size()) + " entry points)" : ""));
    }
    line("commands:");
    if (points_.empty() && !survey_.notebooks.empty()) {
      line("  " + yaml_text(command_) + ": {notebook: " + yaml_text(survey_.notebooks.front()) +
           ", environment: {DEVICE: \"{device}\", OUT: \"{out}\"}}");
    } else {
      line("  " + yaml_text(command_) + ": " + yaml_command(words_));
    }
    if (points_.size() > 1) comment(2, {"Others that were found:"});
    for (std::size_t i = 1; i < points_.size() && i <= kMostOthers; ++i)
      line("  #   " + one_line(yaml_command(points_[i].words), 200));
    if (!points_.empty() && !survey_.notebooks.empty()) {
      std::vector<std::string> some;
      for (std::size_t i = 0; i < survey_.notebooks.size() && i < kMostPlaces; ++i)
        some.push_back(one_line(survey_.notebooks[i], 100));
      comment(2, {"Notebooks, which a command names with notebook: instead of run: " + join(some, ", ")});
    }
    if (survey_.truncated) comment(2, {"The repository is large: not every file was looked at."});
    gap();
  }

  void write_hints(const EntryPoint& point) {
    const auto file = survey_.python.find(point.file);
    if (file == survey_.python.end()) return;
    const std::string& parser = file->second.parser;
    if (parser == "hydra")
      comment(0,
              {one_line(point.file, 200) + " is configured by hydra: options are words such as device=cpu."});
    if (parser == "fire")
      comment(0, {one_line(point.file, 200) +
                  " uses fire: options are the parameters of its function, --name=value."});
    if (file->second.subcommands > 0)
      comment(0,
              {at(point.file, file->second.subcommands) + " has subcommands: write one behind the script."});
    std::vector<std::string> shorter;
    for (const auto& option : options_) {
      if (option.takes_value && std::find(kShorter.begin(), kShorter.end(), option.name) != kShorter.end())
        shorter.push_back(option.flag + " (" + at(option) + ")");
    }
    if (!shorter.empty()) comment(0, {"Options that may shorten it: " + join(shorter, ", ")});
  }

  // The device.

  void choose_device() {
    for (const auto& [names, with_value] :
         {std::pair{&kDevice, true}, {&kAccelerator, true}, {&kMpsSwitch, false}, {&kCpuSwitch, false}}) {
      if ((device_ = option_of(*names, with_value))) return;
    }
    for (const auto& option : options_) {
      const bool said = lowercase(option.help).find("device") != std::string::npos ||
                        lowercase(option.help).find("mps") != std::string::npos;
      if (option.flag == "-d" && option.takes_value && said) device_ = &option;
    }
  }

  void write_devices() {
    std::string cpu = "[]", mps = "[]", cuda = "[]";
    if (device_ && device_->takes_value && !device_->positional) {
      const std::string flag = device_->flag;
      comment(0, {at(*device_) + " declares " + flag + "."});
      const auto has = [&](const char* name) {
        return std::find(device_->choices.begin(), device_->choices.end(), name) != device_->choices.end();
      };
      if (!device_->choices.empty() && !has("mps"))
        comment(0, {"Its choices leave mps out (" + join(device_->choices, ", ") +
                    "): the run on a Mac stops there until mps is added."});
      cpu = yaml_command({flag, "cpu"});
      mps = yaml_command({flag, "mps"});
      cuda = yaml_command({flag, "cuda"});
      found("device", flag + " (" + at(*device_) + ")");
    } else if (device_ && !device_->positional) {
      const bool for_mps = std::find(kMpsSwitch.begin(), kMpsSwitch.end(), device_->name) != kMpsSwitch.end();
      comment(0,
              {at(*device_) + " declares " + device_->flag + ". Without " +
               (for_mps ? "it" : "it the command chooses its device itself") +
               (for_mps ? " the command must stay on the CPU."
                        : ". Decide: whether that is mps on a Mac; where it is not, mps is never asked.")});
      (for_mps ? mps : cpu) = yaml_command({device_->flag});
      found("device", device_->flag + " (" + at(*device_) + ")");
    } else {
      write_no_device();
    }
    line("devices:");
    line("  cpu: " + cpu);
    line("  mps: " + mps);
    line("  cuda: " + cuda);
    gap();
  }

  void write_no_device() {
    const ScriptOption* only_cuda = option_of(kCudaOnly, true);
    if (!only_cuda) only_cuda = option_of(kCudaOnly, false);
    std::vector<std::string> lines;
    std::vector<const PythonFile*> files;
    if (!points_.empty()) files = reached_files(survey_, points_.front().file);
    for (const PythonFile* file : files) {
      for (const int number : file->cuda) {
        if (lines.size() < kMostPlaces) lines.push_back(at(file->path, number));
      }
    }
    for (const auto& [path, file] : survey_.python) {
      for (const int number : file.cuda) {
        const bool seen = std::find(files.begin(), files.end(), &file) != files.end();
        if (!seen && lines.size() < kMostPlaces) lines.push_back(at(path, number));
      }
    }
    comment(0, {"No option was found that takes the name of a device" +
                (only_cuda ? " (" + only_cuda->flag + ", " + at(*only_cuda) + ", knows CUDA only)"
                           : std::string()) +
                ", so the command chooses its device itself" +
                (lines.empty() ? "." : "; cuda is written at " + join(lines, ", ") + ".") +
                " Decide: give the script an option --device and write cpu: --device cpu, mps: --device mps "
                "here. As it is, a Mac may run it on the CPU without a word."});
    found("device", "no option: the command chooses itself" +
                        (lines.empty() ? std::string() : " (" + lines.front() + ")"));
  }

  // Outputs.

  std::string output_word(const ScriptOption& option) {
    const std::string ending = extension_of(option.fallback);
    if (ending.size() > 1 && option.use != ScriptOption::Use::folder) {
      const std::string name = fs::path(option.fallback).filename().string();
      files_ = {name};
      return "{out}/" + literal_word(name);
    }
    if (option.use == ScriptOption::Use::file || written_files().empty()) {
      files_ = {"results"};
      return "{out}/results";
    }
    for (const auto& name : written_files())
      files_.push_back(fs::path(name).filename().string());
    return "{out}";
  }

  /// Names of files that the script and what it imports write: those that can be compared if there are some.
  std::vector<std::string> written_files() const {
    std::vector<std::string> compared, others;
    if (points_.empty()) return {};
    for (const PythonFile* file : reached_files(survey_, points_.front().file)) {
      for (const auto& written : file->written) {
        auto& list = is_compared(written.name) ? compared : others;
        if (std::find(list.begin(), list.end(), written.name) == list.end()) list.push_back(written.name);
      }
    }
    auto& best = compared.empty() ? others : compared;
    if (best.size() > kMostOutputs) best.resize(kMostOutputs);
    return best;
  }

  void write_outputs() {
    if (output_) {
      comment(0,
              {at(*output_) + " declares " + output_->flag + "; " +
               (files_.front() == "results"
                    ? "what it writes is compared as a whole, a file or a folder. Decide: whether that is "
                      "right; file: NAME takes one file below {out}."
                    : "the files are guessed from the script. Decide: which of them the result rests on.")});
      found("output", output_->flag + ": " + join(files_, ", ") + " (" + at(*output_) + ")");
    } else {
      files_ = written_files();
      const bool guessed = !files_.empty();
      if (!guessed) files_ = {std::string(kFillMeIn) + ".npy"};
      comment(
          0,
          {"No option was found for where outputs go. checkout: PATH takes a file that the command writes in "
           "its working folder; only you know which. " +
           std::string(
               guessed ? "These names stand in the script; where it puts them in a folder, write that too."
                       : "If it writes none, let it save its numbers, or take one that it prints:")});
      if (!guessed) comment(0, {"  score: {printed: 'score ([0-9.]+)', change: {at-most: 0.01}}"});
      found("output", guessed ? "no option; the script writes " + join(files_, ", ")
                              : "no option: only you know what the command writes");
    }
    if (std::any_of(files_.begin(), files_.end(), [](const auto& file) { return !is_compared(file); }))
      comment(0, {"Numbers are compared within the tolerance in .npy, .npz, .csv, .tsv and .json; the bytes "
                  "of other files (images, sound, .pt) must be equal, which "
                  "two devices hardly ever give. Let the command save its numbers as .npy as well, by an "
                  "option or a driver script (files:)."});
    line("outputs:");
    std::set<std::string> taken;
    for (const auto& file : files_) {
      const std::string name =
          file.starts_with(kFillMeIn) ? "result" : fitted_name(fs::path(file).stem().string(), "result");
      line("  " + yaml_text(fresh_name(name, taken)) + ": {of: " + yaml_text(command_) + ", " +
           (output_ ? "file: " : "checkout: ") + yaml_text(file) + ", tolerance: float32}");
    }
    gap();
  }

  void write_rest() {
    comment(0, {"Decide: how far a number may lie from what it should be before it is wrong for your work: "
                "|actual - expected| <= atol + rtol * |expected|. These suit "
                "inference in float32; after training, rounding has grown (5e-2, 5e-3). A rehearsal reports "
                "how far repeated passes lie apart."});
    line("tolerances:");
    line("  float32: {rtol: 1e-3, atol: 1e-5}");
    gap();
    comment(0, {"Without a reference, mps is compared with the CPU of the same Mac. To compare with where "
                "you compute today, run this there, add the folder that it writes, and "
                "take out the \"#\" below:",
                "  mpsgate capture " + place_.file + " --name linux-cpu"});
    line("# references: {linux-cpu: references/linux-cpu}");
    gap();
    comment(0, {"Decide: how long one pass may take, on the slower machine."});
    line("limits: {command: 10 min}");
  }

  const Survey& survey_;
  const StarterPlace& place_;
  const std::vector<EntryPoint> points_;
  std::vector<ScriptOption> options_;  ///< of the entry point taken
  std::string name_, command_;
  std::vector<std::string> words_;
  std::vector<std::string> files_;  ///< outputs
  std::vector<NamedWeights> weights_;
  const ScriptOption* device_ = nullptr;
  const ScriptOption* output_ = nullptr;
  std::vector<const ScriptOption*> demanded_;
  Starter starter_;
};

}  // namespace

Starter write_starter(const Survey& survey, const StarterPlace& place) {
  return Writer(survey, place).write();
}

}  // namespace mpsgate
