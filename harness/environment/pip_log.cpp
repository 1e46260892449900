#include "environment/pip_log.h"

#include "base/text.h"
#include "environment/requirements.h"

namespace mpsgate {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The text after `before`, up to the first of `ends`.
std::string after(std::string_view line, std::string_view before, std::string_view ends) {
  const auto start = line.find(before);
  if (start == std::string_view::npos) return {};
  const auto rest = line.substr(start + before.size());
  return one_line(rest.substr(0, rest.find_first_of(ends)));
}

std::string package_of(const std::string& requirement) {
  return parse_requirement(requirement, {}).name;
}

}  // namespace

PipFailure read_pip_log(std::string_view text) {
  PipFailure failure;
  const auto decide = [&](PipFailure::Kind kind, const std::string& line) {
    failure.evidence.push_back(one_line(line));
    if (failure.kind == PipFailure::Kind::unknown) failure.kind = kind;
  };
  const auto lines = lines_of(strip_terminal(text));
  bool conflict = false, constraint = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (contains(line, "No space left on device") || contains(line, "Disk quota exceeded")) {
      failure.kind = PipFailure::Kind::disk_full;
      failure.evidence.push_back(one_line(line));
    } else if (contains(line, "Could not find a version that satisfies the requirement")) {
      failure.wanted = after(line, "satisfies the requirement ", " ");
      failure.package = package_of(failure.wanted);
      const auto versions = line.find("(from versions: ");
      if (versions != std::string::npos)
        failure.offered = one_line(line.substr(versions + 16, line.rfind(')') - versions - 16), 4000);
      decide(PipFailure::Kind::no_distribution, line);
    } else if (contains(line, "No matching distribution found for")) {
      if (failure.wanted.empty()) failure.wanted = after(line, "found for ", " ");
      if (failure.package.empty()) failure.package = package_of(failure.wanted);
      decide(PipFailure::Kind::no_distribution, line);
    } else if (contains(line, "requires a different Python") || contains(line, "Requires-Python") ||
               contains(line, "requires-python")) {
      if (contains(line, "ERROR: Package")) {
        failure.package = normalised_name(after(line, "Package '", "'"));
        decide(PipFailure::Kind::python_version, line);
      }
    } else if (contains(line, "have conflicting dependencies") || contains(line, "ResolutionImpossible")) {
      conflict = true;
      failure.evidence.push_back(one_line(line));
      const std::string names = after(line, "Cannot install ", "\n");
      if (!names.empty() && failure.package.empty())
        failure.package = package_of(names.substr(0, names.find_first_of(", ")));
    } else if (contains(line, "The user requested (constraint)")) {
      constraint = true;
      failure.evidence.push_back(one_line(line));
    } else if (contains(line, " depends on ") || contains(line, "The user requested ")) {
      if (conflict) failure.evidence.push_back(one_line(line));
    } else if (contains(line, "Failed building wheel for ") || contains(line, "Failed to build ") ||
               contains(line, "subprocess-exited-with-error") ||
               contains(line, "metadata-generation-failed") ||
               contains(line, "Getting requirements to build wheel did not run successfully")) {
      std::string name = after(line, "Failed building wheel for ", " \n");
      if (name.empty()) name = after(line, "Failed to build '", "'");
      if (name.empty()) name = after(line, "Failed to build ", " '\n");
      if (!name.empty() && name != "installable") failure.package = package_of(name);
      decide(PipFailure::Kind::build, line);
    } else if (contains(line, "NewConnectionError") || contains(line, "ConnectTimeoutError") ||
               contains(line, "ReadTimeoutError") || contains(line, "ProxyError") ||
               contains(line, "Max retries exceeded") || contains(line, "SSLCertVerificationError") ||
               contains(line, "connection broken by")) {
      if (failure.evidence.size() < 3) failure.evidence.push_back(one_line(line));
      if (failure.kind == PipFailure::Kind::unknown && contains(line, "ERROR"))
        failure.kind = PipFailure::Kind::network;
    }
  }
  if (failure.kind == PipFailure::Kind::build && failure.package.empty()) {
    // pip names what it was collecting just before.
    for (const auto& line : lines) {
      if (line.starts_with("Collecting ")) failure.package = package_of(after(line, "Collecting ", " ("));
      if (line.starts_with("Processing ")) failure.package = one_line(line.substr(11));
      if (contains(line, "subprocess-exited-with-error") || contains(line, "metadata-generation-failed"))
        break;
    }
  }
  if (failure.kind != PipFailure::Kind::disk_full && (conflict || constraint))
    failure.kind = constraint ? PipFailure::Kind::constraint_conflict : PipFailure::Kind::conflict;
  if (failure.evidence.empty()) failure.evidence = last_lines(text, 3);
  if (failure.evidence.size() > 8) failure.evidence.resize(8);
  return failure;
}

}  // namespace mpsgate
