#include "environment/pip_log.h"

#include "base/text.h"
#include "environment/requirements.h"
#include "environment/version.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

namespace mpsgate {
namespace {

constexpr std::size_t kMostEvidence = 8;
constexpr std::size_t kLongestEvidence = 300;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](auto part) { return contains(text, part); });
}

/// The text after `before`, up to the first of `ends`.
std::string after(std::string_view line, std::string_view before, std::string_view ends = "\n") {
  const auto start = line.find(before);
  if (start == std::string_view::npos) return {};
  const auto rest = line.substr(start + before.size());
  return one_line(rest.substr(0, rest.find_first_of(ends)));
}

/// "boom" of "boom==1.0", "'boom'", "file:///x/boom-1.0.tar.gz" and "./boom-1.0-py3-none-any.whl".
std::string package_of(std::string name) {
  name = std::string(trim(name));
  if (name.size() > 1 && name.front() == '\'' && name.back() == '\'') name = name.substr(1, name.size() - 2);
  if (!contains(name, "/")) return parse_requirement(name, {}).name;
  std::string file = std::filesystem::path(name).filename().string();
  for (const char* ending : {".tar.gz", ".zip", ".whl"}) {
    if (file.ends_with(ending)) file.resize(file.size() - std::string_view(ending).size());
  }
  // The version begins at the first dash before a digit.
  for (std::size_t at = file.find('-'); at != std::string::npos; at = file.find('-', at + 1)) {
    if (at + 1 < file.size() && file[at + 1] >= '0' && file[at + 1] <= '9')
      return normalised_name(file.substr(0, at));
  }
  return normalised_name(file);
}

/// Follows a log line by line. pip quotes the output of what it started between two markers: what stands
/// there are the words of a build, not of pip.
class Reader {
 public:
  void line(const std::string& text) {
    if (contains(text, " lines of output]")) {
      quoted_.clear();
      quoting_ = true;
      return;
    }
    if (contains(text, "[end of output]")) {
      quoting_ = false;
      return;
    }
    if (contains_any(text, {"No space left on device", "Disk quota exceeded"})) disk_full_line_ = text;
    if (quoting_) {
      if (!trim(text).empty()) quoted_.push_back(text);
      if (in_build_requirements_ && contains(text, "satisfies the requirement "))
        failure_.build_requirement = after(text, "satisfies the requirement ", " ");
      return;
    }
    network(text);
    if (!distribution(text) && !python(text) && !conflict(text)) build(text);
    if (text.starts_with("Collecting ")) collecting_ = package_of(after(text, "Collecting ", " ("));
    if (text.starts_with("Processing ")) collecting_ = package_of(after(text, "Processing ", " \n"));
  }

  PipFailure finish(std::string_view text) {
    if (!disk_full_line_.empty()) {
      failure_.kind = PipFailure::Kind::disk_full;
      failure_.evidence = {one_line(disk_full_line_, kLongestEvidence)};
      return failure_;
    }
    if (conflict_) {
      failure_.kind = PipFailure::Kind::conflict;
      // "Cannot install -r requirements.txt (line 1)" names no package.
      if (failure_.package.empty() && !failure_.parties.empty())
        failure_.package = package_of(failure_.parties.front().substr(0, failure_.parties.front().find(' ')));
      see_through_constraint();
    }
    if (failure_.kind == PipFailure::Kind::build) {
      if (failure_.package.empty()) failure_.package = collecting_;
      // The last words of the build say most.
      for (std::size_t i = quoted_.size() > 3 ? quoted_.size() - 3 : 0; i < quoted_.size(); ++i)
        add_evidence(quoted_[i]);
    }
    if (failure_.kind == PipFailure::Kind::unknown && failure_.network_trouble)
      failure_.kind = PipFailure::Kind::network;
    if (failure_.evidence.empty()) failure_.evidence = last_lines(text, 3, kLongestEvidence);
    if (failure_.evidence.size() > kMostEvidence)
      failure_.evidence.erase(failure_.evidence.begin(), failure_.evidence.end() - kMostEvidence);
    return failure_;
  }

 private:
  void add_evidence(const std::string& line) {
    std::string harmless = one_line(line, kLongestEvidence);
    if (failure_.evidence.empty() || failure_.evidence.back() != harmless)
      failure_.evidence.push_back(std::move(harmless));
  }
  void decide(PipFailure::Kind kind, const std::string& line) {
    add_evidence(line);
    if (failure_.kind == PipFailure::Kind::unknown) failure_.kind = kind;
  }

  void network(const std::string& text) {
    if (!contains_any(text, {"NewConnectionError", "ConnectTimeoutError", "ReadTimeoutError", "ProxyError",
                             "NameResolutionError", "Max retries exceeded", "SSLCertVerificationError",
                             "SSLError", "connection broken by", " Client Error: ", " Server Error: ",
                             "HTTP error ", "fatal: unable to access", "Could not resolve host"}))
      return;
    failure_.network_trouble = true;
    if (failure_.evidence.size() < 2) add_evidence(text);
  }

  bool distribution(const std::string& text) {
    if (contains(text, "versions that require a different python version: ")) {
      for (const auto& entry : split(after_whole(text, "python version: "), ';'))
        failure_.other_python.push_back(one_line(entry.substr(0, entry.find(" Requires-Python")), 60));
      return true;
    }
    if (contains(text, "Could not find a version that satisfies the requirement ")) {
      failure_.wanted = after(text, "satisfies the requirement ", " ");
      failure_.package = package_of(failure_.wanted);
      if (const auto versions = text.find("(from versions: "); versions != std::string::npos) {
        const std::string rest = text.substr(versions + 16);
        failure_.offered = one_line(rest.substr(0, rest.rfind(')')), 4000);
      }
      decide(PipFailure::Kind::no_distribution, text);
      return true;
    }
    if (contains(text, "No matching distribution found for ")) {
      if (failure_.wanted.empty()) failure_.wanted = after(text, "found for ", " ");
      if (failure_.package.empty()) failure_.package = package_of(failure_.wanted);
      decide(PipFailure::Kind::no_distribution, text);
      return true;
    }
    return false;
  }

  bool python(const std::string& text) {
    if (!contains(text, "requires a different Python: ")) return false;
    failure_.package = normalised_name(after(text, "Package '", "'"));
    decide(PipFailure::Kind::python_version, text);
    return true;
  }

  bool conflict(const std::string& text) {
    if (contains(text, "have conflicting dependencies") || contains(text, "ResolutionImpossible")) {
      conflict_ = true;
      if (const std::string name = after(text, "Cannot install ", " ,"); !name.empty()) {
        failure_.package = package_of(name);
        add_evidence(text);
      }
      return true;
    }
    // This block goes to the other stream than the lines above: it may come before them.
    if (contains(text, "The conflict is caused by:")) {
      causes_ = true;
      return true;
    }
    if (!causes_) return false;
    if (contains(text, "The user requested (constraint) ")) {
      failure_.constraints.push_back(after(text, "(constraint) "));
    } else if (contains(text, "The user requested ")) {
      failure_.parties.push_back(after(text, "The user requested "));
    } else if (contains(text, " depends on ")) {
      failure_.parties.push_back(one_line(text));
    } else {
      causes_ = trim(text).empty() && failure_.parties.empty() && failure_.constraints.empty();
      return false;
    }
    add_evidence(text);
    return true;
  }

  /// pip also says "conflict" where a constraint is not in the way at all and the one pinned release does not
  /// exist.
  void see_through_constraint() {
    if (failure_.parties.size() != 1 || failure_.constraints.empty()) return;
    const Requirement wanted = parse_requirement(failure_.parties.front(), {});
    if (wanted.pinned.empty()) return;
    for (const auto& text : failure_.constraints) {
      const Requirement held = parse_requirement(text, {});
      const auto specifier = text.find_first_of("=<>!~");
      if (held.name != wanted.name || specifier == std::string::npos ||
          !allows(std::string_view(text).substr(specifier), public_version(wanted.pinned)))
        return;
      if (!held.pinned.empty() && canonical_version(held.pinned) != canonical_version(wanted.pinned)) return;
    }
    failure_.kind = PipFailure::Kind::no_distribution;
    failure_.wanted = failure_.parties.front();
    failure_.package = wanted.name;
  }

  void build(const std::string& text) {
    if (contains_any(text, {"× git ", "Cannot find command 'git'", " when git clone "})) {
      failure_.network_trouble = true;
      decide(PipFailure::Kind::network, text);
      return;
    }
    if (contains(text, "install build dependencies did not run") ||
        contains(text, "installing build dependencies did not run") ||
        contains(text, "install backend dependencies did not run") ||
        contains(text, "installing backend dependencies did not run"))
      in_build_requirements_ = true;
    if (contains(text, "did not run successfully")) {
      decide(PipFailure::Kind::build, text);
      return;
    }
    for (const auto& [before, ends] :
         {std::pair{"Failed building wheel for ", " "}, std::pair{"Failed to build '", "'"},
          std::pair{"Could not build wheels for ", ", "}, std::pair{"Failed to build ", " "}}) {
      const std::string name = after(text, before, ends);
      if (name.empty()) continue;
      if (name != "installable") failure_.package = package_of(name);
      decide(PipFailure::Kind::build, text);
      return;
    }
    if (contains(text, "metadata-generation-failed")) decide(PipFailure::Kind::build, text);
  }

  static std::string after_whole(const std::string& text, std::string_view before) {
    const auto start = text.find(before);
    return start == std::string::npos ? "" : text.substr(start + before.size());
  }

  PipFailure failure_;
  bool quoting_ = false, conflict_ = false, causes_ = false, in_build_requirements_ = false;
  std::vector<std::string> quoted_;
  std::string collecting_, disk_full_line_;
};

}  // namespace

PipFailure read_pip_log(std::string_view text) {
  Reader reader;
  for (const auto& line : lines_of(strip_terminal(text)))
    reader.line(line);
  return reader.finish(text);
}

}  // namespace mpsgate
