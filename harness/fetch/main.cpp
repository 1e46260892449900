// mpsgate-fetch: gets what comes from outside, in a process that may crash or hang without harm. One JSON
// request on standard input, one answer on standard output; docs/workers.md is the contract.
#include "base/text.h"
#include "fetch/checkout.h"
#include "fetch/digest.h"
#include "fetch/page.h"
#include "fetch/transfer.h"
#include "process/worker.h"

#include <csignal>

int main() {
  using namespace mpsgate;
  // A server that hangs up is an error to report, not a reason to die.
  std::signal(SIGPIPE, SIG_IGN);
  return serve_worker([](const Json& request, const Emit& emit) -> Result<Json> {
    const std::string operation = string_at(request, "operation");
    if (operation == "checkout") return serve_checkout(request, emit);
    if (operation == "download") return serve_download(request, emit);
    if (operation == "digest") return serve_digest(request);
    if (operation == "page") return serve_page(request);
    return fail("worker.request-invalid",
                "mpsgate-fetch knows no operation \"" + one_line(operation, 40) + "\"",
                "mpsgate and mpsgate-fetch are of different versions: build both again");
  });
}
