#include "base/files.h"
#include "base/text.h"
#include "fetch/store.h"
#include "record/draft.h"
#include "sequence/artefacts.h"
#include "sequence/findings.h"
#include "sequence/step.h"

namespace mpsgate {
namespace {

namespace fs = std::filesystem;

/// What one word of cleanup.delete stands for.
std::vector<fs::path> targets_of(const Context& context, const Records& so_far, const std::string& word) {
  if (word == "outputs") return {context.folder.outputs()};
  if (word == "source") return {context.folder.source()};
  const Record* environment = last_of(so_far, Kind::note, "environment.folder");
  if (word == "weights" || word == "data") return {context.folder.artefacts(word)};
  if (word == "environment" && environment) return {string_at(environment->data, "value")};
  return {};
}

}  // namespace

/// The kept copies of weights or data that were fetched for this protocol; what lies beside the protocol or
/// elsewhere on the machine is the lab's own.
void forget(const Context& context, const std::string& kind, Records& records, std::string& left) {
  const Store store(store_folder(context.cache));
  for (const auto& artefact : context.protocol.artefacts) {
    if (artefact.kind != kind) continue;
    if (artefact.url.empty() && artefact.url_from.empty()) {
      records.push_back(note("cleanup.kept", artefact.id() + " is the lab's own", "left where it lies"));
      continue;
    }
    const auto removed = store.remove(artefact.sha256);
    const auto found = store.find(artefact.sha256);
    if (removed && found && !found->stored) continue;
    Finding finding =
        sequence_finding("cleanup.left", "the kept copy of " + artefact.id() + " is still there");
    if (!removed) finding.evidence.push_back(removed.error().message);
    if (left.empty()) left = finding.message;
    records.push_back(to_record(finding));
  }
}

/// Copies of the checkout always go; beyond that what the protocol names. Then it is looked for.
Records run_cleanup(const Context& context, const Records& so_far) {
  Records records;
  std::vector<std::pair<std::string, fs::path>> targets = {{"work", context.folder.work()}};
  for (const auto& word : context.protocol.cleanup) {
    for (auto& target : targets_of(context, so_far, word))
      targets.emplace_back(word, std::move(target));
  }
  std::string left;
  for (const auto& [word, path] : targets) {
    const auto removed = remove_tree(path);
    std::error_code error;
    if (!removed || fs::exists(fs::symlink_status(path, error))) {
      Finding finding = sequence_finding("cleanup.left", word + " is still there: " + path.string());
      if (!removed) finding.evidence.push_back(removed.error().message);
      if (left.empty()) left = finding.message;
      records.push_back(to_record(finding));
    } else if (word != "work") {
      records.push_back(note("cleanup." + word, "deleted", word));
    }
  }
  for (const auto& word : context.protocol.cleanup) {
    if (word == "weights" || word == "data") forget(context, word, records, left);
  }
  records.push_back(left.empty() ? step_end(StepStatus::passed) : step_end(StepStatus::failed, left));
  return records;
}

}  // namespace mpsgate
