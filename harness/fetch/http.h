#pragma once
#include "base/result.h"

#include <memory>
#include <string>

#include <curl/curl.h>

namespace mpsgate {

// What every transfer with libcurl shares.

template <auto Free>
struct CurlFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using CurlHandle = std::unique_ptr<CURL, CurlFree<curl_easy_cleanup>>;
using CurlHeaders = std::unique_ptr<curl_slist, CurlFree<curl_slist_free_all>>;

/// A URL with the credentials taken out of it, so that no message, log or answer can hold them.
struct HttpUrl {
  std::string text;   ///< with its query
  std::string shown;  ///< scheme, host, port and path: of a presigned URL the query is a secret
  std::string scheme, host, path, user, password;
};
/// Error code: "net.refused".
Result<HttpUrl> read_url(const std::string& text);

/// A handle with what each transfer sets: proxies and certificates of the machine, at most 10 redirects (from
/// https to https only), name and password of the URL for its own host. `words` (CURL_ERROR_SIZE bytes) gets
/// what libcurl says of an error. Both must live as long as the handle. Error code: "net.unreachable".
Result<CurlHandle> new_transfer(const HttpUrl& url, char* words);

/// Errors that no second attempt mends: redirects without end, a scheme that is not used, a malformed URL.
bool is_refusal(CURLcode code);
/// A certificate that is unknown or for another name.
bool is_certificate_error(CURLcode code);
/// What libcurl says, as one line without credentials.
std::string reason_of(CURLcode code, const char* words);
/// What mends an error of the network.
std::string advice_for(CURLcode code);

}  // namespace mpsgate
