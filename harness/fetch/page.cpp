#include "fetch/page.h"

#include "base/files.h"
#include "base/text.h"
#include "fetch/http.h"
#include "process/variables.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace mpsgate {
namespace {

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

Result<Json> read_file_page(const HttpUrl& url, std::uint64_t cap) {
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

Error error_of(CURLcode code, const char* words, const HttpUrl& url, double seconds) {
  const std::string reason = reason_of(code, words);
  if (is_refusal(code)) {
    return {"net.refused", url.text + " was not fetched: " + reason, "check the URL of the index", {}};
  }
  const std::string what = code == CURLE_OPERATION_TIMEDOUT
                               ? url.host + " gave no complete answer within " + format_seconds(seconds)
                               : url.host + " cannot be reached";
  return {"net.unreachable", what + ": " + reason, advice_for(code), {}};
}

}  // namespace

Result<Json> serve_page(const Json& request) {
  const double seconds = number_at(request, "seconds", 30);
  const auto cap = static_cast<std::uint64_t>(number_at(request, "cap", 64.0 * 1024 * 1024));
  MPSGATE_ASSIGN(const HttpUrl url, read_url(string_at(request, "url")));
  if (url.scheme == "file") return read_file_page(url, cap);

  Body body;
  body.cap = cap;
  char words[CURL_ERROR_SIZE] = "";
  MPSGATE_ASSIGN(const CurlHandle curl, new_transfer(url, words));
  const std::string accept = string_at(request, "accept");
  const CurlHeaders headers(accept.empty() ? nullptr
                                           : curl_slist_append(nullptr, ("Accept: " + accept).c_str()));
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(seconds * 1000));
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(seconds, 30.0) * 1000));
  curl_easy_setopt(curl.get(), CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());

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
