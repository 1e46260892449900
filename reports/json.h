#pragma once
#include "reports/model.h"

#include <string>
#include <string_view>

namespace mpsgate {

/// The one versioned model, report.json: protocols/report.schema.json describes it.
Json to_json(const Report& report);
std::string write_json(const Report& report);

/// The text of protocols/report.schema.json.
std::string_view report_schema();

}  // namespace mpsgate
