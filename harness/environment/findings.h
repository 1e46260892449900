#pragma once
#include "environment/environment.h"

#include <string>
#include <string_view>

namespace mpsgate {

/// A finding of this room.
Finding environment_finding(std::string_view id, std::string message);
/// No release of torch is named; `requirement` leaves it open, or is empty where some package asks for torch.
Finding torch_unpinned(const std::string& requirement);

}  // namespace mpsgate
