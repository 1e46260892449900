#include "base/files.h"
#include "base/json.h"
#include "record/draft.h"
#include "sequence/bundle.h"
#include "sequence/comparing.h"
#include "sequence/findings.h"
#include "sequence/installed.h"
#include "sequence/outputs.h"
#include "sequence/pass.h"

namespace mpsgate {
namespace {

namespace fs = std::filesystem;

/// Outputs of a command in a bundle: outputs/COMMAND/NAME with the extension of the output's path.
std::map<std::string, fs::path> bundle_outputs(const Context& context, const fs::path& bundle,
                                               const std::string& command) {
  std::map<std::string, fs::path> found;
  for (const Output* output : context.protocol.outputs_of(command)) {
    const fs::path path = find_kept(*output, bundle / "outputs" / command);
    if (!path.empty()) found[output->name] = path;
  }
  return found;
}

class Parity {
 public:
  Parity(const Context& context, const Records& so_far) : context_(context), so_far_(so_far) {}

  Records run() {
    const std::string command = context_.protocol.steps.control;
    const bool has_mps = context_.device_arm() == "mps";
    const auto cpu = collected_outputs(context_, so_far_, "cpu", "control", command);
    const auto mps = has_mps ? collected_outputs(context_, so_far_, "mps", "strict", command)
                             : std::map<std::string, fs::path>{};
    for (const auto& [name, folder] : context_.protocol.references) {
      if (!trusted(name, folder)) continue;
      const auto reference = bundle_outputs(context_, folder, command);
      if (reference.empty()) {
        Finding finding =
            sequence_finding("reference.missing", "the reference " + name + " has no outputs of " + command +
                                                      " at " + folder.string());
        finding.place = context_.protocol.place_of("references." + name);
        add(std::move(finding));
        continue;
      }
      // Reference and CPU disagree before mps was asked: neither is blamed on mps.
      compare({command, cpu, reference}, "cpu against reference:" + name, "cpu",
              sequence_finding("reference.disagrees", ""));
      if (has_mps) {
        compare({command, mps, reference}, "mps against reference:" + name, "mps",
                finding_of(compare_findings(), "numerics.tolerance"));
      }
    }
    if (has_mps) {
      // With a reference it decides; the machine's own CPU then only tells "Mac against Linux" from "mps
      // against CPU".
      Finding finding = finding_of(compare_findings(), "numerics.tolerance");
      if (!context_.protocol.references.empty()) finding.weight = Weight::note;
      compare({command, mps, cpu}, "mps against cpu", "mps", finding);
    }
    if (!error_.empty()) {
      records_.push_back(step_end(StepStatus::error, error_));
      return records_;
    }
    if (!rows_.empty())
      records_.push_back(table("parity", "Parity", comparison_columns(), rows_, {{}, 0, command, {}}));
    if (compared_ == 0 && reason_.empty()) reason_ = "nothing was compared";
    records_.push_back(reason_.empty() ? step_end(StepStatus::passed)
                                       : step_end(StepStatus::failed, reason_));
    return records_;
  }

 private:
  /// Whether the reference is one of this commit, undamaged; says first in what its surroundings differ from
  /// these.
  bool trusted(const std::string& name, const fs::path& folder) {
    const auto finding = [&](const char* id, const std::string& message) {
      Finding found = sequence_finding(id, "the reference " + name + " " + message);
      found.place = context_.protocol.place_of("references." + name);
      add(std::move(found));
    };
    std::error_code error;
    if (!fs::exists(folder, error))
      return true;  // that nothing is there is said where the outputs are missed
    const auto provenance = read_provenance(folder);
    if (!provenance) {
      const bool none = provenance.error().code == "reference.no-provenance";
      finding(none ? "reference.no-provenance" : "reference.damaged",
              none ? "says nothing of where it comes from" : "is damaged: " + provenance.error().message);
      return none;
    }
    const Record* commit = last_of(so_far_, Kind::note, "source.commit");
    const std::string here = commit ? string_at(commit->data, "value") : "";
    if (!provenance->commit.empty() && provenance->commit != here) {
      finding("reference.other-commit",
              "was captured from commit " + provenance->commit + ", and this run has " + here);
      return false;
    }
    if (const std::string other = other_data(*provenance); !other.empty()) {
      finding("reference.other-data", "was captured with " + other);
      return false;
    }
    if (const std::string damage = damage_of(*provenance, folder); !damage.empty()) {
      finding("reference.damaged", "is damaged: " + damage);
      return false;
    }
    if (provenance->spread)
      finding("reference.spread", "was captured although its own passes differed beyond the band");
    differences(name, *provenance);
    return true;
  }

  /// What the compared command reads that the reference did not; empty where all is the same.
  std::string other_data(const Provenance& provenance) const {
    const auto& protocol = context_.protocol;
    for (const auto& id : artefacts_of(protocol, *protocol.command(protocol.steps.control))) {
      const std::string& here = protocol.artefact(id)->sha256;
      const auto there = provenance.artefacts.find(id);
      if (there == provenance.artefacts.end()) return "no " + id + ", and this run has sha256 " + here;
      if (there->second != here) return id + " of sha256 " + there->second + ", and this run has " + here;
    }
    return {};
  }

  void differences(const std::string& name, const Provenance& provenance) {
    Json rows = Json::array();
    const auto row = [&](const std::string& what, const std::string& there, const std::string& here) {
      if (there != here && !there.empty())
        rows.push_back(Json::array({what, there, here.empty() ? "absent" : here}));
    };
    const auto note = [&](const char* id, const char* note_name) {
      for (const auto& record : so_far_) {
        if (record.kind == Kind::note && record.id == id &&
            (!*note_name || string_at(record.data, "name") == note_name))
          return string_at(record.data, "value");
      }
      return std::string();
    };
    row("Python", provenance.python, note("environment.version", ""));
    row("system", provenance.system, note("host", "system"));
    row("architecture", provenance.architecture, note("host", "architecture"));
    const auto installed = installed_packages(so_far_);
    for (const auto& [package, version] : provenance.packages) {
      const auto found = installed.find(package);
      row(package, version, found == installed.end() ? "" : found->second);
    }
    if (!rows.empty())
      records_.push_back(table("parity.surroundings", "Where reference " + name + " and this machine differ",
                               {{"what", ""}, {"reference", ""}, {"here", ""}}, std::move(rows)));
  }

  void add(Finding finding) {
    if (reason_.empty() && finding.weight.value_or(finding.row->weight) != Weight::note)
      reason_ = finding.message;
    records_.push_back(to_record(finding));
  }

  void compare(const OutputSets& sets, const std::string& between, const std::string& arm,
               const Finding& pattern) {
    auto compared = compare_sets(context_, so_far_, sets, false, "parity");
    if (!compared) {
      if (error_.empty()) error_ = compared.error().text();
      return;
    }
    for (const auto& comparison : *compared) {
      rows_.push_back(comparison_row(between, comparison));
      if (comparison.status == "within" || comparison.status == "beyond") ++compared_;
      if (comparison.within()) continue;
      Finding finding = comparison_finding(pattern, between, comparison);
      finding.command = sets.command;
      finding.arm = arm;
      add(std::move(finding));
    }
  }

  const Context& context_;
  const Records& so_far_;
  Records records_;
  Json rows_ = Json::array();
  std::size_t compared_ = 0;
  std::string reason_, error_;
};

}  // namespace

Records run_parity(const Context& context, const Records& so_far) {
  return Parity(context, so_far).run();
}

}  // namespace mpsgate
