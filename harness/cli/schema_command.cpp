#include "base/json.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "protocol/schema.h"
#include "reports/json.h"

#include <cstdio>

namespace mpsgate {

ExitCode schema_command(const std::vector<std::string>& words) {
  bool markdown = false;
  std::string what = "protocol";
  CLI::App app("Prints a JSON Schema: of protocols, for editors, or of report.json.", "mpsgate schema");
  app.add_option("what", what, "protocol (the default) or report")
      ->check(CLI::IsMember({"protocol", "report"}));
  app.add_flag("--markdown", markdown, "the tables of docs/protocol.md instead");
  if (const auto done = parse_arguments(app, words)) return *done;
  if (what == "report") {
    std::fwrite(report_schema().data(), 1, report_schema().size(), stdout);
    return ExitCode::ok;
  }
  std::printf("%s\n", markdown ? keys_markdown().c_str() : dump_json(protocol_schema(), 2).c_str());
  return ExitCode::ok;
}

}  // namespace mpsgate
