#include "sequence/step.h"

#include <array>

namespace mpsgate {

const char* name_of(Mode mode) {
  return mode == Mode::run ? "run" : "rehearse";
}

std::span<const StepRow> step_table() {
  static const std::array<StepRow, 17> table = {{
      {1, "host", "Host", "what this machine is and in what state", run_host, {}, false, false, false},
      {2, "source", "Source", "the exact commit, checked out", run_source, {}, false, true, true},
      {3,
       "artefacts",
       "Artefacts",
       "weights and sample data, verified",
       nullptr,
       {"source"},
       false,
       false,
       false},
      {4, "audit", "Audit", "what in the repository needs CUDA", nullptr, {"source"}, false, false, false},
      {5,
       "environment",
       "Environment",
       "the lab's own Python environment, rebuilt",
       run_environment,
       {"source"},
       false,
       true,
       true},
      {6,
       "probe",
       "Probe",
       "whether torch computes rightly on this device",
       run_probe,
       {"environment"},
       false,
       true,
       true},
      {7,
       "control",
       "Control",
       "the command on this machine's CPU",
       run_control,
       {"environment"},
       false,
       true,
       true},
      {8,
       "strict",
       "Strict",
       "the command on mps without any fallback",
       run_strict,
       {"control"},
       true,
       true,
       false},
      {9, "census", "Census", "which operators ran where", nullptr, {"control"}, true, true, false},
      {10,
       "repeat",
       "Repeat",
       "fresh passes give the same result",
       run_repeat,
       {"control"},
       false,
       true,
       true},
      {11, "parity", "Parity", "reference, CPU and mps agree", run_parity, {"control"}, false, true, false},
      {12, "sweep", "Sweep", "batch sizes that fit and pay", nullptr, {"strict"}, true, false, false},
      {13, "soak", "Soak", "memory over many epochs", nullptr, {"strict"}, true, false, false},
      {14, "speed", "Speed", "step time against the CPU", nullptr, {"strict"}, true, false, false},
      {15,
       "export",
       "Export",
       "results in the project's own format, read back",
       run_export,
       {"control"},
       false,
       false,
       false},
      {16,
       "relaunch",
       "Relaunch",
       "started again from disk: the same result",
       run_relaunch,
       {"control"},
       false,
       true,
       true},
      {17, "cleanup", "Cleanup", "what must be deleted is deleted", run_cleanup, {}, false, false, false},
  }};
  return table;
}

const StepRow* step_row(std::string_view id) {
  for (const auto& row : step_table()) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

}  // namespace mpsgate
