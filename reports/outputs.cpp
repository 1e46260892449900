#include "reports/outputs.h"

namespace mpsgate {

std::string write_outputs(const Report& report) {
  const Verdict& verdict = report.verdict;
  std::string text;
  for (const auto& [name, value] : {std::pair{"decision", &verdict.word},
                                    {"scope", &verdict.scope},
                                    {"cause", &verdict.cause},
                                    {"route", &verdict.route},
                                    {"effort", &verdict.effort},
                                    {"who", &verdict.who}})
    text += std::string(name) + "=" + *value + "\n";
  return text;
}

}  // namespace mpsgate
