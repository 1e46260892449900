#include "record/draft.h"
#include "sequence/pass.h"

namespace mpsgate {

Records run_strict(const Context& context, const Records& so_far) {
  Pass pass = execute_pass(context, so_far,
                           {"strict", "mps", 1, context.protocol.command(context.protocol.steps.strict), {}});
  Records records = pass.records;
  records.push_back(end_of({pass}));
  return records;
}

}  // namespace mpsgate
