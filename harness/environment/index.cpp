#include "environment/index.h"

#include "base/json.h"
#include "base/text.h"
#include "environment/requirements.h"

namespace mpsgate {
std::vector<std::string> index_files(std::string_view page, std::string_view content_type) {
  std::vector<std::string> files;
  if (content_type.find("json") != std::string_view::npos) {
    if (const auto json = parse_json(page, "the index page")) {
      for (const auto& file : value_at(*json, "files")) {
        if (const std::string name = string_at(file, "filename"); !name.empty())
          files.push_back(one_line(name));
      }
    }
    return files;
  }
  // <a href="…">NAME</a>
  for (std::size_t at = page.find("<a "); at != std::string_view::npos; at = page.find("<a ", at + 1)) {
    const auto start = page.find('>', at);
    const auto end = start == std::string_view::npos ? start : page.find("</a>", start);
    if (end == std::string_view::npos) break;
    files.push_back(one_line(trim(page.substr(start + 1, end - start - 1))));
  }
  return files;
}

MacOffer mac_offer(const std::vector<std::string>& files, const std::string& project,
                   const std::string& version) {
  MacOffer offer;
  for (const auto& file : files) {
    if (file.ends_with(".whl")) {
      const auto parts = split(std::string_view(file).substr(0, file.size() - 4), '-');
      if (parts.size() < 5 || normalised_name(parts[0]) != project || parts[1] != version) continue;
      offer.version_known = true;
      const std::string& platform = parts.back();
      const bool mac =
          platform.find("macosx") != std::string::npos &&
          (platform.find("arm64") != std::string::npos || platform.find("universal2") != std::string::npos);
      offer.macos = offer.macos || platform == "any" || mac;
    } else if (file.ends_with(".tar.gz") || file.ends_with(".zip")) {
      const std::string stem = file.substr(0, file.size() - (file.ends_with(".zip") ? 4 : 7));
      const auto dash = stem.rfind('-');
      if (dash == std::string::npos || normalised_name(stem.substr(0, dash)) != project ||
          stem.substr(dash + 1) != version)
        continue;
      offer.version_known = offer.source = true;
    }
  }
  return offer;
}

std::string index_url(ProcessRunner& processes, const std::string& python, const Variables& variables) {
  if (const auto found = variables.find("PIP_INDEX_URL"); found != variables.end()) return found->second;
  ProcessRequest request;
  request.argv = {python, "-m", "pip", "config", "list"};
  request.environment = variables;
  request.limits.wall_seconds = 20;
  const ProcessResult result = processes.run(request);
  for (const auto& line : lines_of(result.out.text())) {
    // "global.index-url='https://…'"
    const auto key = line.find("index-url='");
    if (key == std::string::npos || line.find("extra-index-url") != std::string::npos) continue;
    const auto start = key + 11;
    return line.substr(start, line.find('\'', start) - start);
  }
  // Nothing is configured: pip's own default, which only pip knows (pip/_internal/models/index.py).
  request.argv = {python, "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"};
  return std::string(trim(processes.run(request).out.text()));
}

}  // namespace mpsgate
