#include "fetch/http.h"

#include "base/files.h"
#include "base/text.h"
#include "base/version.h"
#include "process/variables.h"

#include <cstdlib>

namespace mpsgate {
namespace {

using CurlUrl = std::unique_ptr<CURLU, CurlFree<curl_url_cleanup>>;
constexpr long kMostRedirects = 10;

std::string part_of(CURLU* url, CURLUPart part, unsigned int flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

/// The machine's own certificates, by the precedence that pip has.
void trust_certificates(CURL* curl) {
  for (const char* name : {"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::error_code error;
    curl_easy_setopt(curl, fs::is_directory(value, error) ? CURLOPT_CAPATH : CURLOPT_CAINFO, value);
    break;
  }
  const char* folder = std::getenv("SSL_CERT_DIR");
  if (folder != nullptr && *folder != '\0') curl_easy_setopt(curl, CURLOPT_CAPATH, folder);
}

}  // namespace

Result<HttpUrl> read_url(const std::string& text) {
  const CurlUrl url(curl_url());
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
  if (code != CURLUE_OK) {
    const std::string shown = text.substr(0, text.find_first_of("?#"));
    return fail("net.refused",
                "the URL \"" + one_line(hide_credentials(shown), 200) +
                    "\" cannot be used: " + curl_url_strerror(code),
                "use https://HOST/PATH, http://HOST/PATH or file:///PATH");
  }
  HttpUrl found;
  found.scheme = part_of(url.get(), CURLUPART_SCHEME);
  found.host = part_of(url.get(), CURLUPART_HOST);
  found.path = part_of(url.get(), CURLUPART_PATH, CURLU_URLDECODE);
  found.user = part_of(url.get(), CURLUPART_USER, CURLU_URLDECODE);
  found.password = part_of(url.get(), CURLUPART_PASSWORD, CURLU_URLDECODE);
  (void)curl_url_set(url.get(), CURLUPART_USER, nullptr, 0);
  (void)curl_url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
  (void)curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  found.text = part_of(url.get(), CURLUPART_URL);
  (void)curl_url_set(url.get(), CURLUPART_QUERY, nullptr, 0);
  found.shown = part_of(url.get(), CURLUPART_URL);
  return found;
}

Result<CurlHandle> new_transfer(const HttpUrl& url, char* words) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  CurlHandle curl(started == CURLE_OK ? curl_easy_init() : nullptr);
  if (!curl) return fail("net.unreachable", "libcurl does not start");
  const char* redirects = url.scheme == "https" ? "https" : "https,http";
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.text.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, redirects);
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, kMostRedirects);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, ("mpsgate/" + std::string(kVersion)).c_str());
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, words);
  // libcurl gives neither to another host when it is redirected.
  if (!url.user.empty() || !url.password.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_USERNAME, url.user.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_PASSWORD, url.password.c_str());
  } else {
    curl_easy_setopt(curl.get(), CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));  // as pip does
  }
  trust_certificates(curl.get());
  return curl;
}

bool is_refusal(CURLcode code) {
  return code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_UNSUPPORTED_PROTOCOL ||
         code == CURLE_URL_MALFORMAT;
}

bool is_certificate_error(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_CERTPROBLEM;
}

std::string reason_of(CURLcode code, const char* words) {
  return one_line(hide_credentials(*words != '\0' ? words : curl_easy_strerror(code)));
}

std::string advice_for(CURLcode code) {
  if (is_certificate_error(code) || code == CURLE_SSL_CONNECT_ERROR)
    return "name your organisation's certificates in SSL_CERT_FILE, and see that the clock is right";
  return "check the network and the proxy settings";
}

}  // namespace mpsgate
