#include "sequence/installed.h"

namespace mpsgate {

std::map<std::string, std::string> installed_packages(const Records& records) {
  std::map<std::string, std::string> installed;
  const Record* table = last_of(records, Kind::table, "environment.packages");
  if (!table) return installed;
  for (const auto& row : value_at(table->data, "rows")) {
    if (row.size() >= 2 && row[0].is_string() && row[1].is_string())
      installed[row[0].get<std::string>()] = row[1].get<std::string>();
  }
  return installed;
}

}  // namespace mpsgate
