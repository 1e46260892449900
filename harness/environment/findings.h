#pragma once
#include "environment/environment.h"
#include "environment/pip_log.h"

namespace mpsgate {

/// A finding of this room.
Finding environment_finding(std::string_view id, std::string message);

}  // namespace mpsgate
