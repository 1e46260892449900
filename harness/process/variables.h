#pragma once
#include "process/process.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mpsgate {

/// The harness's own environment.
Variables own_variables();

/// What the lab's code sees: PATH of the system, locale, TZ, TERM=dumb, a HOME, TMPDIR and caches of its own
/// below `home`, Python's settings for evidence (PYTHONUNBUFFERED, PYTHONFAULTHANDLER, PYTHONHASHSEED=0,
/// PYTHONNOUSERSITE=1, PYTHONDONTWRITEBYTECODE), RUNNER_TRACKING_ID where the CI set one. No installer
/// settings, no proxies, no tokens, no DYLD_* or LD_*.
Variables lab_variables(const Variables& own, const std::filesystem::path& home);

/// What installers see: the above with the machine's installer, proxy and certificate settings (PIP_*, UV_*,
/// *_PROXY, SSL_CERT_*, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, PIP_CONFIG_FILE, XDG_CONFIG_HOME, the real HOME
/// for pip's configuration and netrc).
Variables installer_variables(const Variables& own, const std::filesystem::path& home);

/// What mpsgate-fetch sees: proxies, certificates, the real HOME, SSH_AUTH_SOCK, and the variables named in
/// `credentials`, which no other child ever gets.
Variables fetch_variables(const Variables& own, const std::vector<std::string>& credentials);

/// A copy that may be written down: user names and passwords in URLs become "***", and so do the values of
/// variables whose name says secret (TOKEN, PASSWORD, SECRET, KEY, CREDENTIAL, AUTH but SSH_AUTH_SOCK).
Variables without_credentials(const Variables& variables);
/// "https://user:token@host/x" → "https://***@host/x", anywhere in `text`.
std::string hide_credentials(const std::string& text);

}  // namespace mpsgate
