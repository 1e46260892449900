#include "environment/dist_info.h"

#include "base/files.h"
#include "base/text.h"
#include "environment/requirements.h"

#include <algorithm>
#include <tuple>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLargestFile = 4 << 20;

/// The value of the last header line "Name: value" before the first blank line.
std::string header_of(const std::string& text, const std::string& name) {
  std::string value;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = trim(std::string_view(text).substr(at, end - at));
    if (line.empty()) break;
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": "))
      value = one_line(line.substr(name.size() + 2));
    at = end + 1;
  }
  return value;
}

}  // namespace

std::vector<Package> installed_packages(const fs::path& environment) {
  std::vector<Package> packages;
  std::error_code error;
  for (const auto& library : fs::directory_iterator(environment / "lib", error)) {
    for (const auto& entry : fs::directory_iterator(library.path() / "site-packages", error)) {
      if (entry.path().extension() != ".dist-info") continue;
      Package package;
      const std::string metadata = read_file(entry.path() / "METADATA", kLargestFile).value_or("");
      package.name = normalised_name(header_of(metadata, "Name"));
      package.version = header_of(metadata, "Version");
      // The last of several tags: "py3-none-any" after "py2-none-any".
      package.wheel_tag = header_of(read_file(entry.path() / "WHEEL", kLargestFile).value_or(""), "Tag");
      if (!package.name.empty()) packages.push_back(std::move(package));
    }
  }
  std::sort(packages.begin(), packages.end(), [](const Package& a, const Package& b) {
    return std::tie(a.name, a.version) < std::tie(b.name, b.version);
  });
  return packages;
}

}  // namespace mpsgate
