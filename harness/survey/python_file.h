#pragma once
#include "survey/python_source.h"

#include <string>
#include <vector>

namespace mpsgate {

/// An option or positional argument that a script declares with argparse or click.
struct ScriptOption {
  std::string flag;      ///< "--out", the longest of its names; of a positional: "input"
  std::string name;      ///< without dashes, '-' between the words: "output-dir"
  bool short_o = false;  ///< "-o" is another of its names
  bool positional = false;
  bool required = false;
  bool takes_value = true;
  int values = 1;                    ///< that it wants at least
  std::string fallback;              ///< its default, where that is a text
  std::vector<std::string> choices;  ///< where they are texts
  std::string help;
  std::string file;
  int line = 0;
  enum class Use {
    unknown,
    folder,
    file
  } use = Use::unknown;  ///< what the script makes of a path given to it
};

/// A file name that stands in a line which writes.
struct WrittenFile {
  std::string name;
  int line = 0;
};

/// What one Python file tells without being executed.
struct PythonFile {
  std::string path;      ///< in the repository, '/' between
  bool guarded = false;  ///< has `if __name__ == "__main__"`
  bool started = false;  ///< parses arguments or calls fire outside any function
  std::string parser;    ///< "argparse", "click", "fire", "hydra" or empty
  int subcommands = 0;   ///< line where argparse gets subcommands
  std::vector<ScriptOption> options;
  std::vector<WrittenFile> written;
  std::vector<int> cuda;             ///< lines that name cuda where they could take a device
  std::vector<std::string> imports;  ///< "torch", ".model", "package.module"
  bool prints = false;
  bool script() const { return guarded || started; }
};

PythonFile read_python(const std::string& path, const std::string& text);

}  // namespace mpsgate
