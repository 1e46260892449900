#include "fetch/fetch.h"

#include "base/files.h"
#include "base/text.h"
#include "process/variables.h"
#include "process/worker.h"

namespace mpsgate {
namespace {

/// A server may count objects for long; one that says nothing at all for this long has stalled.
constexpr double kSilenceSeconds = 300;
constexpr std::uint64_t kCheckoutAnswerBytes = 64ull << 20;
/// A byte of a page takes at most this many in JSON.
constexpr std::uint64_t kJsonBytesPerByte = 6;

fs::path worker_or_default(const fs::path& worker) {
  return worker.empty() ? sibling_executable("mpsgate-fetch") : worker;
}

Json request_of(const Checkout& checkout) {
  std::error_code error;
  Json substitutes = Json::array();
  for (const auto& [url, folder] : checkout.substitutes) {
    substitutes.push_back({{"url", url}, {"folder", fs::absolute(folder, error).string()}});
  }
  return {
      {"operation", "checkout"},
      {"url", checkout.url},
      {"substitute", checkout.substitute.empty() ? "" : fs::absolute(checkout.substitute, error).string()},
      {"commit", checkout.commit},
      {"submodules", checkout.submodules},
      {"sparse", checkout.sparse},
      {"substitutes", substitutes},
      {"credential", checkout.credential},
      {"folder", fs::absolute(checkout.folder, error).string()}};
}

Result<CheckedOut> read_checked_out(const Json& json, const Checkout& request) {
  CheckedOut checked_out;
  checked_out.commit = string_at(json, "commit");
  checked_out.tree = string_at(json, "tree");
  checked_out.files = count_at(json, "files");
  checked_out.bytes = count_at(json, "bytes");
  checked_out.libgit2 = string_at(json, "libgit2");
  for (const auto& submodule : value_at(json, "submodules")) {
    checked_out.submodules.push_back(
        {string_at(submodule, "path"), string_at(submodule, "url"), string_at(submodule, "commit")});
  }
  for (const auto& path : value_at(json, "lfs_pointers")) {
    if (path.is_string()) checked_out.lfs_pointers.push_back(path.get<std::string>());
  }
  if (checked_out.commit != lowercase(request.commit) || checked_out.tree.size() != 40) {
    return fail("worker.answer-invalid", "mpsgate-fetch answered for another commit than " + request.commit,
                "reinstall mpsgate: its programs belong together");
  }
  return checked_out;
}

}  // namespace

Result<CheckedOut> check_out(ProcessRunner& processes, const Variables& own, const Checkout& request) {
  std::error_code error;
  const bool was_there = fs::exists(fs::symlink_status(request.folder, error));
  WorkerCall call;
  call.program = worker_or_default(request.worker);
  call.request = request_of(request);
  call.environment = fetch_variables(own, {request.credential});
  call.limits.wall_seconds = request.seconds;
  call.limits.silence_seconds = kSilenceSeconds;
  call.limits.memory_bytes = kCheckoutAnswerBytes;
  call.stderr_file = request.log;
  if (request.on_progress) {
    call.on_event = [&](const Json& event) {
      if (string_at(event, "kind") != "progress") return;
      request.on_progress(count_at(event, "received"), count_at(event, "total"), count_at(event, "bytes"));
    };
  }
  const WorkerAnswer answer = call_worker(processes, call);
  Result<CheckedOut> result = fail("worker.answer-invalid", "no answer");
  if (!answer.result) {
    result = tl::unexpected<Error>(answer.result.error());
    if (result.error().code == "worker.timed-out" && request.substitute.empty()) {
      result =
          fail("source.unreachable",
               hide_credentials(request.url) + " was not fetched in time: " + answer.process.description(),
               "check the network, raise limits.source, or give a local copy with --source URL=DIR");
    }
  } else {
    result = read_checked_out(*answer.result, request);
  }
  if (!result && !was_there) (void)remove_tree(request.folder);
  return result;
}

Result<Digest> digest_of(ProcessRunner& processes, const Variables& own, const fs::path& path, double seconds,
                         const fs::path& worker) {
  WorkerCall call;
  call.program = worker_or_default(worker);
  std::error_code error;
  call.request = {{"operation", "digest"}, {"path", fs::absolute(path, error).string()}};
  call.environment = fetch_variables(own, {});
  call.limits.wall_seconds = seconds;
  const WorkerAnswer answer = call_worker(processes, call);
  if (!answer.result) return tl::unexpected<Error>(answer.result.error());
  return Digest{string_at(*answer.result, "sha256"), count_at(*answer.result, "bytes")};
}

Result<Page> get_page(ProcessRunner& processes, const Variables& own, const std::string& url,
                      const std::string& accept, double seconds, std::uint64_t cap, const fs::path& worker) {
  WorkerCall call;
  call.program = worker_or_default(worker);
  call.request = {
      {"operation", "page"}, {"url", url}, {"accept", accept}, {"seconds", seconds}, {"cap", cap}};
  call.environment = fetch_variables(own, {});
  // The worker keeps the time itself; this is for one that cannot.
  call.limits.wall_seconds = seconds + 30;
  call.limits.memory_bytes = cap * kJsonBytesPerByte + (64u << 10);
  const WorkerAnswer answer = call_worker(processes, call);
  if (!answer.result) return tl::unexpected<Error>(answer.result.error());
  Page page;
  page.status = static_cast<int>(count_at(*answer.result, "status"));
  page.body = string_at(*answer.result, "body");
  page.content_type = string_at(*answer.result, "content_type");
  page.final_url = string_at(*answer.result, "final_url");
  if (page.status < 100 || page.status > 999) {
    return fail("worker.answer-invalid", "mpsgate-fetch answered without a status",
                "reinstall mpsgate: its programs belong together");
  }
  return page;
}

}  // namespace mpsgate
