#include "environment/explain.h"

#include "base/text.h"
#include "environment/findings.h"
#include "environment/version.h"
#include "process/variables.h"

#include <algorithm>

namespace mpsgate {
namespace {

#ifdef __APPLE__
constexpr bool kOnMac = true;
#else
constexpr bool kOnMac = false;
#endif

class Explainer {
 public:
  Explainer(const PipFailure& failure, const BuildPlan& plan, const PackageIndex& index)
      : failure_(failure), plan_(plan), index_(index) {}

  Finding explain(const ProcessResult& process) const {
    switch (failure_.kind) {
      case PipFailure::Kind::conflict:
        return conflict();
      case PipFailure::Kind::no_distribution:
        return no_distribution();
      case PipFailure::Kind::python_version:
        return python_refused();
      case PipFailure::Kind::build:
        return build();
      case PipFailure::Kind::disk_full:
        return environment_finding("environment.disk-full",
                                   "the disk filled up while packages were installed");
      case PipFailure::Kind::network:
        return environment_finding("environment.index-unreachable",
                                   "pip could not reach what it was to download from");
      case PipFailure::Kind::unknown:
        break;
    }
    return environment_finding("environment.failed", "pip ended with " + process.description());
  }

  /// The line that asks for the package, where one does by name.
  const Requirement* asked_by() const { return asked_by(failure_.package); }

 private:
  const Requirement* asked_by(const std::string& package) const {
    if (package.empty()) return nullptr;
    for (const auto& requirement : plan_.requirements) {
      if (requirement.name == package) return &requirement;
    }
    return nullptr;
  }
  std::string package() const { return failure_.package.empty() ? "a package" : failure_.package; }

  static std::string some_of(std::vector<std::string> parties) {
    constexpr std::size_t kMost = 3;
    const std::size_t more = parties.size() > kMost ? parties.size() - kMost : 0;
    parties.resize(parties.size() - more);
    return join(parties, "; ") + (more ? "; and " + std::to_string(more) + " more" : "");
  }
  static std::string name_of(const std::string& party) {
    return parse_requirement(party.substr(0, party.find(' ')), {}).name;
  }
  bool held_by_lab(const std::string& constraint) const {
    const std::string name = name_of(constraint);
    if (name == "torch" && plan_.torch.of_lab) {
      return std::any_of(plan_.torch.pinned.begin(), plan_.torch.pinned.end(),
                         [&](const auto& pinned) { return constraint.find(pinned) != std::string::npos; });
    }
    return std::any_of(plan_.requirements.begin(), plan_.requirements.end(), [&](const auto& requirement) {
      return requirement.constraint && requirement.of_lab && requirement.name == name &&
             replace_all(requirement.text, " ", "").find(replace_all(constraint, " ", "")) == 0;
    });
  }
  bool of_protocol(const std::string& party) const {
    const std::string name = name_of(party);
    return !name.empty() && std::any_of(plan_.requirements.begin(), plan_.requirements.end(),
                                        [&](const auto& line) { return line.name == name && !line.of_lab; });
  }

  Finding conflict() const {
    const std::string stand_in = std::string("==") + kTorchStandIn;
    for (const auto& constraint : failure_.constraints) {
      if (constraint.find(stand_in) == std::string::npos) continue;  // pip joins it with the machine's own
      for (const auto& party : failure_.parties) {
        if (party.find(" depends on torch") != std::string::npos)
          return environment_finding("environment.torch-unpinned",
                                     one_line(party.substr(0, party.find(" depends on"))) +
                                         " needs torch, and nothing says which release is judged");
      }
      return environment_finding("environment.torch-unpinned",
                                 package() + " needs torch, and nothing says which release is judged");
    }
    if (failure_.network_trouble) {
      return environment_finding(
          "environment.index-unreachable",
          "no set of releases fits together, but a connection failed while pip looked for them");
    }
    for (const auto& constraint : failure_.constraints) {
      if (!held_by_lab(constraint))
        return environment_finding(
            "environment.conflict-constraint",
            package() + " excludes " + constraint + ", which the protocol or this machine holds");
    }
    if (std::any_of(failure_.parties.begin(), failure_.parties.end(),
                    [&](const auto& party) { return of_protocol(party); })) {
      return environment_finding("environment.conflict-constraint",
                                 package() + " cannot be installed beside a package that the protocol names");
    }
    if (plan_.own_index)
      return environment_finding(
          "environment.no-distribution",
          "no set of releases fits together without the index that the lab's files name");
    return environment_finding("environment.unbuildable",
                               "the lab's requirements exclude each other: " + some_of(failure_.parties));
  }

  Finding no_distribution() const {
    const Requirement wanted = parse_requirement(failure_.wanted, {});
    const auto files = index_.files_of(failure_.package);
    if (!files) {
      if (files.error().code == "index.none")
        return environment_finding(
            "environment.no-distribution",
            failure_.wanted + " is not among this machine's packages, and pip is told to use no index");
      return environment_finding(
          "environment.index-unreachable",
          "the package index could not be asked for " + failure_.package + ": " + files.error().message);
    }
    if (files->empty())
      return environment_finding("environment.no-distribution",
                                 "no index of this machine knows a package " + package());
    const std::string release = public_version(wanted.pinned);
    const bool other_python = std::any_of(
        failure_.other_python.begin(), failure_.other_python.end(), [&](const std::string& version) {
          return wanted.pinned.empty() || canonical_version(version) == canonical_version(release);
        });
    if (other_python) return python_refused();
    if (wanted.pinned.empty())
      return environment_finding(
          "environment.no-distribution",
          "no release of " + package() + " that the index offers this machine fits " + failure_.wanted);
    const MacOffer offer = mac_offer(*files, failure_.package, release, plan_.interpreter.tag);
    // A build of its own index, or an index that is not asked: neither says anything about Macs.
    const bool elsewhere = failure_.package != "torch" && (plan_.own_index || release != wanted.pinned);
    if (!offer.version_known)
      return environment_finding(elsewhere ? "environment.no-distribution" : "environment.unbuildable",
                                 "the index has no " + failure_.package + " " + release + " for any machine");
    if (!offer.installable() && offer.other_python) return python_refused();
    if (!offer.installable())
      return environment_finding(
          elsewhere ? "environment.no-distribution" : "environment.unbuildable",
          failure_.package + " " + release + " has no wheel for macOS arm64 and no source archive");
    if (release != wanted.pinned && failure_.package != "torch") {
      Finding finding =
          environment_finding("environment.no-distribution",
                              failure_.wanted + " is a build of another index than this machine's");
      finding.remedy = "take the release itself: environment: {replace: {" + failure_.package +
                       ": {with: " + failure_.package + "==" + release + ", because: …}}}";
      return finding;
    }
    if (failure_.network_trouble)
      return environment_finding(
          "environment.index-unreachable",
          failure_.wanted + " was not found, but a connection failed while pip looked for it");
    if (kOnMac)
      return environment_finding(
          "environment.no-distribution",
          failure_.wanted + " has no distribution for this macOS and Python, though the index has some");
    return environment_finding(
        "environment.no-distribution",
        failure_.wanted + " has no distribution for this machine, though the index has one for macOS arm64");
  }

  Finding python_refused() const {
    return environment_finding("environment.python-refused",
                               (failure_.wanted.empty() ? package() : failure_.wanted) +
                                   " is not made for Python " + plan_.interpreter.version);
  }

  Finding build() const {
    if (kOnMac)
      return environment_finding("environment.unbuildable",
                                 package() + " could not be built from its source archive on macOS");
    return environment_finding("environment.build-failed",
                               package() + " could not be built from its source archive on this machine");
  }

  const PipFailure& failure_;
  const BuildPlan& plan_;
  const PackageIndex& index_;
};

}  // namespace

Finding explain_failure(const PipFailure& failure, const ProcessResult& process, const BuildPlan& plan,
                        const PackageIndex& index) {
  if (process.ending == Ending::timed_out)
    return environment_finding("environment.timeout", "pip was ended: " + process.description());
  if (process.ending != Ending::exited && process.ending != Ending::not_started)
    return environment_finding("environment.failed", "pip ended with " + process.description());
  const Explainer explainer(failure, plan, index);
  Finding finding = explainer.explain(process);
  finding.evidence = failure.evidence;
  for (auto& line : finding.evidence)
    line = hide_credentials(line);
  finding.message = hide_credentials(finding.message);
  if (const Requirement* requirement = explainer.asked_by()) finding.place = requirement->place;
  return finding;
}

bool release_without_mac(const PipFailure& failure, const BuildPlan& plan, const PackageIndex& index) {
  const Requirement wanted = parse_requirement(failure.wanted, {});
  if (wanted.pinned.empty()) return false;
  const auto files = index.files_of(failure.package);
  if (!files) return false;
  const MacOffer offer =
      mac_offer(*files, failure.package, public_version(wanted.pinned), plan.interpreter.tag);
  return offer.version_known && !offer.installable();
}

bool excludes_mac(const std::string& marker) {
  const std::string text = replace_all(replace_all(lowercase(marker), "\"", "'"), " ", "");
  if (text.empty()) return false;
  // An "or" may let a Mac in all the same: then it is asked about.
  if (marker.find(" or ") != std::string::npos) return false;
  for (const char* clause :
       {"sys_platform=='linux'", "sys_platform=='win32'", "platform_system=='linux'",
        "platform_system=='windows'", "platform_machine=='x86_64'", "platform_machine=='amd64'",
        "platform_machine=='aarch64'", "sys_platform!='darwin'", "platform_system!='darwin'",
        "platform_machine!='arm64'"}) {
    if (text.find(clause) != std::string::npos) return true;
  }
  return false;
}

std::vector<Finding> predict_mac(const BuildPlan& plan, const std::vector<Package>& packages,
                                 const PackageIndex& index) {
  std::vector<Finding> findings;
  for (const auto& requirement : plan.requirements) {
    if (requirement.kind != Requirement::Kind::package || requirement.pinned.empty() ||
        requirement.constraint || excludes_mac(requirement.marker))
      continue;
    const auto installed = std::find_if(packages.begin(), packages.end(), [&](const Package& package) {
      return package.name == requirement.name && package.wheel_tag.find("linux") != std::string::npos;
    });
    if (installed == packages.end()) continue;
    const auto files = index.files_of(requirement.name);
    if (!files) {
      findings.push_back(
          environment_finding("environment.mac-unknown",
                              "what the index offers a Mac could not be asked: " + files.error().message));
      return findings;  // the others would only wait for the same silence
    }
    const std::string release = public_version(requirement.pinned);
    const MacOffer offer = mac_offer(*files, requirement.name, release, plan.interpreter.tag);
    if (!offer.version_known || offer.installable()) continue;
    const std::string what = requirement.name + " " + release;
    if (offer.other_python) {
      findings.push_back(environment_finding(
          "environment.python-refused",
          what + " has wheels for macOS arm64, but none for Python " + plan.interpreter.version));
    } else if (requirement.name != "torch" && (plan.own_index || release != requirement.pinned)) {
      findings.push_back(
          environment_finding("environment.mac-unknown",
                              what + " is not on this machine's index in a form that a Mac can install"));
    } else {
      findings.push_back(environment_finding("environment.unbuildable",
                                             what + " has no wheel for macOS arm64 and no source archive"));
      findings.back().evidence = {"installed here: " + installed->wheel_tag};
    }
    findings.back().place = requirement.place;
  }
  return findings;
}

}  // namespace mpsgate
