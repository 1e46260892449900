#include "fetch/page.h"

#include "base/files.h"
#include "base/text.h"
#include "base/version.h"
#include "process/variables.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <curl/curl.h>

namespace mpsgate {
namespace {

template <auto Free>
struct CurlFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using CurlHandle = std::unique_ptr<CURL, CurlFree<curl_easy_cleanup>>;
using CurlHeaders = std::unique_ptr<curl_slist, CurlFree<curl_slist_free_all>>;
using CurlUrl = std::unique_ptr<CURLU, CurlFree<curl_url_cleanup>>;

std::string part_of(CURLU* url, CURLUPart part, unsigned int flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

/// A URL with the credentials taken out of it, so that no message, log or answer can hold them.
struct PageUrl {
  std::string text, scheme, host, path, user, password;
};

Result<PageUrl> read_url(const std::string& text) {
  const CurlUrl url(curl_url());
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
  if (code != CURLUE_OK) {
    return fail("net.refused",
                "the URL \"" + one_line(hide_credentials(text), 200) +
                    "\" cannot be used: " + curl_url_strerror(code),
                "use https://HOST/PATH, http://HOST/PATH or file:///PATH");
  }
  PageUrl page;
  page.scheme = part_of(url.get(), CURLUPART_SCHEME);
  page.host = part_of(url.get(), CURLUPART_HOST);
  page.path = part_of(url.get(), CURLUPART_PATH, CURLU_URLDECODE);
  page.user = part_of(url.get(), CURLUPART_USER, CURLU_URLDECODE);
  page.password = part_of(url.get(), CURLUPART_PASSWORD, CURLU_URLDECODE);
  (void)curl_url_set(url.get(), CURLUPART_USER, nullptr, 0);
  (void)curl_url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
  (void)curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  page.text = part_of(url.get(), CURLUPART_URL);
  return page;
}

Json page_json(long status, std::string_view body, const std::string& type, const std::string& url) {
  return {{"status", status},
          {"body", to_utf8(body)},
          {"content_type", one_line(type, 200)},
          {"final_url", hide_credentials(url)}};
}

Error too_large(const std::string& url, std::uint64_t cap) {
  return {"net.refused",
          url + " is larger than " + format_bytes(cap),
          "this is no index page: check the URL",
          {}};
}

Result<Json> read_file_page(const PageUrl& url, std::uint64_t cap) {
  std::error_code error;
  if (fs::is_directory(url.path, error)) {
    return fail("net.refused", url.text + " is a folder, not a file", "name the file itself");
  }
  if (!fs::exists(url.path, error)) return page_json(404, "", "", url.text);
  auto text = read_file(url.path, cap);
  if (text) return page_json(200, *text, "", url.text);
  if (text.error().code == "file.too-large") return tl::unexpected<Error>(too_large(url.text, cap));
  return fail("net.refused", text.error().message, text.error().advice);
}

struct Body {
  std::string text;
  std::uint64_t cap = 0;
  bool over = false;
};

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* user) {
  auto& body = *static_cast<Body*>(user);
  if (body.text.size() + size * count > body.cap) {
    body.over = true;
    return 0;  // ends the transfer
  }
  body.text.append(bytes, size * count);
  return size * count;
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

bool is_policy(CURLcode code) {
  return code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_UNSUPPORTED_PROTOCOL ||
         code == CURLE_URL_MALFORMAT;
}

bool is_certificate(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_CONNECT_ERROR || code == CURLE_SSL_CERTPROBLEM;
}

Error error_of(CURLcode code, const char* words, const PageUrl& url, double seconds) {
  const std::string reason = one_line(hide_credentials(*words != '\0' ? words : curl_easy_strerror(code)));
  if (is_policy(code)) {
    return {"net.refused", url.text + " was not fetched: " + reason, "check the URL of the index", {}};
  }
  std::string advice = "check the network and the proxy settings";
  if (is_certificate(code)) {
    advice = "name your organisation's certificates in SSL_CERT_FILE, and see that the clock is right";
  }
  const std::string what = code == CURLE_OPERATION_TIMEDOUT
                               ? url.host + " gave no complete answer within " + format_seconds(seconds)
                               : url.host + " cannot be reached";
  return {"net.unreachable", what + ": " + reason, advice, {}};
}

}  // namespace

Result<Json> serve_page(const Json& request) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) return fail("net.unreachable", "libcurl does not start");
  const double seconds = number_at(request, "seconds", 30);
  const auto cap = static_cast<std::uint64_t>(number_at(request, "cap", 64.0 * 1024 * 1024));
  MPSGATE_ASSIGN(const PageUrl url, read_url(string_at(request, "url")));
  if (url.scheme == "file") return read_file_page(url, cap);

  const CurlHandle curl(curl_easy_init());
  if (!curl) return fail("net.unreachable", "libcurl does not start");
  Body body;
  body.cap = cap;
  char words[CURL_ERROR_SIZE] = "";
  const std::string accept = string_at(request, "accept");
  const CurlHeaders headers(accept.empty() ? nullptr
                                           : curl_slist_append(nullptr, ("Accept: " + accept).c_str()));

  curl_easy_setopt(curl.get(), CURLOPT_URL, url.text.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(seconds * 1000));
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(seconds, 30.0) * 1000));
  curl_easy_setopt(curl.get(), CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, ("mpsgate/" + std::string(kVersion)).c_str());
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, words);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  // libcurl gives neither to another host when it is redirected.
  if (!url.user.empty() || !url.password.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_USERNAME, url.user.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_PASSWORD, url.password.c_str());
  } else {
    curl_easy_setopt(curl.get(), CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));  // as pip does
  }
  trust_certificates(curl.get());

  const CURLcode code = curl_easy_perform(curl.get());
  if (body.over) return tl::unexpected<Error>(too_large(url.text, cap));
  if (code != CURLE_OK) return tl::unexpected<Error>(error_of(code, words, url, seconds));
  long status = 0;
  const char* type = nullptr;
  const char* final_url = nullptr;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl.get(), CURLINFO_CONTENT_TYPE, &type);
  curl_easy_getinfo(curl.get(), CURLINFO_EFFECTIVE_URL, &final_url);
  return page_json(status, body.text, type != nullptr ? type : "",
                   final_url != nullptr ? final_url : url.text);
}

}  // namespace mpsgate
