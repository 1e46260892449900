#include "survey/python_file.h"

#include "base/pattern.h"
#include "base/text.h"
#include "base/units.h"

#include <algorithm>

namespace mpsgate {
namespace {

constexpr std::size_t kMostWritten = 20;
constexpr std::size_t kMostCuda = 20;
constexpr std::size_t kMostImports = 200;
constexpr std::size_t kLongestFileName = 120;

/// A text that can stand in a protocol as it stands in the source.
bool is_short_and_plain(const std::string& text) {
  return text.size() <= kLongestFileName && text.find('\\') == std::string::npos;
}

Pattern pattern(const std::string& text) {
  return *Pattern::compile(text);
}

std::string argument(const PythonCall& call, const std::string& name) {
  const auto found = call.named.find(name);
  return found == call.named.end() ? "" : found->second;
}

/// The names of an option: "-o", "--out".
std::vector<std::string> names_of(const PythonCall& call) {
  std::vector<std::string> names;
  for (const auto& word : call.words) {
    const auto literal = string_literal(word);
    if (!literal) continue;
    // click: "--shout/--no-shout"
    const std::string name(trim(std::string_view(*literal).substr(0, literal->find('/', 1))));
    const bool plain =
        !name.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
            std::string::npos;
    if (plain && name.size() <= 60) names.push_back(name);
  }
  return names;
}

/// How many words an option wants at least: nargs.
int values_of(const std::string& nargs) {
  const std::string text = string_literal(nargs).value_or(nargs);
  if (text.empty() || text == "+") return 1;
  return static_cast<int>(std::clamp<std::int64_t>(parse_integer(text).value_or(0), 0, 8));
}

class FileReader {
 public:
  FileReader(const std::string& path, const std::string& text) : source_(text) { found_.path = path; }

  PythonFile read() {
    static const Pattern guard = pattern("(?m)^if\\s+(__name__)\\s*==");
    static const Pattern start = pattern(
        "(?m)^(?:[A-Za-z_][^\\n(]*=\\s*)?[A-Za-z_][A-Za-z0-9_.]*(?:\\([^\\n]*\\))?\\.?(parse_args|parse_"
        "known_args|Fire)\\(");
    static const Pattern prints = pattern("(?m)^\\s*(print)\\(");
    found_.guarded = guard.first_match(source_.code()).has_value();
    found_.started = start.first_match(source_.code()).has_value();
    found_.prints = prints.first_match(source_.code()).has_value();
    read_imports();
    read_parser();
    read_written();
    read_cuda();
    return std::move(found_);
  }

 private:
  void read_imports() {
    static const Pattern import = pattern("(?m)^[ \\t]*(?:from|import)[ \\t]+([.A-Za-z_][A-Za-z0-9_.]*)");
    std::string_view rest = source_.code();
    while (found_.imports.size() < kMostImports) {
      const auto match = import.first_match(rest);
      if (!match) return;
      found_.imports.push_back(match->group);
      rest = match->rest;
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    }
  }

  void read_parser() {
    const std::string& code = source_.code();
    const auto has = [&](const char* text) { return code.find(text) != std::string::npos; };
    found_.parser = has("hydra.main(")                               ? "hydra"
                    : has("click.command(") || has("click.option(")  ? "click"
                    : has("fire.Fire(")                              ? "fire"
                    : has("ArgumentParser(") || has("add_argument(") ? "argparse"
                                                                     : "";
    if (const auto calls = source_.calls("add_subparsers", 1); !calls.empty())
      found_.subcommands = calls.front().line;
    for (const auto& call : source_.calls("add_argument"))
      add(call, argument(call, "action"));
    for (const auto& call : source_.calls("click.option"))
      add(call, argument(call, "is_flag") == "True" ? "'flag'" : "");
    for (const auto& call : source_.calls("click.argument"))
      add(call, "");
  }

  void add(const PythonCall& call, const std::string& action) {
    const auto names = names_of(call);
    if (names.empty()) return;
    ScriptOption option;
    option.positional = !names.front().starts_with('-');
    for (const auto& name : names) {
      const bool dashed = name.starts_with('-');
      if (dashed != option.positional &&
          (option.flag.empty() || (name.starts_with("--") && !option.flag.starts_with("--"))))
        option.flag = name;
      option.short_o = option.short_o || name == "-o";
    }
    const auto begin = option.flag.find_first_not_of('-');
    if (begin == std::string::npos) return;
    option.name = lowercase(replace_all(option.flag.substr(begin), "_", "-"));
    const std::string what = string_literal(action).value_or("");
    option.takes_value = what.empty() || what == "store" || what == "append" || what == "extend";
    if (what == "help" || what == "version") return;
    const std::string nargs = argument(call, "nargs"), fallback = argument(call, "default");
    option.values = values_of(nargs);
    option.required = option.positional
                          ? option.values > 0 && fallback.empty() && argument(call, "required") != "False"
                          : option.takes_value && argument(call, "required") == "True";
    const auto texts = strings_in(fallback);
    if (texts.size() == 1 && is_short_and_plain(texts.front())) option.fallback = texts.front();
    for (const auto& choice : strings_in(argument(call, "choices"))) {
      if (!trim(choice).empty() && is_short_and_plain(choice)) option.choices.push_back(choice);
    }
    for (const auto& piece : strings_in(argument(call, "help")))
      option.help += piece;
    option.help = one_line(option.help, 90);
    option.file = found_.path;
    option.line = call.line;
    option.use = use_of(argument(call, "dest").empty() ? replace_all(option.flag.substr(begin), "-", "_")
                                                       : string_literal(argument(call, "dest")).value_or(""));
    found_.options.push_back(std::move(option));
  }

  /// `args.out / "x"` or `np.save(args.out, …)`.
  ScriptOption::Use use_of(const std::string& variable) const {
    using Use = ScriptOption::Use;
    const bool word =
        !variable.empty() &&
        variable.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
            std::string::npos;
    if (!word) return Use::unknown;
    const std::string used = "(?:[a-z]\\w*\\.)?" + variable + "\\b\\)?";
    const auto folder = Pattern::compile("(?:" + used + "\\s*/|join\\(\\s*" + used + "|" + used +
                                         "\\.mkdir|" + "makedirs\\(\\s*(?:[A-Z]\\w*\\()?" + used + ")()");
    const auto file = Pattern::compile(
        "(?:open\\(\\s*|save[a-z_]*\\(\\s*(?:[^,()\\n]*,\\s*)?|to_csv\\(\\s*|imwrite\\(\\s*|write\\(\\s*)" +
        used + "()\\s*[,)]");
    if (folder && folder->first_match(source_.code())) return Use::folder;
    return file && file->first_match(source_.code()) ? Use::file : Use::unknown;
  }

  void read_written() {
    static const Pattern name = pattern(
        "^((?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/"
        "){0,4}[A-Za-z0-9_-][A-Za-z0-9_.-]*\\.(?:npy|npz|csv|tsv|json|jsonl|txt|pt|pth|safetensors|wav|png|"
        "jpg|h5|nii|mp4|onnx|parquet))$");
    static const Pattern writes = pattern("(save|to_csv|to_json|dump|write|[\"'][wa]b?[\"'])");
    for (const auto& string : source_.strings()) {
      if (found_.written.size() >= kMostWritten) return;
      // folder + "/scores.npy"
      const bool joined = string.text.rfind('/') == 0;
      const std::string file = string.text.substr(joined ? 1 : 0);
      if (file.size() > kLongestFileName || !name.first_match(file)) continue;
      const std::string_view line = source_.line_at(string.begin);
      if (line.find("add_argument") != std::string_view::npos || !writes.first_match(line)) continue;
      const bool known = std::any_of(found_.written.begin(), found_.written.end(),
                                     [&](const auto& one) { return one.name == file; });
      if (!known) found_.written.push_back({file, source_.line_of(string.begin)});
    }
  }

  void read_cuda() {
    static const Pattern named = pattern("^(cuda)(?::|$)");
    std::vector<std::size_t> places;
    for (const auto& string : source_.strings()) {
      const std::string_view line = source_.line_at(string.begin);
      if (named.first_match(string.text) && line.find("add_argument") == std::string_view::npos)
        places.push_back(string.begin);
    }
    const std::string& code = source_.code();
    for (auto at = code.find(".cuda("); at != std::string::npos; at = code.find(".cuda(", at + 1))
      places.push_back(at);
    std::sort(places.begin(), places.end());
    for (const std::size_t at : places) {
      const int line = source_.line_of(at);
      if (found_.cuda.size() < kMostCuda && (found_.cuda.empty() || found_.cuda.back() != line))
        found_.cuda.push_back(line);
    }
  }

  PythonSource source_;
  PythonFile found_;
};

}  // namespace

PythonFile read_python(const std::string& path, const std::string& text) {
  return FileReader(path, text).read();
}

}  // namespace mpsgate
