#include "sequence/findings.h"

#include <array>

namespace mpsgate {

std::span<const FindingRow> sequence_findings() {
  using enum Weight;
  constexpr auto fixed = Basis::fixed;
  constexpr auto device = Basis::device;
  static constexpr std::array rows = {
      FindingRow{"source.unreachable", Cause::machine, fixed, gap, Who::machine_owner,
                 "The repository cannot be reached",
                 "check the network and the proxy, or give a local copy with --source URL=DIR"},
      FindingRow{
          "source.commit-unknown", Cause::data, fixed, gap, Who::protocol_owner,
          "The commit is not in the repository",
          "check repository.commit; a commit that no branch or tag reaches may have to be pushed again"},
      FindingRow{"source.objects-missing", Cause::data, fixed, gap, Who::machine_owner,
                 "The copy of the repository is incomplete", "give a complete copy with --source URL=DIR"},
      FindingRow{"source.failed", Cause::data, fixed, gap, Who::protocol_owner,
                 "The repository could not be checked out",
                 "read the message; docs/diagnostics/source.failed.md lists the cases"},
      FindingRow{
          "source.changed", Cause::data, fixed, doubt, Who::machine_owner,
          "The checkout was changed during the run",
          "run again, and leave the run directory alone; a command that changes ../../source must not"},
      FindingRow{"source.lfs-pointers", Cause::data, fixed, note, Who::protocol_owner,
                 "Files of Git LFS are not resolved",
                 "only their pointers are in the checkout: a command that reads them will fail"},
      FindingRow{"source.substituted", Cause::data, fixed, note, Who::nobody,
                 "A local copy stood in for the repository", "the commit is the same; nothing to do"},
      FindingRow{"environment.module-missing", Cause::environment, device, gap, Who::protocol_owner,
                 "The environment lacks a module that the command imports",
                 "name its package under environment.packages, or let the lab add it to its requirements"},
      FindingRow{"data.network", Cause::data, device, gap, Who::protocol_owner,
                 "The command reached for the network",
                 "passes run without the machine's network settings: keep what it downloads in the "
                 "repository or beside the protocol"},
      FindingRow{"machine.out-of-memory", Cause::machine, device, doubt, Who::machine_owner,
                 "Memory ran out on this machine",
                 "close other programs, or take a machine with more memory"},
      FindingRow{"machine.disk-full", Cause::machine, device, doubt, Who::machine_owner, "The disk is full",
                 "free some disk space, then run it again"},
      FindingRow{"command.not-started", Cause::environment, device, gap, Who::protocol_owner,
                 "The command cannot be started", "check the first word of the command in the protocol"},
      FindingRow{"crash.exit", Cause::crash, device, stop, Who::lab, "The command ends with an error",
                 "run the reproduce line by hand and mend what the traceback names"},
      FindingRow{"crash.signal", Cause::crash, device, stop, Who::lab, "The command is ended by a signal",
                 "run the reproduce line by hand under a debugger"},
      FindingRow{"crash.hang", Cause::crash, device, stop, Who::lab, "The command does not end",
                 "if it only needs longer, raise limits.command in the protocol"},
      FindingRow{"crash.processes", Cause::crash, device, stop, Who::lab,
                 "The command starts too many processes",
                 "if it needs that many, raise limits.processes in the protocol"},
      FindingRow{"crash.gpu-error", Cause::crash, device, stop, Who::lab, "A GPU command failed",
                 "run the reproduce line by hand; try a smaller input"},
      FindingRow{"crash.swallowed", Cause::crash, device, stop, Who::lab, "The command hides an error",
                 "let the script end with a non-zero exit code when its work failed"},
      FindingRow{"result.absent", Cause::output, device, stop, Who::lab, "An output is not written",
                 "let the command write it below {out}, or correct outputs in the protocol"},
      FindingRow{"result.elsewhere", Cause::output, device, stop, Who::lab,
                 "An output is written somewhere else",
                 "let the command honour {out}, or name the place with `checkout:` in the protocol"},
      FindingRow{"result.unreadable", Cause::output, device, stop, Who::lab, "An output cannot be read back",
                 "let the command write a complete file"},
      FindingRow{"result.unsupported", Cause::output, device, gap, Who::protocol_owner,
                 "An output cannot be compared by this version",
                 "let a driver script write it as numbers (.npy, .csv) or under another extension, then its "
                 "bytes are compared"},
      FindingRow{"result.too-large", Cause::output, device, gap, Who::protocol_owner,
                 "An output is larger than the protocol allows",
                 "raise limits.output, or declare what is compared and no more"},
      FindingRow{"fallback.operators", Cause::operators, device, stop, Who::lab,
                 "An operator is not implemented for mps",
                 "use another operator, or a newer torch that has it"},
      FindingRow{"dtype.unsupported", Cause::dtype, device, stop, Who::lab, "A dtype that mps does not have",
                 "use float32 (complex64) where the line names float64 (complex128)"},
      FindingRow{"memory.fit", Cause::memory, device, stop, Who::lab, "The representative case does not fit",
                 "take a smaller batch, or a Mac with more memory"},
      FindingRow{
          "reference.missing", Cause::data, fixed, gap, Who::protocol_owner, "A named reference is not there",
          "capture it with mpsgate capture PROTOCOL --name NAME, or correct references in the protocol"},
      FindingRow{"reference.other-commit", Cause::data, fixed, gap, Who::protocol_owner,
                 "A reference was captured from another commit",
                 "capture it again from this commit: mpsgate capture"},
      FindingRow{"reference.damaged", Cause::data, fixed, gap, Who::protocol_owner, "A reference is damaged",
                 "restore the bundle, or capture it again: mpsgate capture"},
      FindingRow{"reference.no-provenance", Cause::data, fixed, note, Who::protocol_owner,
                 "A reference says nothing of where it comes from", "capture it again: mpsgate capture"},
      FindingRow{"reference.spread", Cause::data, fixed, note, Who::protocol_owner,
                 "A reference's own passes differed beyond the band",
                 "seed what is random, and capture it again"},
      FindingRow{"reference.disagrees", Cause::numerics, device, doubt, Who::protocol_owner,
                 "The reference and this machine's CPU disagree",
                 "capture the reference again from this commit and environment, or widen the tolerance with "
                 "a reason"},
      FindingRow{"repeat.differs", Cause::numerics, device, gap, Who::protocol_owner,
                 "The same command gives another result each time",
                 "seed what is random in the lab's code, or name a tolerance that allows what it varies by"},
      FindingRow{"relaunch.differs", Cause::numerics, device, gap, Who::protocol_owner,
                 "The relaunch gives another result", "look for state that a first run leaves behind"},
      FindingRow{"relaunch.environment", Cause::environment, device, gap, Who::machine_owner,
                 "The environment on disk changed during the run", "run again with --fresh-environment"},
      FindingRow{"export.failed", Cause::output, device, gap, Who::lab, "The export cannot be read back",
                 "run the reproduce line by hand"},
      FindingRow{"cleanup.left", Cause::confidentiality, device, gap, Who::machine_owner,
                 "Something is left after the cleanup", "delete it by hand"},
      FindingRow{"step.error", Cause::machine, device, gap, Who::machine_owner,
                 "The harness could not do its work", "read the message; run again"},
  };
  return rows;
}

std::span<const CriterionRow> sequence_criteria() {
  using enum CriterionRow::Rule;
  static constexpr std::array rows = {
      CriterionRow{"result.absent", Cause::output, Route::adapt, Effort::hours, any, 0, "",
                   "an output is absent"},
      CriterionRow{"result.elsewhere", Cause::output, Route::adapt, Effort::minutes, any, 0, "",
                   "an output is written elsewhere"},
      CriterionRow{"result.unreadable", Cause::output, Route::adapt, Effort::hours, any, 0, "",
                   "an output cannot be read"},
      CriterionRow{"crash.exit", Cause::crash, Route::adapt, Effort::hours, any, 0, "",
                   "the command ends with an error"},
      CriterionRow{"crash.signal", Cause::crash, Route::adapt, Effort::hours, any, 0, "",
                   "the command is ended by a signal"},
      CriterionRow{"crash.hang", Cause::crash, Route::adapt, Effort::hours, any, 0, "",
                   "the command does not end"},
      CriterionRow{"crash.processes", Cause::crash, Route::adapt, Effort::hours, any, 0, "",
                   "the command starts too many processes"},
      CriterionRow{"crash.gpu-error", Cause::crash, Route::adapt, Effort::hours, any, 0, "",
                   "a GPU command failed"},
      CriterionRow{"crash.swallowed", Cause::crash, Route::adapt, Effort::minutes, any, 0, "",
                   "the command hides an error"},
  };
  return rows;
}

Finding sequence_finding(std::string_view id, std::string message) {
  return finding_of(sequence_findings(), id, std::move(message));
}

}  // namespace mpsgate
