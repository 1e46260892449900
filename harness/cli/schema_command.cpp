#include "base/json.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "protocol/schema.h"

#include <cstdio>

namespace mpsgate {

ExitCode schema_command(const std::vector<std::string>& words) {
  bool markdown = false;
  CLI::App app("Prints the JSON Schema of protocols, for editors.", "mpsgate schema");
  app.add_flag("--markdown", markdown, "the tables of docs/protocol.md instead");
  if (const auto done = parse_arguments(app, words)) return *done;
  std::printf("%s\n", markdown ? keys_markdown().c_str() : dump_json(protocol_schema(), 2).c_str());
  return ExitCode::ok;
}

}  // namespace mpsgate
