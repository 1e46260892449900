#include "base/files.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "reports/write.h"
#include "sequence/bundle.h"

#include <cstdio>

namespace mpsgate {

ExitCode capture_command(const std::vector<std::string>& words) {
  std::string file, arm = "cpu", name, out;
  std::vector<std::string> sources, artefacts;
  bool allow_spread = false;
  RunOptions options;
  CLI::App app(
      "Runs the protocol's commands here and keeps their outputs as a reference, with their provenance.",
      "mpsgate capture");
  app.add_option("protocol", file, "the YAML protocol")->required();
  app.add_option("--name", name, "of the reference: linux-cpu")->required();
  app.add_option("--arm", arm, "cpu, or cuda where there is a GPU")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--out", out, "the folder of the bundle (default: references/NAME beside the protocol)");
  app.add_option("--source", sources, "URL=DIR: take what the protocol names by URL from a local repository")
      ->allow_extra_args(false);
  app.add_option("--artefact", artefacts,
                 "NAME=FILE: take weights or data from a local copy of the same sha256")
      ->allow_extra_args(false);
  app.add_flag("--allow-spread", allow_spread,
               "capture though passes differ beyond the band; the bundle says so");
  app.add_flag("--fresh-environment", options.fresh_environment, "build the environment again");
  if (const auto done = parse_arguments(app, words)) return *done;
  if (name.size() > 60 ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
          std::string::npos) {
    complain({"usage.name", "--name wants letters, digits, _ and - only, 60 at most", "", {}});
    return ExitCode::usage;
  }
  if (auto read = read_sources(sources, options); !read) {
    complain(read.error());
    return ExitCode::usage;
  }
  auto protocol = load_protocol(file);
  if (!protocol) return ExitCode::usage;
  if (auto read = read_artefacts(artefacts, *protocol, options); !read) {
    complain(read.error());
    return ExitCode::usage;
  }
  const fs::path bundle =
      fs::absolute(out.empty() ? protocol->file.parent_path() / "references" / name : fs::path(out))
          .lexically_normal();
  std::error_code error;
  if (fs::exists(bundle, error) && !fs::is_empty(bundle, error)) {
    complain({"usage.out", bundle.string() + " is not empty", "give a new folder with --out", {}});
    return ExitCode::usage;
  }
  // Deleted when they have been captured, not before.
  const bool delete_outputs = std::erase(protocol->cleanup, "outputs") > 0;
  options.only = {"host", "repeat"};
  options.reference_arm = arm;
  const SystemClock clock;
  keep_runs_out_of_git();
  const RunFolder folder(fs::absolute(fs::path(kRuns) / new_run_id("capture-" + protocol->name, clock)));
  return with_surroundings(
      folder, Format::text,
      [&](const Surroundings& surroundings) { return start_run(*protocol, options, folder, surroundings); },
      [&](const Records& records, Terminal& terminal) {
        if (!last_of(records, Kind::run, "run.end"))
          return conclude(records, folder, Format::text, false, terminal);
        if (const auto reports = write_reports(records, folder.root()); !reports) complain(reports.error());
        const auto written = write_bundle(*protocol, records, folder,
                                          {name, arm, utc_text(clock.now_ms()), allow_spread}, bundle);
        if (delete_outputs) {
          if (const auto removed = remove_tree(folder.outputs()); !removed) complain(removed.error());
        }
        if (!written) {
          complain(written.error());
          return exit_code(written.error());
        }
        const bool outside = *bundle.lexically_relative(protocol->root).begin() == "..";
        const std::string next =
            outside ? "move it into " + protocol->root.string() + ", then name it under references"
                    : "references: {" + name + ": " +
                          bundle.lexically_relative(protocol->file.parent_path()).generic_string() + "}";
        std::printf("\ncaptured %s (%s) in %s\n  next: %s\n  the run: %s\n", name.c_str(), arm.c_str(),
                    bundle.c_str(), next.c_str(), folder.root().c_str());
        return ExitCode::ok;
      });
}

}  // namespace mpsgate
