#pragma once
#include "base/json.h"
#include "base/result.h"
#include "base/units.h"
#include "record/finding.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mpsgate {

/// Acceptable difference of one output element: |actual - expected| <= atol + rtol * |expected|.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  bool nan_equal = false;  ///< NaN against NaN passes; otherwise any NaN fails
  std::string name;        ///< of the protocol's tolerance; empty where written inline
};

struct Command {
  std::string name;
  std::vector<std::string> argv;                   ///< with placeholders; see expand(); empty: a notebook
  std::string notebook;                            ///< below the checkout
  std::map<std::string, std::string> parameters;   ///< of the notebook; values with placeholders
  std::string directory;                           ///< below the checkout; empty: its top
  std::map<std::string, std::string> environment;  ///< further variables; values with placeholders
  int exit_code = 0;                               ///< of a success
  Place place;
};

struct Output {
  std::string name;
  std::string of;    ///< the command that writes it
  std::string path;  ///< relative to {out}, or to the checkout where in_checkout; a file, a folder or a glob
  bool in_checkout = false;
  std::string printed;  ///< regular expression with one group; path is empty then
  std::string json;     ///< JsonPath into the file; empty: all of it
  /// The lab's own comparison, which then decides instead of the tolerance.
  struct Script {
    std::string command;            ///< empty: none
    std::string printed;            ///< regular expression with one group; empty: the exit code alone counts
    std::optional<double> at_most;  ///< of the figure
  } script;
  Tolerance tolerance;
  Place place;
};

/// Weights or sample data.
struct Artefact {
  std::string kind;  ///< "weights" or "data"
  std::string name;
  /// Exactly one is not empty: https:// or file://; the environment variable that holds such a URL; a path,
  /// resolved; a path below the checkout.
  std::string url;
  std::string url_from;
  std::filesystem::path local;
  std::string checkout;
  std::string sha256;  ///< of the file, or of the folder's manifest
  std::optional<SizeBand> size;
  std::string file;        ///< what commands see it called
  std::string credential;  ///< environment variable with a token for the URL's host; empty: none
  std::string level;       ///< "public", "internal" or "restricted"
  Place place;

  /// "weights.model", as placeholders and reports name it.
  std::string id() const { return kind + "." + name; }
};

struct Protocol {
  std::filesystem::path file;  ///< as given, absolute
  std::filesystem::path root;  ///< see root_of; relative paths of the protocol stay inside it
  std::string text;
  std::string sha256;  ///< of text

  int version = 1;
  std::string name;

  struct Purpose {
    std::string why;
    bool macos_required = false;
    std::string workload = "inference";  ///< "inference", "training", "llm" or "preprocessing"
  } purpose;

  struct Repository {
    /// https://, ssh://, git@host:path, file:// or a path relative to `root` (labs kept beside the protocol).
    std::string url;
    std::string commit;               ///< 40 lower-case hexadecimal digits
    std::vector<std::string> sparse;  ///< files and folders that alone are checked out; empty: all
    bool submodules = true;
    std::string credential;       ///< name of the environment variable that holds a token; empty: none
    std::filesystem::path local;  ///< url resolved, where it is a relative path; else empty
  } repository;

  struct Environment {
    std::string python;                 ///< "3.11"
    std::vector<std::string> files;     ///< requirements files of the checkout
    std::vector<std::string> packages;  ///< further requirements, PEP 508
    std::string install;                ///< "." or another folder of the checkout; empty: not installed
    struct Replacement {
      std::string with;
      std::string because;
    };
    std::map<std::string, Replacement> replace;  ///< by normalised package name
    std::map<std::string, std::string> drop;     ///< normalised package name → reason
  } environment;

  std::vector<Artefact> artefacts;  ///< weights, then data, each in the order written

  struct Confidentiality {
    std::string level = "public";       ///< the least that holds for each artefact without its own
    std::vector<std::string> machines;  ///< globs of host names; empty: any
    std::string allowed_by;
    double retention_seconds = 0;  ///< 0: not said
  } confidentiality;

  std::vector<Command> commands;  ///< in the order written; never empty
  std::map<std::string, std::vector<std::string>>
      devices;  ///< arm → {device_args}; cpu, mps and cuda are there
  std::vector<Output> outputs;
  std::map<std::string, Tolerance> tolerances;
  std::map<std::string, std::filesystem::path> references;  ///< name → bundle folder, absolute
  std::vector<std::string> files;  ///< driver scripts, relative to root, copied into each pass

  struct Steps {
    std::string control, strict, repeat, relaunch, census;  ///< command names; the first command by default
    int repeat_passes = 3;
    bool repeat_bitwise = false;  ///< demand equal bytes instead of the outputs' tolerances
    std::string export_command;   ///< empty: the protocol names no export
    std::string export_check;  ///< command that reads the export back, {exported} is its folder; may be empty
    std::string sweep, soak, speed;  ///< commands; sweep and soak may be empty
    std::vector<int> sweep_batch;
    int sweep_epochs = 1, soak_epochs = 10, soak_batch = 1;
  } steps;

  std::map<std::string, std::string> gating_drop;  ///< step → reason
  std::vector<std::string> gating_add;

  /// Settings of stop criteria that differ from their defaults.
  struct Stop {
    std::optional<double> value;  ///< in the criterion's unit
    bool off = false;             ///< not in force
    bool asked = false;           ///< in force though only on request
    std::string because;          ///< required with off
    struct Allowed {
      std::string because, until;  ///< the last day, "2027-03-01"
    };
    std::map<std::string, Allowed> allow;  ///< operator →
  };
  std::map<std::string, Stop> stop;

  struct Limits {
    double command_seconds = 600;
    double silence_seconds = 0;  ///< 0: none
    double environment_seconds = 3600;
    double source_seconds = 1800;
    double artefacts_seconds = 7200;
    int processes = 512;
    std::uint64_t log_bytes = 64ull << 20;
    std::uint64_t output_bytes = 4ull
                                 << 30;  ///< of one output, as its size says (a sparse file counts in full)
  } limits;

  std::vector<std::string> cleanup;  ///< of "outputs", "source", "environment", "weights", "data"

  std::map<std::string, Place> places;  ///< "steps.repeat" → where it is written, in shown_file()

  /// The file as reports name it: relative to the root, the same on every machine.
  std::string shown_file() const;
  const Command* command(const std::string& name) const;
  const Artefact* artefact(const std::string& id) const;
  /// Outputs of a command, in order.
  std::vector<const Output*> outputs_of(const std::string& command_name) const;
  /// Place of a key, or of its nearest parent that is written, or of the file.
  Place place_of(const std::string& path) const;
};

/// One fault of a protocol. Rendered by text_of.
struct Diagnostic {
  Place place;
  std::string path;     ///< "outputs.scores.tolerance"
  std::string message;  ///< "expected …, found …"
  std::string hint;     ///< "did you mean \"commands\"?"; may be empty
  std::string excerpt;  ///< the source line and a caret below it, two lines; may be empty
};
/// "file:line:column: path: message; hint" and the excerpt on the following lines.
std::string text_of(const Diagnostic& diagnostic);

/// Either a protocol, or at least one diagnostic: all faults found in one pass.
struct Reading {
  std::optional<Protocol> protocol;
  std::vector<Diagnostic> diagnostics;
};

/// Reads the text of a protocol. `file` names it in diagnostics and is the start of relative paths; `root` as
/// root_of(file), or what a run recorded. Never throws, never touches the network; looks at the disk only to
/// resolve paths.
Reading read_protocol(const std::string& text, const std::filesystem::path& file,
                      const std::filesystem::path& root, const Registry& registry);

/// The resolved protocol, every default written out: what run.start records.
Json to_json(const Protocol& protocol);

/// Values of placeholders: device, out, weights.NAME, … and device_args, which expands to several words.
struct Placeholders {
  std::map<std::string, std::string> words;
  std::vector<std::string> device_args;
};
/// Fills in the placeholders of an argv; `{{` and `}}` are literal braces. A word that is exactly
/// {device_args} becomes as many words as it holds. The reader has already refused unknown placeholders.
std::vector<std::string> expand(const std::vector<std::string>& argv, const Placeholders& placeholders);

/// The weights and data that a command names: "weights.model", in any of its words, variables and parameters.
std::set<std::string> artefacts_of(const Protocol& protocol, const Command& command);

}  // namespace mpsgate
