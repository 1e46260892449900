#include "base/files.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "cli/terminal.h"

#include <cstdio>

namespace mpsgate {
namespace {

struct Arguments {
  std::string protocol, out, format = "text";
  std::vector<std::string> sources, artefacts;
  bool plan = false;
  RunOptions options;
};

const char* what_of(const PlannedStep& step) {
  return !step.selected ? "left out" : step.why.empty() ? "run" : "skip";
}

Json plan_json(const Protocol& protocol, const std::vector<PlannedStep>& plan, const std::string& scope) {
  Json steps = Json::array();
  for (const auto& step : plan) {
    steps.push_back({{"number", step.row->number},
                     {"id", step.row->id},
                     {"plan", what_of(step)},
                     {"gating", step.gating},
                     {"why", step.why}});
  }
  return {{"name", protocol.name}, {"scope", scope}, {"steps", steps}};
}

void print_plan(const Protocol& protocol, const std::vector<PlannedStep>& plan, const std::string& scope) {
  std::printf("%s: the sequence with scope %s; nothing is run\n", protocol.name.c_str(), scope.c_str());
  for (const auto& step : plan) {
    std::printf("%3d  %-12s %-9s %-7s ", step.row->number, step.row->id, what_of(step),
                step.gating ? "gating" : "");
    print_disarmed(stdout, step.why.empty() ? step.row->establishes : one_line(step.why));
  }
}

ExitCode execute(Mode mode, const std::vector<std::string>& words) {
  Arguments arguments;
  arguments.options.mode = mode;
  CLI::App app(mode == Mode::run ? "Executes a protocol on this Mac's mps device."
                                 : "Executes what this machine can of a protocol, before a Mac is paid for.",
               std::string("mpsgate ") + name_of(mode));
  app.add_option("protocol", arguments.protocol, "the YAML protocol")->required();
  app.add_option("--out", arguments.out, "the run directory (default: mpsgate-runs/NAME-DATE-ID here)");
  app.add_option("--source", arguments.sources,
                 "URL=DIR: take what the protocol names by URL from a local repository")
      ->allow_extra_args(false);
  app.add_option("--artefact", arguments.artefacts,
                 "NAME=FILE: take weights or data from a local copy of the same sha256")
      ->allow_extra_args(false);
  app.add_option("--only", arguments.options.only, "run these steps and what they need")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--skip", arguments.options.skip, "leave these steps out")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--plan", arguments.plan, "show the steps without running anything");
  app.add_flag("--keep-going", arguments.options.keep_going, "go on after a reason to abort");
  app.add_flag("--fresh-environment", arguments.options.fresh_environment, "build the environment again");
  app.add_option("--format", arguments.format, "text, or json: report.json on standard output")
      ->check(CLI::IsMember({"text", "json"}));
  if (const auto done = parse_arguments(app, words)) return *done;
  if (auto read = read_sources(arguments.sources, arguments.options); !read) {
    complain(read.error());
    return ExitCode::usage;
  }
  const auto protocol = load_protocol(arguments.protocol);
  if (!protocol) return ExitCode::usage;
  if (auto read = read_artefacts(arguments.artefacts, *protocol, arguments.options); !read) {
    complain(read.error());
    return ExitCode::usage;
  }
  if (arguments.plan) {
    const std::string scope = scope_of(arguments.options);
    const auto plan = plan_steps(*protocol, arguments.options, scope);
    if (!plan) {
      complain(plan.error());
      return ExitCode::usage;
    }
    if (arguments.format == "json") {
      print_json(dump_json(plan_json(*protocol, *plan, scope), 2) + "\n");
    } else {
      print_plan(*protocol, *plan, scope);
    }
    return anything_selected(*plan) ? ExitCode::ok : ExitCode::nothing;
  }
  const SystemClock clock;
  const fs::path out =
      fs::absolute(arguments.out.empty() ? fs::path(kRuns) / new_run_id(protocol->name, clock)
                                         : fs::path(arguments.out))
          .lexically_normal();
  std::error_code error;
  if (fs::exists(out, error) && !fs::is_empty(out, error)) {
    complain({"usage.out",
              out.string() + " is not empty",
              "give a new directory with --out, or go on with mpsgate resume",
              {}});
    return ExitCode::usage;
  }
  if (arguments.out.empty()) keep_runs_out_of_git();
  const RunFolder folder(out.has_filename() ? out : out.parent_path());
  const Format format = arguments.format == "json" ? Format::json : Format::text;
  return with_surroundings(folder, format, [&](const Surroundings& surroundings) {
    return start_run(*protocol, arguments.options, folder, surroundings);
  });
}

}  // namespace

ExitCode run_command(const std::vector<std::string>& words) {
  return execute(Mode::run, words);
}
ExitCode rehearse_command(const std::vector<std::string>& words) {
  return execute(Mode::rehearse, words);
}

}  // namespace mpsgate
