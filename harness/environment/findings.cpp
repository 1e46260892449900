#include "environment/findings.h"

#include "base/text.h"

#include <array>

namespace mpsgate {

std::span<const FindingRow> environment_findings() {
  using enum Weight;
  constexpr auto fixed = Basis::fixed;
  constexpr auto cause = Cause::environment;
  static constexpr std::array rows = {
      FindingRow{"environment.unbuildable", cause, fixed, stop, Who::lab,
                 "The environment cannot be built on any Mac",
                 "let the lab mend its requirements, or replace the package in the protocol with a reason"},
      FindingRow{"environment.index-unreachable", cause, fixed, gap, Who::machine_owner,
                 "The package index cannot be reached",
                 "check the network, the proxy and the index settings of pip, then run again"},
      FindingRow{"environment.no-distribution", cause, fixed, gap, Who::protocol_owner,
                 "A package has no distribution for this machine",
                 "replace or drop it in the protocol with a reason, or name the index that has it in pip's "
                 "settings"},
      FindingRow{"environment.python-missing", cause, fixed, gap, Who::machine_owner,
                 "The wanted Python is not on this machine", "install it"},
      FindingRow{"environment.python-refused", cause, fixed, gap, Who::protocol_owner,
                 "A package refuses this Python", "name another version with environment.python"},
      FindingRow{"environment.file-missing", cause, fixed, gap, Who::protocol_owner,
                 "What the environment is built from is not in the commit",
                 "correct environment.files or environment.install in the protocol"},
      FindingRow{"environment.file-refused", cause, fixed, gap, Who::protocol_owner,
                 "A requirements file cannot be taken as it is",
                 "name the packages in the protocol instead: environment: {packages: […]}"},
      FindingRow{"environment.torch-unpinned", cause, fixed, gap, Who::protocol_owner,
                 "The release of torch is left open",
                 "pin it in the protocol: environment: {replace: {torch: {with: torch==…, because: …}}}"},
      FindingRow{"environment.torch-replaced", cause, fixed, gap, Who::protocol_owner,
                 "Another torch was installed than the pinned one",
                 "look which package asks for it, and replace or drop that"},
      FindingRow{"environment.conflict-constraint", cause, fixed, gap, Who::protocol_owner,
                 "A requirement excludes a pin of the protocol or of this machine",
                 "choose a pin that the lab's requirements allow, or drop the requirement with a reason"},
      FindingRow{"environment.build-failed", cause, fixed, gap, Who::protocol_owner,
                 "A package could not be built from source here",
                 "install what it needs, or replace the package in the protocol"},
      FindingRow{"environment.disk-full", cause, fixed, gap, Who::machine_owner, "The disk is full",
                 "free some disk space, then mpsgate resume"},
      FindingRow{"environment.timeout", cause, fixed, gap, Who::machine_owner,
                 "Building the environment took too long",
                 "raise limits.environment, or look why it is slow"},
      FindingRow{"environment.failed", cause, fixed, gap, Who::machine_owner,
                 "The environment could not be built",
                 "if nothing there explains it, report it to mpsgate's maintainers"},
      FindingRow{"environment.rewritten", cause, fixed, note, Who::nobody, "Requirements were changed",
                 "the report lists each change with its reason"},
      FindingRow{"environment.mac-unknown", cause, fixed, note, Who::nobody,
                 "What the index offers a Mac is not known", "nothing to do: the Mac will tell"},
  };
  return rows;
}

std::span<const CriterionRow> environment_criteria() {
  static constexpr std::array rows = {CriterionRow{"environment.unbuildable", Cause::environment,
                                                   Route::adapt, Effort::hours, CriterionRow::Rule::any, 0,
                                                   "", "the environment cannot be built on any Mac"}};
  return rows;
}

Finding torch_unpinned(const std::string& requirement) {
  return environment_finding("environment.torch-unpinned",
                             requirement.empty()
                                 ? "a package needs torch, and nothing says which release is judged"
                                 : "the requirement \"" + one_line(requirement) +
                                       "\" does not say which release of torch is judged");
}

Finding environment_finding(std::string_view id, std::string message) {
  return finding_of(environment_findings(), id, std::move(message));
}

}  // namespace mpsgate
