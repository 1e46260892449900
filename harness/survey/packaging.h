#pragma once
#include "environment/requirements.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace mpsgate {

/// A command that the lab's package installs: "demucs" calls "demucs.separate:main".
struct ConsoleScript {
  std::string name, module, function;
  Place place;
};

/// How the repository says that it is installed.
struct Packaging {
  std::vector<std::string> requirement_files;  ///< the one to take first
  std::vector<std::string> conda_files;
  std::string package;  ///< the file that makes the top a package: "pyproject.toml", "setup.py", …
  std::string python;   ///< as written: ">=3.9", "3.11.4"
  Place python_place;
  std::vector<Requirement> requirements;  ///< of the file taken and of the package
  std::string unreadable;                 ///< why the requirements file could not be read
  std::vector<ConsoleScript> scripts;
  Place extension;  ///< where setup.py builds a CUDA extension
};

/// Reads the packaging files among `files` (paths in the repository, '/' between).
Packaging read_packaging(const std::filesystem::path& folder, const std::set<std::string>& files);

/// The Python that a text such as ">=3.9,<3.12" or "3.11.4" holds one to, as a protocol takes it ("3.11");
/// empty where it leaves the newest open.
std::string pinned_python(const std::string& text);

}  // namespace mpsgate
