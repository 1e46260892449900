#include "fetch/remote_url.h"

#include "base/text.h"
#include "process/variables.h"

#include <algorithm>

namespace mpsgate {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_host_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_';
}

bool is_user_character(char c) {
  return is_host_character(c) || (c >= 'A' && c <= 'Z') ||
         std::string_view("~%!$&'()*+,;=:").find(c) != std::string_view::npos;
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    const auto address = host.substr(1, host.size() - 2);
    return host.size() > 2 && host.ends_with(']') && std::all_of(address.begin(), address.end(), [](char c) {
             return is_digit(c) || (c >= 'a' && c <= 'f') || c == ':' || c == '.';
           });
  }
  return !host.empty() && host.front() != '-' && std::all_of(host.begin(), host.end(), is_host_character);
}

tl::unexpected<Error> refused(std::string_view text, const std::string& why) {
  return fail("source.refused",
              "the repository URL \"" + one_line(hide_credentials(std::string(text)), 200) + "\" " + why,
              "use https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or a folder");
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

/// Fills user, password, host and port; false when `authority` is not "[user[:password]@]host[:port]".
bool read_authority(std::string_view authority, RemoteUrl& url) {
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    const auto user_info = authority.substr(0, at);
    const auto colon = user_info.find(':');
    url.user = percent_decoded(user_info.substr(0, colon));
    url.password = colon != std::string_view::npos;
    if (url.user.starts_with('-')) return false;
    if (!std::all_of(user_info.begin(), user_info.end(), is_user_character)) return false;
    authority.remove_prefix(at + 1);
  }
  const auto bracket = authority.rfind(']');
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    url.port = authority.substr(colon + 1);
    if (url.port.empty() || url.port.size() > 5 || !std::all_of(url.port.begin(), url.port.end(), is_digit)) {
      return false;
    }
  }
  url.host = lowercase(authority.substr(0, colon));
  return is_host(url.host);
}

std::string effective_port(const RemoteUrl& url) {
  if (!url.port.empty()) return url.port;
  switch (url.kind) {
    case RemoteUrl::Kind::https:
      return "443";
    case RemoteUrl::Kind::http:
      return "80";
    case RemoteUrl::Kind::ssh:
      return "22";
    case RemoteUrl::Kind::local:
      break;
  }
  return {};
}

}  // namespace

bool RemoteUrl::same_origin(const RemoteUrl& other) const {
  return kind == other.kind && kind != Kind::local && host == other.host &&
         effective_port(*this) == effective_port(other);
}

bool RemoteUrl::loopback() const {
  return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

Result<RemoteUrl> parse_remote_url(std::string_view text) {
  if (text.empty()) return refused(text, "is empty");
  if (std::any_of(text.begin(), text.end(), is_control)) return refused(text, "holds control characters");
  if (text.front() == '-') return refused(text, "starts with \"-\"");

  RemoteUrl url;
  if (const auto mark = text.find("://"); mark != std::string_view::npos) {
    const std::string scheme = lowercase(text.substr(0, mark));
    const auto slash = text.find('/', mark + 3);
    const auto authority = text.substr(mark + 3, slash == std::string_view::npos ? slash : slash - mark - 3);
    const auto path = slash == std::string_view::npos ? std::string_view("/") : text.substr(slash);
    if (scheme == "file") {
      if (!authority.empty() && lowercase(authority) != "localhost") {
        return refused(text, "names a file on another host");
      }
      url.path = percent_decoded(path);
      if (std::any_of(url.path.begin(), url.path.end(), is_control)) {
        return refused(text, "holds control characters");
      }
      return url;
    }
    if (scheme == "https")
      url.kind = RemoteUrl::Kind::https;
    else if (scheme == "http")
      url.kind = RemoteUrl::Kind::http;
    else if (scheme == "ssh" || scheme == "git+ssh" || scheme == "ssh+git")
      url.kind = RemoteUrl::Kind::ssh;
    else
      return refused(text, "has the scheme \"" + one_line(scheme, 20) + "\", which is not supported");
    if (!read_authority(authority, url)) return refused(text, "has no valid host");
    if (path == "/" || path.starts_with("/-")) return refused(text, "names no repository on that host");
    if (text.find_first_of(" \\") != std::string_view::npos)
      return refused(text, "holds a space or a backslash");
    url.prefix = text.substr(0, slash);
    url.path = path;
    return url;
  }

  // git's rule: a colon before the first slash makes it HOST:PATH.
  const auto colon = text.find(':');
  const auto slash = text.find('/');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon < slash)) {
    url.kind = RemoteUrl::Kind::ssh;
    if (!read_authority(text.substr(0, colon), url)) return refused(text, "has no valid host");
    url.prefix = text.substr(0, colon + 1);
    url.path = text.substr(colon + 1);
    if (url.path.empty() || url.path.front() == '-') return refused(text, "names no repository on that host");
    if (text.find_first_of(" \\") != std::string_view::npos)
      return refused(text, "holds a space or a backslash");
    return url;
  }
  url.path = text;
  return url;
}

bool is_relative_url(std::string_view text) {
  return text.starts_with("./") || text.starts_with("../");
}

Result<RemoteUrl> resolve_url(const RemoteUrl& base, std::string_view relative) {
  std::string path = base.path;
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  while (is_relative_url(relative)) {
    if (relative.starts_with("./")) {
      relative.remove_prefix(2);
      continue;
    }
    relative.remove_prefix(3);
    const auto slash = path.rfind('/');
    if (path.empty() || path == "/") return refused(relative, "climbs above the root of its parent's host");
    path.erase(slash == std::string::npos ? 0 : slash);
  }
  while (relative.ends_with('/'))
    relative.remove_suffix(1);
  const auto pieces = split(relative, '/');
  if (relative.empty() || std::find(pieces.begin(), pieces.end(), "..") != pieces.end()) {
    return refused(relative, "is not a plain relative URL");
  }
  const bool bare_scp_path = path.empty() && !base.path.starts_with('/');
  path += (bare_scp_path ? "" : "/") + std::string(relative);
  if (base.kind == RemoteUrl::Kind::local) {
    RemoteUrl url;
    url.path = path;
    return url;
  }
  return parse_remote_url(base.prefix + path);
}

std::string comparable_url(std::string_view url) {
  while (url.size() > 1 && url.ends_with('/'))
    url.remove_suffix(1);
  if (url.ends_with(".git") && !url.ends_with("/.git")) url.remove_suffix(4);
  return std::string(url);
}

}  // namespace mpsgate
