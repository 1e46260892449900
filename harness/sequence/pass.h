#pragma once
#include "sequence/execution.h"

#include <filesystem>
#include <map>
#include <string>

namespace mpsgate {

struct Pass {
  bool passed = false;
  std::string reason;                                      ///< why not
  std::filesystem::path outputs;                           ///< folder with NAME.EXT of each collected output
  std::map<std::string, std::filesystem::path> collected;  ///< output name → file or folder
  Records records;                                         ///< findings, measurements, artefacts
  Json tail = Json::array();                               ///< last lines of its stderr, where it failed
  std::string reproduce;                                   ///< one line that runs it again by hand
  std::string log;                                         ///< relative path of its stderr
};

Pass execute_pass(const Context& context, const Records& so_far, const PassRequest& request);

/// The step's end from its passes: failed with the first failed pass's reason, tail, log and reproduce line.
Record end_of(const std::vector<Pass>& passes);

/// Collected outputs of an earlier pass of this run: from its artefact records.
std::map<std::string, std::filesystem::path> collected_outputs(const Context& context, const Records& so_far,
                                                               const std::string& arm,
                                                               const std::string& step,
                                                               const std::string& command);

}  // namespace mpsgate
