#include "environment/index.h"

#include "base/json.h"
#include "base/text.h"
#include "environment/requirements.h"
#include "environment/version.h"
#include "fetch/fetch.h"
#include "process/variables.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

namespace mpsgate {
namespace {

constexpr const char* kAccept = "application/vnd.pypi.simple.v1+json, text/html;q=0.5";
constexpr std::uint64_t kLargestPage = 64ull << 20;
constexpr std::size_t kMostFiles = 200'000;

/// &lt; and the like, as names of files could hold them.
std::string without_entities(std::string text) {
  for (const auto& [entity, plain] :
       {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""}, std::pair{"&amp;", "&"}})
    text = replace_all(std::move(text), entity, plain);
  return text;
}

int minor_of(std::string_view tag) {  // "cp311" and "py311": 11
  return tag.size() > 3 ? std::atoi(std::string(tag.substr(3)).c_str()) : -1;
}

bool fits_python(const std::string& python, const std::string& abi, const std::string& tag) {
  for (const auto& one : split(python, '.')) {
    if (one == "py3") return true;
    if (one == tag && abi != tag + "t") return true;  // cp313t: the build without the global lock
    const bool stable = abi == "abi3" || one.starts_with("py3");
    if (stable && (one.starts_with("cp3") || one.starts_with("py3")) && minor_of(one) >= 0 &&
        minor_of(one) <= minor_of(tag))
      return true;
  }
  return false;
}

bool fits_mac(const std::string& platforms) {
  for (const auto& platform : split(platforms, '.')) {
    if (platform == "any") return true;
    if (platform.starts_with("macosx_") &&
        (platform.ends_with("_arm64") || platform.ends_with("_universal2")))
      return true;
  }
  return false;
}

/// "name-1.0" of a source archive's file name; empty when it is none.
std::string source_stem(const std::string& file) {
  static constexpr std::array<std::string_view, 4> endings = {".tar.gz", ".zip", ".tar.bz2", ".tgz"};
  for (const auto ending : endings) {
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size());
  }
  return {};
}

void add_words(const std::string& value, std::vector<std::string>& to) {
  for (const auto& word : split(replace_all(replace_all(value, "\\n", " "), "\n", " "), ' ')) {
    if (!trim(word).empty()) to.emplace_back(trim(word));
  }
}

}  // namespace

std::vector<std::string> index_files(std::string_view page, std::string_view content_type) {
  std::vector<std::string> files;
  if (content_type.find("json") != std::string_view::npos) {
    if (const auto json = parse_json(page, "the index page"); json && json->is_object()) {
      for (const auto& file : value_at(*json, "files")) {
        if (const std::string name = string_at(file, "filename"); !name.empty() && files.size() < kMostFiles)
          files.push_back(one_line(name));
      }
    }
    return files;
  }
  // <a href="…">NAME</a>
  for (auto at = page.find("<a "); at != std::string_view::npos && files.size() < kMostFiles;) {
    const auto start = page.find('>', at);
    const auto end = start == std::string_view::npos ? start : page.find("</a>", start);
    if (end == std::string_view::npos) break;
    files.push_back(one_line(without_entities(std::string(trim(page.substr(start + 1, end - start - 1))))));
    at = page.find("<a ", end);
  }
  return files;
}

MacOffer mac_offer(const std::vector<std::string>& files, const std::string& project,
                   const std::string& version, const std::string& tag) {
  MacOffer offer;
  const std::string wanted = canonical_version(version);
  for (const auto& file : files) {
    if (file.ends_with(".whl")) {
      const auto parts = split(std::string_view(file).substr(0, file.size() - 4), '-');
      if (parts.size() < 5 || normalised_name(parts[0]) != project || canonical_version(parts[1]) != wanted)
        continue;
      offer.version_known = true;
      if (!fits_mac(parts.back())) continue;
      const bool fits = fits_python(parts[parts.size() - 3], parts[parts.size() - 2], tag);
      (fits ? offer.wheel : offer.other_python) = true;
    } else if (const std::string stem = source_stem(file); !stem.empty()) {
      const auto dash = stem.rfind('-');
      if (dash == std::string::npos || normalised_name(stem.substr(0, dash)) != project ||
          canonical_version(stem.substr(dash + 1)) != wanted)
        continue;
      offer.version_known = offer.source = true;
    }
  }
  return offer;
}

std::string IndexSettings::text() const {
  std::vector<std::string> words;
  if (no_index) {
    words.push_back("none");
  } else {
    words = urls;
  }
  for (const auto& link : links)
    words.push_back("links " + link);
  return hide_credentials(join(words, ", "));
}

IndexSettings read_index_settings(std::string_view listing) {
  // "global.index-url='https://…'": what is nearest to the command wins, variables over files.
  static constexpr std::array<std::string_view, 4> sections = {"global.", "install.", "download.", ":env:."};
  std::map<std::string, std::pair<std::size_t, std::string>> found;
  for (const auto& line : lines_of(listing)) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    for (std::size_t rank = 0; rank < sections.size(); ++rank) {
      if (!line.starts_with(sections[rank])) continue;
      const std::string key = line.substr(sections[rank].size(), equals - sections[rank].size());
      std::string value(trim(line.substr(equals + 1)));
      if (value.size() > 1 && (value.front() == '\'' || value.front() == '"') &&
          value.back() == value.front())
        value = value.substr(1, value.size() - 2);
      auto& entry = found[key];
      if (entry.second.empty() || entry.first <= rank) entry = {rank, value};
    }
  }
  IndexSettings settings;
  add_words(found["index-url"].second, settings.urls);
  if (settings.urls.empty()) add_words(found["index"].second, settings.urls);
  settings.default_index = settings.urls.empty();
  add_words(found["extra-index-url"].second, settings.urls);
  add_words(found["find-links"].second, settings.links);
  const std::string no_index = lowercase(found["no-index"].second);
  settings.no_index = no_index == "1" || no_index == "true" || no_index == "yes" || no_index == "on";
  if (settings.no_index) settings.urls.clear();
  return settings;
}

IndexSettings index_settings(ProcessRunner& processes, const std::string& python,
                             const Variables& variables) {
  ProcessRequest request;
  request.argv = {python, "-m", "pip", "config", "list"};
  request.environment = variables;
  request.limits.wall_seconds = 60;
  IndexSettings settings = read_index_settings(processes.run(request).out.text());
  if (settings.no_index || !settings.default_index) return settings;
  request.argv = {python, "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"};
  const ProcessResult asked = processes.run(request);
  if (asked.succeeded()) settings.urls.insert(settings.urls.begin(), std::string(trim(asked.out.text())));
  return settings;
}

Result<std::vector<std::string>> PackageIndex::files_of(const std::string& project) const {
  if (settings_.urls.empty()) return fail("index.none", "pip is told to use no index on this machine");
  std::vector<std::string> files;
  for (std::string url : settings_.urls) {
    while (url.ends_with('/'))
      url.pop_back();
    url += "/" + project + (url.starts_with("file:") ? "/index.html" : "/");
    const auto page = get_page(processes_, variables_, url, kAccept, 30, kLargestPage, worker_);
    if (!page) return fail("index.unreachable", hide_credentials(page.error().message), page.error().advice);
    if (page->status == 404) continue;
    if (page->status != 200)
      return fail("index.unreachable",
                  hide_credentials(url) + " answered with status " + std::to_string(page->status));
    const auto more = index_files(page->body, page->content_type.empty() ? "text/html" : page->content_type);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

}  // namespace mpsgate
