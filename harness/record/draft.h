#pragma once
#include "record/record.h"
#include "record/vocabulary.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpsgate {

/// What a measurement, series or table is about.
struct About {
  std::string arm;
  int pass = 0;
  std::string command;
  std::string output;
};

/// Records as steps return them; docs/record.md describes each shape.
Record measurement(const std::string& id, double value, const std::string& unit, const About& about = {});
Record series(const std::string& id, const std::vector<double>& values, const std::string& unit,
              const About& about = {});
struct Column {
  std::string name;
  std::string unit;
};
/// `rows`: JSON scalars, as many in each as there are columns (else std::logic_error).
Record table(const std::string& id, const std::string& title, const std::vector<Column>& columns, Json rows,
             const About& about = {});
/// `path` is relative to the run directory.
Record artefact(const std::string& id, const std::string& path, std::uint64_t bytes,
                const std::string& sha256, const About& about = {});
/// One line of the logbook: a fact with a name.
Record note(const std::string& id, const std::string& name, const Json& value);
/// The end of a step. `reason` is required unless it passed.
Record step_end(StepStatus status, const std::string& reason = {});

}  // namespace mpsgate
