#include "sequence/comparison_script.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "sequence/execution.h"
#include "sequence/outputs.h"

#include <cmath>
#include <limits>

namespace mpsgate {
namespace {

/// The first number whose logs are still free: one step compares several times.
int free_number(const Context& context, PassRequest request) {
  std::error_code error;
  while (fs::exists(context.folder.log(label_of(request) + "." + request.command->name + ".out"), error))
    ++request.number;
  return request.number;
}

bool equal_bytes(const fs::path& a, const fs::path& b) {
  const auto digest = [](const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error) ? sha256_of_folder(path) : sha256_of_file(path);
  };
  const auto first = digest(a), second = digest(b);
  return first && second && *first == *second;
}

}  // namespace

Result<Comparison> compare_by_script(const Context& context, const Records& so_far, const Output& output,
                                     const fs::path& actual, const fs::path& expected,
                                     const std::string& step) {
  const Command* command = context.protocol.command(output.script.command);
  PassRequest request{step + "-compare", "cpu", 1, command, {}};
  std::error_code error;
  request.words = {{"actual", fs::absolute(actual, error).string()},
                   {"expected", fs::absolute(expected, error).string()}};
  request.number = free_number(context, request);
  MPSGATE_ASSIGN(const Execution execution, execute(context, so_far, request));
  const ProcessResult& process = execution.process;
  const std::string who = "the lab's comparison " + command->name;
  const auto give_up = [&](const std::string& what) {
    const std::string reproduce = write_reproduce_script(context, execution);
    discard(execution);
    return fail("compare.script", who + " of output " + output.name + " " + what,
                "run it by hand: " + reproduce, command->place);
  };
  const bool ended = process.ending == Ending::exited && (process.exit_code == 0 || process.exit_code == 1);
  if (!ended) return give_up("ended with " + process.description() + ", neither 0 nor 1");

  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double figure = kNone;
  if (!output.script.printed.empty()) {
    const auto printed = last_printed(output.script.printed, execution.request.stdout_file);
    if (!printed) return give_up("printed no figure: " + printed.error().message);
    figure = *printed;
  }
  discard(execution);
  const double most = output.script.at_most.value_or(kNone);
  const bool within =
      process.exit_code == 0 && !(figure > most) && !(std::isnan(figure) && !std::isnan(most));
  Comparison comparison;
  comparison.name = output.name;
  comparison.dtype = kScriptDtype;
  comparison.status = within ? "within" : "beyond";
  comparison.worst_actual = figure;
  comparison.worst_expected = most;
  comparison.bit_equal = equal_bytes(actual, expected);
  if (!within) {
    comparison.message =
        who + (process.exit_code == 0
                   ? " printed " + format_number(figure) + ", and at most " + format_number(most) + " agrees"
                   : " says that they do not agree");
  }
  return comparison;
}

}  // namespace mpsgate
