#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mpsgate {

struct HttpRequest {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  ///< names in lower case
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool hang = false;   ///< sends the head only, then nothing until the client leaves
  bool reset = false;  ///< hangs up without a word
};

/// A server on 127.0.0.1 in a thread of this process: a child would be in the Supervisor's way. One request a
/// connection.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  /// "http://127.0.0.1:PORT" + path.
  std::string url(const std::string& path) const;
  std::vector<HttpRequest> requests() const;

 private:
  void serve();
  void answer(int connection);
  /// False when it is time to stop, or nothing more will come.
  bool wait_readable(int descriptor) const;

  Handler handler_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

/// A port on which nobody listens.
int closed_port();

/// What `git http-backend` would answer for a repository, made with libgit2 in this thread.
class GitServer {
 public:
  struct Options {
    std::string capabilities = "ofs-delta allow-tip-sha1-in-want allow-reachable-sha1-in-want";
    std::string authorization = {};  ///< the header's value that is asked for; empty: anybody may read
    std::string error = {};          ///< sent instead of a pack, as "ERR …"
    std::string redirect = {};       ///< where every request is sent
    bool cut = false;                ///< half a pack, then the end
  };
  GitServer(std::string repository, Options options);

  std::string url() const { return server_.url("/lab.git"); }
  std::vector<HttpRequest> requests() const { return server_.requests(); }

 private:
  HttpResponse answer(const HttpRequest& request) const;

  std::string repository_;
  Options options_;
  HttpServer server_;
};

}  // namespace mpsgate
