#include "environment/dist_info.h"

#include "base/files.h"
#include "base/text.h"
#include "environment/requirements.h"

#include <algorithm>

namespace mpsgate {
namespace {

/// The value of a header line "Name: value" before the first blank line.
std::string header_of(const fs::path& file, const std::string& name) {
  const auto text = read_file(file, 4 << 20);
  if (!text) return {};
  for (const auto& line : lines_of(*text)) {
    if (line.empty()) break;
    if (line.starts_with(name + ": ")) return one_line(line.substr(name.size() + 2));
  }
  return {};
}

}  // namespace

std::vector<Package> installed_packages(const fs::path& environment) {
  std::vector<Package> packages;
  std::error_code error;
  for (const auto& library : fs::directory_iterator(environment / "lib", error)) {
    for (const auto& entry : fs::directory_iterator(library.path() / "site-packages", error)) {
      if (entry.path().extension() != ".dist-info") continue;
      Package package;
      package.name = normalised_name(header_of(entry.path() / "METADATA", "Name"));
      package.version = header_of(entry.path() / "METADATA", "Version");
      package.wheel_tag = header_of(entry.path() / "WHEEL", "Tag");
      if (!package.name.empty()) packages.push_back(std::move(package));
    }
  }
  std::sort(packages.begin(), packages.end(),
            [](const Package& a, const Package& b) { return a.name < b.name; });
  return packages;
}

}  // namespace mpsgate
