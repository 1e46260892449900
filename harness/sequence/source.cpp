#include "base/files.h"
#include "base/text.h"
#include "base/tree_state.h"
#include "fetch/fetch.h"
#include "process/variables.h"
#include "record/draft.h"
#include "sequence/findings.h"
#include "sequence/step.h"

#include <algorithm>

namespace mpsgate {
namespace {

/// The finding for an error of check_out; codes without a row of their own share source.failed.
Finding finding_for(const Error& error, const Protocol& protocol) {
  static constexpr std::string_view own[] = {"source.unreachable", "source.commit-unknown",
                                             "source.objects-missing"};
  const char* id = "source.failed";
  for (const auto code : own) {
    if (error.code == code) id = code.data();
  }
  if (error.code == "disk.full") id = "machine.disk-full";
  Finding finding = sequence_finding(id, error.message);
  if (!error.advice.empty()) finding.remedy = error.advice;
  finding.place = protocol.place_of("repository");
  return finding;
}

/// Written with or without ".git", a URL is one repository.
bool is_submodule(const CheckedOut& checked_out, const std::string& url) {
  const auto plain = [](std::string text) {
    while (text.ends_with('/'))
      text.pop_back();
    return text.ends_with(".git") ? text.substr(0, text.size() - 4) : text;
  };
  return std::any_of(
      checked_out.submodules.begin(), checked_out.submodules.end(),
      [&](const auto& submodule) { return plain(submodule.url) == plain(hide_credentials(url)); });
}

}  // namespace

Records run_source(const Context& context, const Records&) {
  const auto& repository = context.protocol.repository;
  Records records;
  Checkout request;
  request.url = repository.url;
  request.commit = repository.commit;
  request.submodules = repository.submodules;
  request.sparse = repository.sparse;
  request.credential = repository.credential;
  request.folder = context.folder.source();
  request.log = context.folder.log("source.err");
  request.seconds = context.protocol.limits.source_seconds;
  request.substitute = repository.local;
  for (const auto& [url, folder] : context.options.sources) {
    if (url == repository.url) {
      request.substitute = folder;
      records.push_back(to_record(sequence_finding(
          "source.substituted", hide_credentials(url) + " was taken from " + folder.string())));
    } else {
      request.substitutes.emplace_back(url, folder);
    }
  }
  (void)make_folder(context.folder.logs());
  if (request.substitute.empty()) context.progress.say("fetching " + hide_credentials(repository.url));
  const auto give_up = [&](const Error& error) {
    const Finding finding = finding_for(error, context.protocol);
    records.push_back(to_record(finding));
    records.push_back(step_end(StepStatus::failed, finding.message));
    return records;
  };
  if (auto removed = remove_tree(request.folder); !removed) return give_up(removed.error());
  auto checked_out = check_out(context.processes, context.own, request);
  if (!checked_out) return give_up(checked_out.error());

  records.push_back(note("source.commit", "commit", checked_out->commit));
  records.push_back(note("source.tree", "tree", checked_out->tree));
  records.push_back(note("source.state", "hash of its names, sizes and times", tree_state(request.folder)));
  records.push_back(note("source.files", "files in the checkout", checked_out->files));
  records.push_back(note("source.bytes", "size of the checkout", format_bytes(checked_out->bytes)));
  records.push_back(note("source.libgit2", "libgit2", checked_out->libgit2));
  for (const auto& submodule : checked_out->submodules) {
    records.push_back(note("source.submodule", "submodule " + one_line(submodule.path),
                           submodule.commit + " of " + hide_credentials(submodule.url)));
  }
  for (const auto& [url, folder] : context.options.sources) {
    if (url == repository.url || is_submodule(*checked_out, url)) continue;
    records.push_back(to_record(sequence_finding(
        "source.unused",
        "--source " + hide_credentials(url) + ": neither the protocol nor a submodule has this URL")));
  }
  if (!repository.sparse.empty()) {
    records.push_back(to_record(sequence_finding(
        "source.sparse", "only these paths are checked out: " + one_line(join(repository.sparse, ", ")))));
  }
  if (!checked_out->lfs_pointers.empty()) {
    Finding finding =
        sequence_finding("source.lfs-pointers", std::to_string(checked_out->lfs_pointers.size()) +
                                                    " files are pointers of Git LFS, not their content");
    for (const auto& path : checked_out->lfs_pointers) {
      if (finding.evidence.size() == 10) break;
      finding.evidence.push_back(one_line(path));
    }
    records.push_back(to_record(finding));
  }
  records.push_back(step_end(StepStatus::passed));
  return records;
}

}  // namespace mpsgate
