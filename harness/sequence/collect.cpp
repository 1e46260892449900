#include "sequence/collect.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "compare/compare.h"
#include "record/draft.h"
#include "sequence/findings.h"
#include "sequence/outputs.h"

#include <optional>

namespace mpsgate {
namespace {

namespace fs = std::filesystem;

constexpr double kReadBackSeconds = 300;

/// Of a file, or of all files of a folder.
std::uint64_t size_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uint64_t bytes = 0;
  for (const auto& [name, state] : list_files(path))
    bytes += state.size;
  return bytes;
}

class Collector {
 public:
  Collector(const Context& context, const PassRequest& request, const Execution& execution, fs::path folder)
      : context_(context), request_(request), execution_(execution), folder_(std::move(folder)) {}

  Result<Collected> run() {
    MPSGATE_TRY(remove_tree(folder_));
    MPSGATE_TRY(make_folder(folder_));
    for (const Output* output : context_.protocol.outputs_of(request_.command->name)) {
      MPSGATE_ASSIGN(auto kept, output->printed.empty() ? keep_file(*output) : keep_number(*output));
      if (!kept.empty()) collected_.files[output->name] = std::move(kept);
    }
    if (!collected_.files.empty()) MPSGATE_TRY(read_back());
    return std::move(collected_);
  }

 private:
  /// Where the output is kept; empty after a finding.
  using Kept = Result<fs::path>;

  fs::path found(const Output& output, Finding finding) {
    finding.output = output.name;
    finding.place = output.place;
    collected_.findings.push_back(std::move(finding));
    return {};
  }

  Kept keep_number(const Output& output) {
    if (execution_.process.out.truncated) {
      Finding finding = sequence_finding(
          "result.unsupported", "output " + output.name + " cannot be read: the log was cut at limits.log");
      finding.remedy = "raise limits.log, or let the command print less";
      return found(output, std::move(finding));
    }
    const fs::path kept = folder_ / kept_name(output, {});
    if (auto finding = keep_printed(output, execution_.request.stdout_file, kept))
      return found(output, std::move(*finding));
    return kept;
  }

  Kept keep_file(const Output& output) {
    const PassWorkspace& workspace = execution_.workspace;
    Located located = locate_output(output, workspace);
    if (located.finding) return found(output, std::move(*located.finding));
    // Before the copy: a sparse file of a few bytes may claim more than the disk has.
    std::uint64_t size = located.names.empty() ? size_of(located.path) : 0;
    for (const auto& name : located.names)
      size += size_of(located.path / name);
    if (const auto most = context_.protocol.limits.output_bytes; size > most) {
      return found(output, sequence_finding("result.too-large",
                                            "output " + output.name + " has " + format_bytes(size) +
                                                ", and limits.output allows " + format_bytes(most)));
    }
    if (!output.json.empty()) return keep_selected(output, located.path);
    const fs::path kept = folder_ / kept_name(output, located.names.empty() ? located.path : fs::path());
    for (const auto& name : located.names) {
      MPSGATE_TRY(make_folder((kept / name).parent_path()));
      MPSGATE_TRY(copy_tree(fs::weakly_canonical(located.path / name), kept / name));
    }
    if (located.names.empty()) {
      MPSGATE_TRY(copy_tree(fs::weakly_canonical(located.path), kept));
      // Of a folder in the checkout only what this pass wrote is its output.
      for (const auto& stale : stale_files(output, workspace))
        MPSGATE_TRY(remove_tree(kept / stale));
    }
    return kept;
  }

  Kept keep_selected(const Output& output, const fs::path& file) {
    const auto value =
        select_supervised(context_.processes, context_.own, file, output.json,
                          context_.folder.log(request_.step + ".read-back.err"), kReadBackSeconds);
    if (!value && value.error().code == "result.absent")
      return found(output, sequence_finding("result.absent", "output " + output.name +
                                                                 " is absent: " + value.error().message));
    if (!value && value.error().code.starts_with("result."))
      return found(output,
                   sequence_finding("result.unreadable",
                                    "output " + output.name + " cannot be read: " + value.error().message));
    if (!value) return tl::unexpected<Error>(value.error());
    const fs::path kept = folder_ / kept_name(output, {});
    MPSGATE_TRY(write_file(kept, *value + "\n"));
    return kept;
  }

  Result<void> read_back() {
    std::vector<std::pair<std::string, fs::path>> files;
    for (const Output* output : context_.protocol.outputs_of(request_.command->name)) {
      const auto kept = collected_.files.find(output->name);
      if (kept != collected_.files.end()) files.emplace_back(*kept);
    }
    const auto described =
        describe_supervised(context_.processes, context_.own, files,
                            context_.folder.log(request_.step + ".read-back.err"), kReadBackSeconds);
    if (!described) return tl::unexpected<Error>(described.error());
    for (const auto& file : *described) {
      const About about{request_.arm, request_.number, request_.command->name, file.name};
      const fs::path& kept = collected_.files[file.name];
      if (!file.problem.empty()) {
        Finding finding =
            file.unsupported
                ? sequence_finding("result.unsupported",
                                   "output " + file.name + " cannot be compared: " + file.problem)
                : sequence_finding("result.unreadable",
                                   "output " + file.name + " cannot be read back: " + file.problem);
        finding.output = file.name;
        finding.command = request_.command->name;
        collected_.findings.push_back(std::move(finding));
      }
      const bool is_folder = fs::is_directory(kept);
      MPSGATE_ASSIGN(const std::string digest, is_folder ? sha256_of_folder(kept) : sha256_of_file(kept));
      Record record = artefact("output", context_.folder.relative(kept), size_of(kept), digest, about);
      record.data["description"] = file.description;
      record.data["label"] = label_of(request_);
      collected_.records.push_back(std::move(record));
    }
    return {};
  }

  const Context& context_;
  const PassRequest& request_;
  const Execution& execution_;
  fs::path folder_;
  Collected collected_;
};

}  // namespace

Result<Collected> collect(const Context& context, const PassRequest& request, const Execution& execution,
                          const fs::path& folder) {
  return Collector(context, request, execution, folder).run();
}

}  // namespace mpsgate
