#include "fetch/transfer.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "fetch/http.h"
#include "process/lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <unistd.h>

namespace mpsgate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostFailures = 5;
constexpr double kBackoffSeconds = 0.5;
constexpr double kLongestBackoffSeconds = 30;
constexpr double kStallSeconds = 30;
constexpr double kConnectSeconds = 30;
/// What a server says beside a refusal is read so far, and not kept.
constexpr std::uint64_t kMostRefusalBytes = 64u << 10;

fs::path with_ending(fs::path file, const char* ending) {
  file += ending;
  return file;
}

/// Headers of the last response that tell how to go on.
struct ResponseHeaders {
  std::string etag, last_modified, content_range, retry_after;
  bool has_length = false;
  std::uint64_t length = 0;

  /// What proves at a later request that the file is still the same one: a strong ETag, else the date.
  std::string validator() const {
    if (!etag.empty() && !etag.starts_with("W/")) return etag;
    return last_modified;
  }
};

/// "bytes 5-9/10" as (5, 10); the first part is empty for "bytes */10".
struct ContentRange {
  std::optional<std::uint64_t> begin, total;
};
ContentRange read_content_range(std::string_view text) {
  ContentRange range;
  if (!text.starts_with("bytes ")) return range;
  const std::string_view span =
      text.substr(6, text.find('/') == std::string_view::npos ? 0 : text.find('/') - 6);
  const auto whole = [](std::string_view digits) -> std::optional<std::uint64_t> {
    const auto value = parse_integer(digits);
    return value && *value >= 0 ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*value))
                                : std::nullopt;
  };
  range.begin = whole(span.substr(0, span.find('-')));
  if (const auto slash = text.find('/'); slash != std::string_view::npos)
    range.total = whole(text.substr(slash + 1));
  return range;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

class Transfer {
 public:
  Transfer(const Json& request, const Emit& emit)
      : file_(string_at(request, "file")),
        part_(with_ending(file_, ".part")),
        about_(with_ending(file_, ".part.json")),
        sha256_(string_at(request, "sha256")),
        credential_(string_at(request, "credential")),
        backoff_(number_at(request, "backoff_seconds", kBackoffSeconds)),
        stall_(number_at(request, "stall_seconds", kStallSeconds)),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(number_at(request, "seconds", 3600)))),
        progress_(emit) {
    const Json& size = value_at(request, "size");
    if (size.is_array() && size.size() == 2 && size[0].is_number_unsigned() && size[1].is_number_unsigned())
      size_ = SizeBand{size[0].get<std::uint64_t>(), size[1].get<std::uint64_t>()};
  }

  Result<Json> run(const std::string& url_text) {
    auto url = read_url(url_text);
    if (!url) return fail("artefact.refused", url.error().message, url.error().advice);
    url_ = std::move(*url);
    MPSGATE_TRY(make_folder(file_.parent_path()));
    MPSGATE_ASSIGN(const FileLock lock, FileLock::take(with_ending(file_, ".lock"), seconds_left()));
    std::error_code error;
    if (const auto digest = sha256_of_file(file_); digest && *digest == sha256_) {
      received_ = fs::file_size(file_, error);
      return answer();
    }
    MPSGATE_TRY(remove_tree(file_));
    if (url_.scheme == "file") {
      MPSGATE_TRY(copy_file());
    } else {
      MPSGATE_TRY(check_scheme());
      MPSGATE_TRY(fetch());
    }
    return answer();
  }

 private:
  enum class Next { done, again, at_once };

  Json answer() const {
    return {{"bytes", received_}, {"resumed_from", resumed_from_}, {"attempts", attempts_}};
  }

  double seconds_left() const {
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }

  Result<void> check_scheme() {
    const bool local = is_loopback(url_.host);
    if (url_.scheme != "https" && !(url_.scheme == "http" && local))
      return fail("artefact.refused", url_.shown + " is not fetched: only https and file are",
                  "write https://");
    if (credential_.empty()) return {};
    const char* token = std::getenv(credential_.c_str());
    token_ = token ? std::string(trim(token)) : "";
    if (!token_.empty()) return {};
    return fail(
        "artefact.credential",
        "the environment variable " + credential_ + " is not set, and " + url_.host + " wants its token",
        "set it where mpsgate is started");
  }

  // What both ways of reading share: every byte is counted, hashed and written.

  Result<void> open_part(bool append) {
    out_.reset(std::fopen(part_.c_str(), append ? "ab" : "wb"));
    if (!out_) return write_error();
    if (!append) {
      hash_ = Sha256();
      received_ = 0;
    }
    return {};
  }

  tl::unexpected<Error> write_error() const {
    const int code = errno;
    const bool full = code == ENOSPC || code == EDQUOT;
    return fail(full ? "disk.full" : "file.unwritable",
                part_.string() + " cannot be written: " + std::strerror(code),
                full ? "free some disk space, then run it again" : "");
  }

  Result<void> take(std::string_view bytes) {
    if (size_ && received_ + bytes.size() > size_->most)
      return wrong_size("more than " + std::to_string(size_->most));
    if (std::fwrite(bytes.data(), 1, bytes.size(), out_.get()) != bytes.size()) return write_error();
    hash_.add(bytes);
    received_ += bytes.size();
    progress_.report(received_, total_, received_);
    return {};
  }

  tl::unexpected<Error> wrong_size(const std::string& found) const {
    const std::string wanted = size_->least == size_->most
                                   ? std::to_string(size_->least)
                                   : std::to_string(size_->least) + " to " + std::to_string(size_->most);
    return fail("artefact.wrong-size",
                url_.shown + " has " + found + " bytes, and the protocol says " + wanted);
  }

  void forget_part() {
    out_.reset();
    std::error_code error;
    fs::remove(part_, error);
    fs::remove(about_, error);
  }

  /// All bytes are there: they are the file, or are set aside.
  Result<void> finish() {
    if (std::fflush(out_.get()) != 0 || ::fsync(::fileno(out_.get())) != 0) return write_error();
    out_.reset();
    if (size_ && !size_->holds(received_)) {
      set_aside();
      return wrong_size(std::to_string(received_));
    }
    const std::string digest = std::exchange(hash_, Sha256()).hex();
    std::error_code error;
    if (digest != sha256_) {
      set_aside();
      return fail("artefact.wrong-hash",
                  url_.shown + " has another sha256: expected " + sha256_ + ", the file has " + digest,
                  "look at " + with_ending(file_, ".wrong").string() +
                      "; correct sha256 only if it is the right file");
    }
    fs::rename(part_, file_, error);
    if (error) return fail("file.unwritable", file_.string() + " cannot be written: " + error.message());
    fs::remove(about_, error);
    return {};
  }

  void set_aside() {
    out_.reset();
    std::error_code error;
    fs::rename(part_, with_ending(file_, ".wrong"), error);
    fs::remove(about_, error);
  }

  // A file of this machine.

  Result<void> copy_file() {
    std::error_code error;
    if (!fs::is_regular_file(url_.path, error))
      return fail("artefact.refused",
                  url_.shown + (fs::exists(url_.path, error) ? " is not a file" : " does not exist"));
    total_ = fs::file_size(url_.path, error);
    if (size_ && !size_->holds(total_)) return wrong_size(std::to_string(total_));
    const File in(std::fopen(url_.path.c_str(), "rb"));
    if (!in) return fail("artefact.refused", url_.shown + " cannot be read: " + std::strerror(errno));
    attempts_ = 1;
    auto copied = copy_from(in.get());
    if (!copied && copied.error().code != "artefact.wrong-hash") forget_part();
    return copied;
  }

  Result<void> copy_from(std::FILE* in) {
    MPSGATE_TRY(open_part(false));
    std::vector<char> buffer(1u << 20);
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), in))
      MPSGATE_TRY(take({buffer.data(), size}));
    if (std::ferror(in)) return fail("artefact.unreachable", url_.shown + " cannot be read to its end");
    return finish();
  }

  // A server.

  Result<void> fetch() {
    int failures = 0;
    bool from_zero = false;  // after bytes of two requests gave another hash
    for (;;) {
      ++attempts_;
      const std::uint64_t had = received_;
      auto next = attempt();
      if (!next && next.error().code == "artefact.wrong-hash" && resumed_from_ > 0 && !from_zero) {
        from_zero = true;
        resumed_from_ = 0;
        continue;
      }
      if (!next) {
        if (next.error().code == "disk.full" || next.error().code == "artefact.wrong-size") forget_part();
        return tl::unexpected<Error>(next.error());
      }
      if (*next == Next::done) {
        if (from_zero) MPSGATE_TRY(remove_tree(with_ending(file_, ".wrong")));
        return {};
      }
      if (*next == Next::at_once) continue;
      // Whoever gets on is not given up, for as long as there is time.
      failures = !about_validator().empty() && received_ > had ? 1 : failures + 1;
      const double wait = std::max(pause_after(failures), retry_after_);
      if (failures >= kMostFailures || wait > seconds_left()) return give_up(wait);
      std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    }
  }

  double pause_after(int failures) {
    static std::mt19937 random{std::random_device{}()};
    const double most = std::min(kLongestBackoffSeconds, backoff_ * std::pow(2.0, failures - 1));
    return most * std::uniform_real_distribution<double>(0.5, 1.0)(random);
  }

  tl::unexpected<Error> give_up(double wait) const {
    std::string message = url_.host + " cannot be reached: " + reason_ + " (" + std::to_string(attempts_) +
                          (attempts_ == 1 ? " attempt)" : " attempts)");
    if (retry_after_ > 0 && wait > seconds_left())
      message += "; it asks to be left alone for " + format_seconds(wait) + ", longer than there is time";
    return fail("artefact.unreachable", message, advice_);
  }

  /// What an earlier attempt left beside its part; an empty text where there is nothing to go on with.
  std::string about_validator() const {
    const auto text = read_file(about_, 1 << 16);
    const auto json = text ? parse_json(*text, "part") : Result<Json>(fail("", ""));
    if (!json || string_at(*json, "url") != url_.shown) return {};
    return string_at(*json, "validator");
  }

  /// Hashes the part that is there, so that the next bytes follow on it; from zero where it cannot be used.
  Result<void> prepare_part() {
    offset_ = 0;
    const std::string validator = about_validator();
    std::error_code error;
    const auto size = fs::file_size(part_, error);
    if (validator.empty() || error || size == 0 || (size_ && size > size_->most)) {
      fs::remove(about_, error);
      return open_part(false);
    }
    const File in(std::fopen(part_.c_str(), "rb"));
    if (!in) return write_error();
    hash_ = Sha256();
    std::vector<char> buffer(1u << 20);
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), in.get())) {
      hash_.add({buffer.data(), count});
      offset_ += count;
    }
    received_ = offset_;
    validator_ = validator;
    return open_part(true);
  }

  Result<Next> attempt() {
    MPSGATE_TRY(prepare_part());
    headers_ = {};
    begun_ = false;
    refusal_bytes_ = 0;
    error_.reset();
    restart_ = false;
    retry_after_ = 0;
    total_ = 0;
    char words[CURL_ERROR_SIZE] = "";
    auto handle = new_transfer(url_, words);
    if (!handle) return fail("artefact.unreachable", handle.error().message);
    CURL* curl = curl_ = handle->get();
    curl_slist* list = curl_slist_append(nullptr, "Accept-Encoding: identity");
    if (offset_ > 0) {
      list = curl_slist_append(list, ("Range: bytes=" + std::to_string(offset_) + "-").c_str());
      list = curl_slist_append(list, ("If-Range: " + validator_).c_str());
    }
    const CurlHeaders request_headers(list);
    const double left = std::max(0.001, seconds_left());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, request_headers.get());
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(std::min(left, 1e6) * 1000));
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(std::min(left, kConnectSeconds) * 1000));
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, static_cast<long>(std::max(1.0, stall_)));
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
    if (!token_.empty()) {
      // Of libcurl's credentials these, too, go to the first host and port alone.
      curl_easy_setopt(curl, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
      curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, token_.c_str());
    }
    const CURLcode code = curl_easy_perform(curl);
    return judge(code, words);
  }

  Result<Next> judge(CURLcode code, const char* words) {
    if (error_) return tl::unexpected<Error>(*error_);
    if (restart_) {
      forget_part();
      return Next::at_once;
    }
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && refusal_bytes_ > kMostRefusalBytes)) {
      reason_ = reason_of(code, words);
      advice_ = advice_for(code);
      if (is_refusal(code))
        return fail("artefact.refused", url_.shown + " was not fetched: " + reason_, "check the url");
      if (is_certificate_error(code))
        return fail("artefact.unreachable", url_.host + " cannot be trusted: " + reason_, advice_);
      keep_or_forget();
      return Next::again;
    }
    if (status == 416 && offset_ > 0) return after_416();
    if (status != 200 && status != 206) return refused(status);
    if (!begun_) begin(status);  // an empty body
    if (error_) return tl::unexpected<Error>(*error_);
    MPSGATE_TRY(finish());
    return Next::done;
  }

  /// What is there may be all there is.
  Result<Next> after_416() {
    const auto range = read_content_range(headers_.content_range);
    if (!range.total || *range.total != offset_) {
      forget_part();
      return Next::at_once;
    }
    resumed_from_ = offset_;
    MPSGATE_TRY(finish());
    return Next::done;
  }

  Result<Next> refused(long status) {
    const std::string said = url_.host + " answered " + std::to_string(status);
    static constexpr std::array<long, 7> passing = {408, 425, 429, 500, 502, 503, 504};
    if (std::find(passing.begin(), passing.end(), status) != passing.end()) {
      reason_ = "it answered " + std::to_string(status);
      advice_ = "try again later, or give a local copy with --artefact NAME=FILE";
      retry_after_ = seconds_of_retry_after();
      keep_or_forget();
      return Next::again;
    }
    std::string advice = "check the url";
    if (status == 401 || status == 403)
      advice = token_.empty()
                   ? "name the variable of a token with credential; a presigned URL may have expired"
                   : "the token in " + credential_ + " may not read it, or has expired";
    return fail("artefact.refused", said + " for " + url_.shown, advice);
  }

  double seconds_of_retry_after() const {
    if (headers_.retry_after.empty()) return 0;
    if (const auto seconds = parse_integer(headers_.retry_after))
      return static_cast<double>(std::max<std::int64_t>(0, *seconds));
    const std::time_t then = curl_getdate(headers_.retry_after.c_str(), nullptr);
    return then < 0 ? 0 : std::max(0.0, std::difftime(then, std::time(nullptr)));
  }

  /// After a broken transfer: the part is of use only to who can prove that the file is still the same.
  void keep_or_forget() {
    if (out_) std::fflush(out_.get());
    out_.reset();
    if (about_validator().empty()) forget_part();
  }

  /// The first byte of an answer that has the file, or the end of an empty one.
  void begin(long status) {
    begun_ = true;
    if (status == 206) {
      const auto range = read_content_range(headers_.content_range);
      if (offset_ == 0 || !range.begin || *range.begin != offset_) {
        restart_ = true;
        return;
      }
      total_ = range.total.value_or(0);
      resumed_from_ = offset_;
    } else {
      if (offset_ > 0) {
        if (const auto opened = open_part(false); !opened) error_ = opened.error();
        resumed_from_ = 0;
      }
      total_ = headers_.has_length ? headers_.length : 0;
    }
    if (total_ > 0 && size_ && !size_->holds(total_)) error_ = wrong_size(std::to_string(total_)).value();
    const Json about = {{"url", url_.shown}, {"validator", headers_.validator()}, {"total", total_}};
    if (const auto written = write_file(about_, dump_json(about) + "\n"); !written) error_ = written.error();
  }

  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& headers = static_cast<Transfer*>(user)->headers_;
    const std::string_view line = trim(std::string_view(bytes, size * count));
    if (line.starts_with("HTTP/")) headers = {};
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return size * count;
    const std::string name = lowercase(line.substr(0, colon)), value(trim(line.substr(colon + 1)));
    if (name == "etag") headers.etag = value;
    if (name == "last-modified") headers.last_modified = value;
    if (name == "content-range") headers.content_range = value;
    if (name == "retry-after") headers.retry_after = value;
    if (name == "content-length") {
      const auto length = parse_integer(value);
      headers.has_length = length && *length >= 0;
      headers.length = headers.has_length ? static_cast<std::uint64_t>(*length) : 0;
    }
    return size * count;
  }

  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    return transfer.take_body({bytes, size * count}) ? size * count : 0;
  }

  bool take_body(std::string_view bytes) {
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 && status != 206) {
      refusal_bytes_ += bytes.size();
      return refusal_bytes_ <= kMostRefusalBytes;
    }
    if (!begun_) begin(status);
    if (error_ || restart_) return false;
    if (auto taken = take(bytes); !taken) error_ = taken.error();
    return !error_;
  }

  struct FileClose {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, FileClose>;

  fs::path file_, part_, about_;
  std::string sha256_, credential_, token_;
  std::optional<SizeBand> size_;
  double backoff_, stall_;
  Clock::time_point end_;
  Progress progress_;
  HttpUrl url_;

  // Of the whole transfer.
  std::uint64_t received_ = 0, resumed_from_ = 0;
  int attempts_ = 0;
  std::string reason_, advice_;
  double retry_after_ = 0;
  Sha256 hash_;
  File out_;

  // Of one attempt.
  CURL* curl_ = nullptr;
  ResponseHeaders headers_;
  std::string validator_;
  std::uint64_t offset_ = 0, total_ = 0, refusal_bytes_ = 0;
  bool begun_ = false, restart_ = false;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> serve_download(const Json& request, const Emit& emit) {
  return Transfer(request, emit).run(string_at(request, "url"));
}

}  // namespace mpsgate
