#include "http_server.h"

#include "base/text.h"
#include "fetch/git.h"

#include <array>
#include <cstdio>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mpsgate {
namespace {

std::pair<int, int> open_listener() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (descriptor < 0 || ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port on 127.0.0.1");
  }
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return {descriptor, ntohs(address.sin_port)};
}

void send_all(int connection, std::string_view bytes) {
#ifdef MSG_NOSIGNAL
  const int flags = MSG_NOSIGNAL;
#else
  const int flags = 0;
  const int on = 1;
  ::setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), flags);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string packet(const std::string& text) {
  std::array<char, 8> length{};
  std::snprintf(length.data(), length.size(), "%04x", static_cast<unsigned>(text.size() + 4));
  return length.data() + text;
}

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  std::tie(listener_, port_) = open_listener();
  if (::listen(listener_, 16) != 0 || ::pipe(wake_) != 0) throw std::runtime_error("cannot listen");
  for (const int descriptor : wake_)
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  (void)!::write(wake_[1], "x", 1);
  thread_.join();
  for (const int descriptor : {listener_, wake_[0], wake_[1]})
    ::close(descriptor);
}

std::string HttpServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<HttpRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool HttpServer::wait_readable(int descriptor) const {
  std::array<pollfd, 2> waits{{{descriptor, POLLIN, 0}, {wake_[0], POLLIN, 0}}};
  if (::poll(waits.data(), waits.size(), -1) < 0) return false;
  return waits[1].revents == 0 && waits[0].revents != 0;
}

void HttpServer::serve() {
  while (wait_readable(listener_)) {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) continue;
    ::fcntl(connection, F_SETFD, FD_CLOEXEC);
    answer(connection);
    ::close(connection);
  }
}

void HttpServer::answer(int connection) {
  std::string text;
  std::array<char, 16384> buffer{};
  const auto read_more = [&] {
    if (!wait_readable(connection)) return false;
    const ssize_t count = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (count <= 0) return false;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  };
  while (text.find("\r\n\r\n") == std::string::npos) {
    if (!read_more() || text.front() == 0x16) return;  // that is how TLS begins
  }
  HttpRequest request;
  const auto head_end = text.find("\r\n\r\n");
  const auto lines = lines_of(text.substr(0, head_end));
  const auto words = split(lines.at(0), ' ');
  request.method = words.at(0);
  request.target = words.at(1);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = lines[i].find(':');
    request.headers[lowercase(lines[i].substr(0, colon))] = trim(lines[i].substr(colon + 1));
  }
  const auto length = request.headers.find("content-length");
  const std::size_t wanted = length == request.headers.end() ? 0 : std::stoul(length->second);
  while (text.size() < head_end + 4 + wanted) {
    if (!read_more()) return;
  }
  request.body = text.substr(head_end + 4, wanted);
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const HttpResponse response = handler_(request);
  if (response.reset) return;
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " Said\r\nConnection: close\r\n";
  for (const auto& [name, value] : response.headers)
    out += name + ": " + value + "\r\n";
  out += "Content-Length: " + std::to_string(response.hang ? 100 : response.body.size()) + "\r\n\r\n";
  send_all(connection, out + response.body);
  while (response.hang && read_more()) {
  }
}

int closed_port() {
  const auto [descriptor, port] = open_listener();
  ::close(descriptor);
  return port;
}

GitServer::GitServer(std::string repository, Options options)
    : repository_((static_cast<void>(start_git()), std::move(repository))),  // before any thread asks
      options_(std::move(options)),
      server_([this](const HttpRequest& request) { return answer(request); }) {}

HttpResponse GitServer::answer(const HttpRequest& request) const {
  HttpResponse response;
  if (!options_.redirect.empty()) {
    return {.status = 301, .body = "", .headers = {{"Location", options_.redirect + request.target}}};
  }
  if (!options_.authorization.empty()) {
    const auto given = request.headers.find("authorization");
    if (given == request.headers.end() || given->second != options_.authorization) {
      return {.status = 401, .body = "", .headers = {{"WWW-Authenticate", "Basic realm=\"lab\""}}};
    }
  }
  git_repository* raw = nullptr;
  if (git_repository_open(&raw, repository_.c_str()) != 0)
    return {.status = 500, .body = git_message(), .headers = {}};
  const Repository repository(raw);

  if (request.target == "/lab.git/info/refs?service=git-upload-pack") {
    response.headers = {{"Content-Type", "application/x-git-upload-pack-advertisement"}};
    response.body = packet("# service=git-upload-pack\n") + "0000";
    git_reference_iterator* raw_iterator = nullptr;
    git_reference_iterator_new(&raw_iterator, repository.get());
    const ReferenceIterator iterator(raw_iterator);
    std::map<std::string, std::string> heads;
    git_reference* raw_reference = nullptr;
    while (git_reference_next(&raw_reference, iterator.get()) == 0) {
      const Reference reference(raw_reference);
      if (const git_oid* oid = git_reference_target(reference.get())) {
        heads[git_reference_name(reference.get())] = hex_of(*oid);
      }
    }
    std::string capabilities = std::string(1, '\0') + options_.capabilities;
    for (const auto& [name, oid] : heads) {
      response.body += packet(oid + " " + name + capabilities + "\n");
      capabilities.clear();
    }
    response.body += "0000";
    return response;
  }
  if (request.target == "/lab.git/git-upload-pack") {
    response.headers = {{"Content-Type", "application/x-git-upload-pack-result"}};
    if (!options_.error.empty()) {
      response.body = packet("ERR " + options_.error + "\n");
      return response;
    }
    git_revwalk* walk = nullptr;
    git_packbuilder* builder = nullptr;
    git_revwalk_new(&walk, repository.get());
    git_packbuilder_new(&builder, repository.get());
    for (auto at = request.body.find("want "); at != std::string::npos;
         at = request.body.find("want ", at + 1)) {
      git_oid oid{};
      git_oid_fromstrn(&oid, request.body.data() + at + 5, 40);
      git_revwalk_push(walk, &oid);
    }
    git_packbuilder_insert_walk(builder, walk);
    git_buf pack = GIT_BUF_INIT;
    git_packbuilder_write_buf(&pack, builder);
    std::string bytes(pack.ptr, pack.size);
    if (options_.cut) bytes.resize(bytes.size() / 2);
    response.body = packet("NAK\n") + bytes;
    git_buf_dispose(&pack);
    git_packbuilder_free(builder);
    git_revwalk_free(walk);
    return response;
  }
  response.status = 404;
  return response;
}

}  // namespace mpsgate
