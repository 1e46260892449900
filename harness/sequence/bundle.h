#pragma once
#include "protocol/protocol.h"
#include "record/record.h"
#include "sequence/run_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// A reference: outputs captured elsewhere, with their provenance. docs/references.md describes the folder.
struct BundleRequest {
  std::string name;      ///< "linux-cpu"
  std::string arm;       ///< "cpu" or "cuda"
  std::string captured;  ///< UTC time
  bool spread_allowed = false;
};

/// Writes the outputs of the control pass and provenance.json below `to`, which must not exist or be empty;
/// on failure nothing is left there. The records are those of a run of source, environment, control and
/// repeat. Error codes: "capture.failed" (a step did not pass), "capture.spread" (the passes differ beyond
/// the band and that is not allowed), "usage.out" (`to` is not empty), those of write_file and copy_tree.
Result<void> write_bundle(const Protocol& protocol, const Records& records, const RunFolder& run,
                          const BundleRequest& request, const std::filesystem::path& to);

/// What provenance.json says; what it does not say is empty. Read as hostile input.
struct Provenance {
  std::string commit, tree;
  std::map<std::string, std::string> packages;
  std::map<std::string, std::string> artefacts;  ///< "weights.model" → sha256
  std::string python, architecture, system;
  struct File {
    std::string path;  ///< below the bundle
    std::string sha256;
  };
  std::vector<File> files;
  bool spread = false;  ///< its passes differed beyond the band
};
/// Error codes: "reference.no-provenance" (there is no such file), "reference.damaged" (it is no JSON
/// object).
Result<Provenance> read_provenance(const std::filesystem::path& bundle);

/// Why the outputs are not those that were captured: the first file that is missing or has another hash.
/// Empty if all are.
std::string damage_of(const Provenance& provenance, const std::filesystem::path& bundle);

}  // namespace mpsgate
