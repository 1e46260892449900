#include "sequence/notebook.h"

#include "sequence/installed.h"

namespace mpsgate {

Result<std::vector<std::string>> notebook_argv(const Command& command, const Records& so_far,
                                               const Placeholders& placeholders,
                                               const std::filesystem::path& executed) {
  const auto installed = installed_packages(so_far);
  const std::string file = std::filesystem::path(command.notebook).filename().string();
  const bool parameters = !command.parameters.empty();
  const std::string needed = parameters || installed.contains("papermill") ? "papermill" : "nbconvert";
  for (const auto& package : {needed, std::string("ipykernel")}) {
    if (!installed.contains(package))
      return fail("environment.module-missing",
                  "the notebook " + command.notebook + " needs " + package + ", which the environment lacks",
                  "name " + needed + " and ipykernel under environment.packages", command.place);
  }
  if (needed == "nbconvert") {
    return std::vector<std::string>{"python",
                                    "-m",
                                    "nbconvert",
                                    "--to",
                                    "notebook",
                                    "--execute",
                                    "--ExecutePreprocessor.timeout=-1",
                                    "--output-dir",
                                    executed.parent_path().string(),
                                    "--output",
                                    executed.filename().string(),
                                    file};
  }
  // limits.command ends it; papermill itself shall not.
  std::vector<std::string> argv = {
      "python", "-m", "papermill", "--no-progress-bar", "--execution-timeout", "-1", file, executed.string()};
  for (const auto& [name, value] : command.parameters) {
    argv.insert(argv.end(), {"-p", name, expand({value}, placeholders).front()});
  }
  return argv;
}

}  // namespace mpsgate
