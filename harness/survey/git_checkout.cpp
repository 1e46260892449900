#include "survey/git_checkout.h"

#include "base/files.h"
#include "base/text.h"
#include "process/variables.h"

#include <algorithm>
#include <optional>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLargestConfig = 1 << 20;
constexpr std::uint64_t kLargestPackedRefs = 64 << 20;
constexpr std::size_t kLongestUrl = 1000;
constexpr int kMostReferences = 5;

tl::unexpected<Error> unusable(const std::string& message, const std::string& advice) {
  return fail("usage.repository", message, advice);
}

std::optional<std::string> first_line(const fs::path& file) {
  const auto text = read_file(file, kLargestConfig);
  if (!text) return std::nullopt;
  return std::string(trim(text->substr(0, text->find('\n'))));
}

bool is_commit(const std::string& text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// A reference's name that is a path below the folder of references and no other.
bool is_reference(const std::string& name) {
  const fs::path path(name);
  return name.starts_with("refs/") && std::find(path.begin(), path.end(), "..") == path.end();
}

/// Where a checkout keeps its own files, and those that its work trees share.
struct GitFolders {
  fs::path own, shared;
};

Result<GitFolders> git_folders(const fs::path& folder) {
  std::error_code error;
  const fs::path marker = folder / ".git";
  GitFolders folders{marker, marker};
  if (!fs::exists(marker, error)) {
    const fs::path top = root_of(folder / "file");
    if (fs::exists(top / ".git", error))
      return unusable(folder.string() + " lies inside the checkout " + top.string(),
                      "name the top of the checkout: mpsgate init " + shell_quoted({top.string()}));
    if (fs::exists(folder / "HEAD", error) && fs::exists(folder / "objects", error))
      return unusable(folder.string() + " is a bare repository: there are no files to look at",
                      "clone it and name the clone");
    return unusable(
        folder.string() + " is no git checkout: a protocol names a commit",
        "name the folder of a clone, or make a repository of it: git init && git add -A && git commit");
  }
  if (!fs::is_directory(marker, error)) {
    const auto line = first_line(marker);
    if (!line || !line->starts_with("gitdir:"))
      return unusable(marker.string() + " does not say where the repository is",
                      "clone the repository again");
    folders.own = folder / std::string(trim(std::string_view(*line).substr(7)));
    folders.shared = folders.own;
  }
  if (const auto common = first_line(folders.own / "commondir")) folders.shared = folders.own / *common;
  return folders;
}

std::optional<std::string> packed_reference(const GitFolders& folders, const std::string& name) {
  const auto text = read_file(folders.shared / "packed-refs", kLargestPackedRefs);
  if (!text) return std::nullopt;
  for (const auto& line : lines_of(*text)) {
    if (line.size() == name.size() + 41 && line[40] == ' ' && line.ends_with(name)) return line.substr(0, 40);
  }
  return std::nullopt;
}

Result<void> read_head(const GitFolders& folders, GitCheckout& checkout) {
  auto value = first_line(folders.own / "HEAD");
  if (!value)
    return unusable((folders.own / "HEAD").string() + " cannot be read", "clone the repository again");
  for (int i = 0; i < kMostReferences && value && value->starts_with("ref:"); ++i) {
    const std::string name(trim(std::string_view(*value).substr(4)));
    if (!is_reference(name)) break;
    if (name.starts_with("refs/heads/")) checkout.branch = name.substr(11);
    value = first_line(folders.own / name);
    if (!value) value = first_line(folders.shared / name);
    if (!value) value = packed_reference(folders, name);
  }
  if (!value)
    return unusable("there is no commit yet: a protocol names one", "git add -A && git commit, then again");
  if (!is_commit(*value))
    return unusable(
        "the commit cannot be read from git's files, which give \"" + one_line(*value, 70) + "\"",
        "a protocol takes commits of 40 hexadecimal digits (SHA-1): clone the repository with git");
  checkout.commit = *value;
  return {};
}

/// A value of git's configuration: quotes and backslashes resolved, a comment left out.
std::string configured_value(std::string_view text) {
  std::string value;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      value += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == '#' || text[i] == ';')) {
      break;
    } else {
      value += text[i];
    }
  }
  return std::string(trim(value));
}

std::string origin_of(const std::string& configuration) {
  bool inside = false;
  for (const auto& full : lines_of(configuration)) {
    std::string_view line = trim(full);
    if (line.starts_with('[')) {
      const auto end = std::min(line.find(']'), line.size() - 1);
      const std::string section(line.substr(0, end + 1));
      inside =
          lowercase(section.substr(0, 7)) == "[remote" &&
          trim(std::string_view(section).substr(std::min<std::size_t>(7, section.size()))) == "\"origin\"]";
      line = trim(line.substr(end + 1));
    }
    const auto sign = line.find('=');
    if (inside && sign != std::string_view::npos && lowercase(trim(line.substr(0, sign))) == "url")
      return configured_value(line.substr(sign + 1));
  }
  return {};
}

}  // namespace

std::string protocol_url(const std::string& given) {
  if (given.empty() || given.size() > kLongestUrl || given != one_line(given, kLongestUrl)) return {};
  const auto scheme = given.find("://");
  if (scheme == std::string::npos) {
    // A drive letter is no host; git takes what has a slash before the colon for a path.
    const auto colon = given.find(':');
    const bool host = colon != std::string::npos && colon > 1 && given.find('/') > colon && given[0] != '-';
    return host && given[colon + 1] != ':' ? given : std::string();
  }
  const std::string name = lowercase(given.substr(0, scheme));
  const std::string_view rest = std::string_view(given).substr(scheme + 3);
  const auto authority = rest.substr(0, rest.find('/'));
  const auto sign = authority.rfind('@');
  const std::string_view host = sign == std::string_view::npos ? authority : authority.substr(sign + 1);
  const std::string path(rest.substr(authority.size()));
  if (host.empty() || path.size() < 2) return {};
  if (name == "https" || name == "http" || name == "git") return "https://" + std::string(host) + path;
  if (name != "ssh" && name != "git+ssh" && name != "ssh+git") return {};
  const std::string user(sign == std::string_view::npos ? ""
                                                        : authority.substr(0, authority.find_first_of(":@")));
  return "ssh://" + user + (user.empty() ? "" : "@") + std::string(host) + path;
}

Result<GitCheckout> read_git_checkout(const fs::path& folder) {
  GitCheckout checkout;
  MPSGATE_ASSIGN(const GitFolders folders, git_folders(folder));
  MPSGATE_TRY(read_head(folders, checkout));
  if (const auto configuration = read_file(folders.shared / "config", kLargestConfig)) {
    const std::string origin = to_utf8(origin_of(*configuration));
    checkout.url = protocol_url(origin);
    if (checkout.url != origin) checkout.origin = one_line(hide_credentials(origin));
  }
  return checkout;
}

}  // namespace mpsgate
