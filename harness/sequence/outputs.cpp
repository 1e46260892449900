#include "sequence/outputs.h"

#include "base/glob.h"
#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"
#include "sequence/findings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

namespace mpsgate {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

bool is_cache(const std::string& relative) {
  return relative.find("__pycache__/") != std::string::npos || relative.ends_with(".pyc");
}

/// Files of the checkout that are new or not as they were.
std::vector<std::string> changed_files(const PassWorkspace& workspace) {
  std::vector<std::string> changed;
  for (const auto& [name, state] : list_files(workspace.checkout)) {
    const auto old = workspace.before.find(name);
    if (!is_cache(name) && (old == workspace.before.end() || old->second != state)) changed.push_back(name);
  }
  return changed;
}

/// A file of the wanted base name, else (for a name that scripts stamp) nothing: guessing would blame the
/// wrong file.
std::string elsewhere(const Output& output, const PassWorkspace& workspace) {
  const std::string wanted = fs::path(output.path).filename().string();
  const auto search = [&](const std::vector<std::string>& names, const std::string& where) -> std::string {
    for (const auto& name : names) {
      const fs::path path(name);
      for (auto at = path.begin(); at != path.end(); ++at) {
        if (*at == wanted) return where + name;
      }
    }
    return {};
  };
  if (auto found = search(changed_files(workspace), ""); !found.empty()) return found;
  std::vector<std::string> below_out, below_home;
  for (const auto& [name, state] : list_files(workspace.out))
    below_out.push_back(name);
  if (auto found = search(below_out, "{out}/"); !found.empty()) return found;
  for (const auto& [name, state] : list_files(workspace.home))
    below_home.push_back(name);
  return search(below_home, "~/");
}

/// An output's path in the checkout without links, "" for the checkout itself; files are listed by such
/// paths.
std::string real_path(const Output& output, const PassWorkspace& workspace) {
  std::error_code error;
  const fs::path root = fs::weakly_canonical(workspace.checkout, error);
  const std::string real =
      fs::weakly_canonical(workspace.checkout / output.path, error).lexically_relative(root).generic_string();
  return real == "." ? "" : real;
}

/// Whether `name` is `path` or lies below it.
bool is_at(const std::string& name, const std::string& path) {
  return path.empty() || name == path || name.starts_with(path + "/");
}

}  // namespace

std::vector<std::string> stale_files(const Output& output, const PassWorkspace& workspace) {
  std::vector<std::string> stale;
  std::error_code error;
  if (!output.in_checkout || !fs::is_directory(workspace.checkout / output.path, error)) return stale;
  const std::string real = real_path(output, workspace);
  const auto now = list_files(workspace.checkout);
  for (const auto& [name, state] : workspace.before) {
    const auto found = now.find(name);
    if (is_at(name, real) && found != now.end() && found->second == state)
      stale.push_back(real.empty() ? name : name.substr(real.size() + 1));
  }
  return stale;
}

std::string kept_name(const Output& output, const fs::path& path) {
  const bool value = !output.printed.empty() || !output.json.empty();
  return output.name + (value ? ".json" : path.extension().string());
}

fs::path find_kept(const Output& output, const fs::path& folder) {
  std::error_code error;
  if (!is_glob(output.path)) {
    const fs::path kept = folder / kept_name(output, output.path);
    return fs::exists(kept, error) ? kept : fs::path();
  }
  // Names of outputs hold no dot: what follows one is the extension of the file that matched.
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.substr(0, name.find('.')) == output.name) return entry.path();
  }
  return {};
}

namespace {

/// Whether the number that ends here goes on: "1.5" of "1.5e-7", "1" of "1,234", "0" of "0x10".
bool goes_on(std::string_view rest) {
  const auto digit = [&](std::size_t at) { return at < rest.size() && rest[at] >= '0' && rest[at] <= '9'; };
  if (rest.empty()) return false;
  const bool exponent = rest[0] == 'e' || rest[0] == 'E';
  if (exponent && rest.size() > 1 && (rest[1] == '-' || rest[1] == '+')) return digit(2);
  const bool joins =
      exponent || rest[0] == ',' || rest[0] == '.' || rest[0] == 'x' || rest[0] == 'X' || rest[0] == '_';
  return digit(0) || (joins && digit(1));
}

}  // namespace

Result<double> last_printed(const std::string& pattern_text, const fs::path& log) {
  MPSGATE_ASSIGN(const Pattern pattern, Pattern::compile(pattern_text));
  std::optional<std::string> last;
  bool cut = false;
  std::ifstream stream(log);
  for (std::string whole; std::getline(stream, whole);) {
    for (const auto& line : split(whole, '\r')) {  // progress bars write over themselves
      const auto match = pattern.first_match(line);
      if (!match) continue;
      last = match->group;
      cut = goes_on(match->rest);
    }
  }
  if (!last) return fail("result.absent", "no line of standard output matches " + one_line(pattern_text));
  if (cut)
    return fail("result.unreadable",
                one_line(pattern_text) + " takes \"" + one_line(*last, 60) + "\" out of a longer number");
  char* end = nullptr;
  const std::string text(trim(*last));
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0')
    return fail("result.unreadable",
                "the command printed \"" + one_line(text, 60) + "\", which is no number");
  return value;
}

std::optional<Finding> keep_printed(const Output& output, const fs::path& log, const fs::path& kept) {
  const auto finding = [&](const char* id, const std::string& message) {
    Finding found = sequence_finding(id, message);
    found.output = output.name;
    found.command = output.of;
    found.place = output.place;
    return found;
  };
  const auto printed = last_printed(output.printed, log);
  if (!printed) {
    const bool absent = printed.error().code == "result.absent";
    return finding(
        absent ? "result.absent" : "result.unreadable",
        "output " + output.name + (absent ? " is absent: " : " cannot be read: ") + printed.error().message);
  }
  const double value = *printed;
  // As Python writes it: the comparison knows NaN and Infinity.
  const std::string number = std::isnan(value)   ? "NaN"
                             : std::isinf(value) ? (value > 0 ? "Infinity" : "-Infinity")
                                                 : dump_json(Json(value));
  if (const auto written = write_file(kept, "{\"printed\": " + number + "}\n"); !written)
    return finding("step.error", written.error().message);
  return std::nullopt;
}

std::vector<std::string> written_files(const PassWorkspace& workspace, std::size_t limit) {
  std::vector<std::string> written = changed_files(workspace);
  for (const auto& [name, state] : list_files(workspace.out))
    written.push_back("{out}/" + name);
  if (written.size() > limit) {
    const auto more = written.size() - limit;
    written.resize(limit);
    written.push_back("and " + std::to_string(more) + " more");
  }
  for (auto& name : written)
    name = one_line(name);
  return written;
}

namespace {

/// Of an output that is a pattern: the files that the pass wrote and that match.
Located locate_matches(const Output& output, const PassWorkspace& workspace) {
  const fs::path base = output.in_checkout ? workspace.checkout : workspace.out;
  std::vector<std::string> written;
  if (output.in_checkout) {
    written = changed_files(workspace);
  } else {
    for (const auto& [name, state] : list_files(base))
      written.push_back(name);
  }
  const auto finding = [&](const char* id, const std::string& message) {
    Finding found = sequence_finding(id, "output " + output.name + message);
    found.output = output.name;
    found.command = output.of;
    found.place = output.place;
    return Located{{}, {}, std::move(found)};
  };
  Located located{base, {}, {}};
  std::error_code error;
  for (const auto& name : written) {
    if (!glob_matches(output.path, name)) continue;
    const fs::path real = fs::weakly_canonical(base / name, error);
    if (!is_below(real, fs::weakly_canonical(base, error)))
      return finding("result.elsewhere", " is a link to a place outside the pass: " + one_line(name));
    if (!fs::is_regular_file(real, error))
      return finding("result.unreadable", " is a link to no file: " + one_line(name));
    located.names.push_back(name);
  }
  if (located.names.empty()) {
    Located absent =
        finding("result.absent", std::string(" is absent: no file that the command wrote matches ") +
                                     (output.in_checkout ? "" : "{out}/") + output.path);
    for (const auto& name : written_files(workspace, 8))
      absent.finding->evidence.push_back("written: " + name);
    return absent;
  }
  if (located.names.size() == 1) {
    located.path = base / located.names.front();
    located.names.clear();
  }
  return located;
}

}  // namespace

Located locate_output(const Output& output, const PassWorkspace& workspace) {
  if (is_glob(output.path)) return locate_matches(output, workspace);
  const fs::path base = output.in_checkout ? workspace.checkout : workspace.out;
  const fs::path path = base / output.path;
  const std::string shown = (output.in_checkout ? "" : "{out}/") + output.path;
  std::error_code error;
  bool created = fs::exists(path, error);
  bool stale = false;
  if (created && output.in_checkout) {
    const std::string real = real_path(output, workspace);
    created = false;
    stale = true;
    for (const auto& name : changed_files(workspace))
      created = created || is_at(name, real);
  }
  const auto finding = [&](const char* id, const std::string& message) {
    Finding found = sequence_finding(id, message);
    found.output = output.name;
    found.command = output.of;
    found.place = output.place;
    return Located{{}, {}, std::move(found)};
  };
  const auto status = fs::symlink_status(path, error);
  if (fs::is_symlink(status) && !fs::exists(path, error))
    return finding("result.unreadable", "output " + output.name + " is a link to nothing: " + shown);
  if (created && !fs::is_directory(path, error) && !fs::is_regular_file(path, error))
    return finding(
        "result.unreadable",
        "output " + output.name + " is neither a file nor a folder, but a pipe, socket or device: " + shown);
  if (!output.in_checkout && fs::is_symlink(fs::symlink_status(workspace.out, error)))
    return finding("result.elsewhere",
                   "output " + output.name + " lies elsewhere: the command made {out} a link");
  if (created) {
    if (!is_below(fs::weakly_canonical(path, error), fs::weakly_canonical(base, error)) &&
        fs::weakly_canonical(path, error) != fs::weakly_canonical(base, error)) {
      return finding("result.elsewhere",
                     "output " + output.name + " is a link to a place outside the pass: " + shown);
    }
    return {path, {}, {}};
  }
  if (const std::string found = elsewhere(output, workspace); !found.empty()) {
    return finding("result.elsewhere", "output " + output.name + " was expected at " + shown +
                                           ", but the command wrote " + one_line(found));
  }
  std::string message = "output " + output.name + " is absent: the command did not write " + shown;
  const std::string wanted = fs::path(output.path).filename().string();
  for (const auto& [name, state] : workspace.before) {
    if (stale ? name == output.path : fs::path(name).filename() == wanted) {
      message += "; " + one_line(name) + " is part of the repository and was not written by this pass";
      break;
    }
  }
  const auto written = written_files(workspace, 8);
  if (!written.empty())
    message +=
        "; it wrote " +
        join({written.begin(), written.begin() + std::min<std::ptrdiff_t>(3, std::ssize(written))}, ", ") +
        (written.size() > 3 ? ", …" : "");
  Located located = finding("result.absent", message);
  for (const auto& name : written)
    located.finding->evidence.push_back("written: " + name);
  if (located.finding->evidence.empty()) located.finding->evidence.push_back("the pass wrote no file at all");
  return located;
}

}  // namespace mpsgate
