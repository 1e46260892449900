#include "process/variables.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>

extern char** environ;

namespace mpsgate {
namespace {

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return name.starts_with(prefix); });
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Proxies and certificates.
bool is_network(std::string_view name) {
  static constexpr std::array<std::string_view, 8> names = {
      "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
      "http_proxy",    "https_proxy",  "all_proxy",          "no_proxy"};
  static constexpr std::array<std::string_view, 5> upper = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                                            "NO_PROXY", "FTP_PROXY"};
  return is_one_of(name, names) || is_one_of(name, upper);
}

/// What the machine's owner set because its processor or its numeric libraries need it.
bool is_machine_setting(std::string_view name) {
  static constexpr std::array<std::string_view, 3> names = {"OMP_NUM_THREADS", "MKL_NUM_THREADS",
                                                            "RUNNER_TRACKING_ID"};
  return is_one_of(name, names) || starts_with_any(name, {"OPENBLAS_", "NVPL_"});
}

bool says_secret(const std::string& name) {
  if (name == "SSH_AUTH_SOCK") return false;
  std::string upper = name;
  for (char& c : upper)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const char* word : {"TOKEN", "PASSWORD", "PASSWD", "SECRET", "KEY", "CREDENTIAL", "AUTH"}) {
    if (upper.find(word) != std::string::npos) return true;
  }
  return false;
}

void pass(const Variables& own, Variables& to, bool (*wanted)(std::string_view)) {
  for (const auto& [name, value] : own) {
    if (wanted(name)) to[name] = value;
  }
}

void pass(const Variables& own, Variables& to, const std::string& name) {
  if (const auto found = own.find(name); found != own.end()) to[name] = found->second;
}

}  // namespace

Variables own_variables() {
  Variables variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (const auto cut = text.find('='); cut != std::string_view::npos && cut > 0) {
      variables.emplace(text.substr(0, cut), text.substr(cut + 1));
    }
  }
  return variables;
}

Variables lab_variables(const Variables& own, const std::filesystem::path& home) {
  Variables variables;
  pass(own, variables, is_machine_setting);
#ifdef __APPLE__
  variables["PATH"] = "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
  variables["LANG"] = variables["LC_ALL"] = "en_US.UTF-8";
#else
  variables["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
  variables["LANG"] = variables["LC_ALL"] = "C.UTF-8";
#endif
  variables["TZ"] = "UTC";
  variables["TERM"] = "dumb";
  variables["HOME"] = home.string();
  variables["TMPDIR"] = (home / "tmp").string();
  variables["XDG_CACHE_HOME"] = (home / ".cache").string();
  variables["XDG_CONFIG_HOME"] = (home / ".config").string();
  variables["XDG_DATA_HOME"] = (home / ".local/share").string();
  variables["MPLCONFIGDIR"] = (home / ".config/matplotlib").string();
  variables["MPLBACKEND"] = "Agg";
  variables["TORCH_HOME"] = (home / ".cache/torch").string();
  variables["HF_HOME"] = (home / ".cache/huggingface").string();
  variables["NUMBA_CACHE_DIR"] = (home / ".cache/numba").string();
  variables["PYTHONUNBUFFERED"] = "1";
  variables["PYTHONFAULTHANDLER"] = "1";
  variables["PYTHONHASHSEED"] = "0";
  variables["PYTHONNOUSERSITE"] = "1";
  variables["PYTHONDONTWRITEBYTECODE"] = "1";
  return variables;
}

Variables installer_variables(const Variables& own, const std::filesystem::path& home) {
  Variables variables = lab_variables(own, home);
  // pip takes its configuration and netrc from the user's own folders.
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"}) {
    variables.erase(name);
    pass(own, variables, name);
  }
  pass(own, variables, is_network);
  pass(own, variables, [](std::string_view name) { return starts_with_any(name, {"PIP_", "UV_"}); });
  return variables;
}

Variables fetch_variables(const Variables& own, const std::vector<std::string>& credentials) {
  Variables variables;
  pass(own, variables, is_network);
  for (const char* name :
       {"PATH", "HOME", "SSH_AUTH_SOCK", "GIT_SSL_CAINFO", "PIP_CERT", "RUNNER_TRACKING_ID", "TMPDIR"})
    pass(own, variables, name);
  for (const auto& name : credentials) {
    if (!name.empty()) pass(own, variables, name);
  }
  return variables;
}

std::string hide_credentials(const std::string& text) {
  std::string hidden;
  std::size_t at = 0;
  for (;;) {
    const auto scheme = text.find("://", at);
    if (scheme == std::string::npos) return hidden + text.substr(at);
    const auto start = scheme + 3;
    const auto end = std::min(text.find_first_of("/?# \t\n\"'<>", start), text.size());
    const auto sign = text.rfind('@', end);
    hidden += text.substr(at, start - at);
    at = start;
    if (sign != std::string::npos && sign >= start && sign < end) {
      hidden += "***";
      at = sign;
    }
  }
}

Variables without_credentials(const Variables& variables) {
  Variables safe;
  for (const auto& [name, value] : variables)
    safe[name] = says_secret(name) ? "***" : hide_credentials(value);
  return safe;
}

}  // namespace mpsgate
