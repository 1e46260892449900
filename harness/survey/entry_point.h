#pragma once
#include "survey/survey.h"

#include <string>
#include <vector>

namespace mpsgate {

/// One way to start what the repository does.
struct EntryPoint {
  std::string name;                ///< what the protocol's command is called
  std::vector<std::string> words;  ///< that start it, braces doubled: python predict.py
  std::string file;                ///< the script; empty where the survey does not know it
  Place declared;                  ///< of a console script
  bool trains = false;
};

/// All of them, the most promising first: what predicts before what trains, the top before what lies below.
std::vector<EntryPoint> entry_points(const Survey& survey);

/// The options of a script: its own, and those that modules of the repository which it imports declare.
std::vector<ScriptOption> options_of(const Survey& survey, const std::string& file);
/// The modules of the repository that a script imports, itself first.
std::vector<const PythonFile*> reached_files(const Survey& survey, const std::string& file);

/// A text made to fit the rule for names of a protocol: lower-case letters, digits, '-' and '_'.
std::string fitted_name(const std::string& text, const std::string& otherwise);

}  // namespace mpsgate
