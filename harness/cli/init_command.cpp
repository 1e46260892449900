#include "base/files.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "survey/entry_point.h"
#include "survey/starter.h"

#include <cstdio>

namespace mpsgate {
namespace {

std::string file_url(const fs::path& folder) {
  return "file://" + replace_all(folder.string(), "%", "%25");
}

/// Where the protocol `file` lies, as seen from the checkout.
StarterPlace place_of(const fs::path& checkout, const fs::path& file, const std::string& shown) {
  std::error_code error;
  const fs::path top = fs::weakly_canonical(checkout, error);
  StarterPlace place;
  place.file = shell_quoted({shown});
  place.inside = root_of(file) == top;
  place.local_url = place.inside ? "." : file_url(top);
  const std::string up =
      top.lexically_relative(fs::weakly_canonical(file, error).parent_path()).generic_string();
  if (place.inside && up != ".") place.up = up + "/";
  return place;
}

void print(std::FILE* stream, const Starter& starter, const std::string& file, const std::string& shown) {
  for (const auto& [what, said] : starter.found)
    std::fprintf(stream, "  %-14s %s\n", what.c_str(), said.c_str());
  if (file.empty()) return;
  std::fprintf(stream, "wrote %s\n", one_line(file).c_str());
  if (starter.open > 0)
    std::fprintf(stream, "  %zu %s %s in it: only you can fill %s in\n", starter.open, kFillMeIn,
                 starter.open == 1 ? "stands" : "stand", starter.open == 1 ? "it" : "them");
  std::fprintf(stream, "next: mpsgate validate %s\n      mpsgate rehearse %s\n", shown.c_str(),
               shown.c_str());
}

}  // namespace

ExitCode init_command(const std::vector<std::string>& words) {
  std::string repository, out, name;
  bool force = false;
  CLI::App app(
      "Writes a first protocol for a repository: what its files tell, and comments on what only the lab can "
      "decide. Nothing of the repository is executed.",
      "mpsgate init");
  app.add_option("repository", repository, "the folder of a git checkout")->required();
  app.add_option("--out", out,
                 "where the protocol goes; - prints it (the default: mpsgate.yaml in the checkout)");
  app.add_option("--name", name, "what the protocol is called (the default: made from the folder's name)");
  app.add_flag("--force", force, "overwrite the file");
  if (const auto done = parse_arguments(app, words)) return *done;
  const auto refuse = [](const std::string& message, const std::string& advice) {
    complain({"usage.init", message, advice, {}});
    return ExitCode::usage;
  };
  if (!name.empty() && fitted_name(name, "lab") != name)
    return refuse("--name wants lower-case letters, digits, - and _, found \"" + one_line(name, 60) + "\"",
                  "for example " + fitted_name(name, "lab"));
  const bool printed = out == "-";
  const fs::path file = out.empty() || printed ? fs::path(repository) / "mpsgate.yaml" : fs::path(out);
  std::error_code error;
  if (!printed && !force && fs::exists(fs::symlink_status(file, error)))
    return refuse(file.string() + " is there already", "--force overwrites it, --out FILE writes another");
  if (!printed && fs::is_directory(file, error))
    return refuse(file.string() + " is a folder", "name the file: --out " + (file / "mpsgate.yaml").string());
  const auto survey = survey_repository(repository);
  if (!survey) {
    complain(survey.error());
    return exit_code(survey.error());
  }
  StarterPlace place = place_of(repository, file, file.filename().string());
  place.name = name;
  const Starter starter = write_starter(*survey, place);
  if (printed) {
    std::fputs(starter.text.c_str(), stdout);
    print(stderr, starter, "", "");
    return ExitCode::ok;
  }
  if (const auto written = write_file(file, starter.text); !written) {
    complain(written.error());
    return ExitCode::usage;
  }
  print(stdout, starter, file.string(), shell_quoted({file.string()}));
  return ExitCode::ok;
}

}  // namespace mpsgate
