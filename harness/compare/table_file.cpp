// .csv and .tsv as RFC 4180 has them: each column becomes an array, of numbers where every cell of it is one.
#include "base/text.h"
#include "compare/array.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

namespace mpsgate {
namespace {

constexpr std::size_t kLargest = 512u << 20;

using Row = std::vector<std::string>;

/// Where cells are parted by semicolons, a comma is the decimal one of many languages.
std::optional<double> number_of(const std::string& cell, char separator) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  std::string text(trim(cell));
  if (separator == ';' && std::count(text.begin(), text.end(), ',') == 1)
    std::replace(text.begin(), text.end(), ',', '.');
  if (text.empty() || text.find_first_of("xXpP") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  // Longer whole numbers, identifiers mostly, are compared by their digits.
  const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos;
  if (whole && std::abs(value) >= kExact) return std::nullopt;
  return value;
}

Result<std::vector<Row>> rows_of(std::string_view text, char separator) {
  std::vector<Row> rows;
  Row row;
  std::string cell;
  bool quoted = false, any = false;
  int line = 1;
  const auto end_row = [&] {
    if (!any && row.empty()) return;  // a blank line
    row.push_back(std::move(cell));
    cell.clear();
    rows.push_back(std::move(row));
    row.clear();
    any = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        cell += c;
        ++i;
      } else if (c == '"') {
        quoted = false;
      } else {
        cell += c;
      }
    } else if (c == '"' && cell.empty()) {
      quoted = any = true;
    } else if (c == separator) {
      row.push_back(std::move(cell));
      cell.clear();
      any = true;
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r') {
      cell += c;
      any = true;
    }
    if (c == '\n') ++line;
  }
  if (quoted) return unreadable_result("a quote is left open; the file ends in line " + std::to_string(line));
  end_row();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].size() == rows[0].size()) continue;
    const std::string what = "row " + std::to_string(i + 1) + " has " + std::to_string(rows[i].size()) +
                             " cells, the first has " + std::to_string(rows[0].size());
    // A last line that is short and has no end was cut off; other tables of many widths may be meant so.
    const bool cut = i + 1 == rows.size() && rows[i].size() < rows[0].size() && !text.ends_with('\n');
    return cut ? unreadable_result(what + ", and the file ends there") : unsupported_result(what);
  }
  return rows;
}

/// ';' for a .csv file of a spreadsheet whose language writes decimal commas: it parts every line alike.
char separator_of(std::string_view text, char separator) {
  if (separator != ',' || text.substr(0, text.find('\n')).find(';') == std::string_view::npos)
    return separator;
  const auto rows = rows_of(text, ';');
  return rows && !rows->empty() && rows->front().size() > 1 ? ';' : separator;
}

Array column_of(const std::vector<Row>& rows, std::size_t column, std::size_t first_row, std::string name,
                char separator) {
  Array array;
  array.name = std::move(name);
  array.shape = {rows.size() - first_row};
  auto values = std::make_shared<std::vector<double>>();
  for (std::size_t i = first_row; i < rows.size(); ++i) {
    const auto value = number_of(rows[i][column], separator);
    if (!value) break;
    values->push_back(*value);
  }
  if (values->size() == rows.size() - first_row) {
    array.dtype = {Dtype::Kind::real, 8, false, "number"};
    array.bytes = {reinterpret_cast<const char*>(values->data()), values->size() * sizeof(double)};
    array.owner = values;
    return array;
  }
  array.dtype = {Dtype::Kind::text, 0, false, "text"};
  for (std::size_t i = first_row; i < rows.size(); ++i)
    array.texts.push_back(rows[i][column]);
  return array;
}

}  // namespace

Result<std::vector<Array>> parse_table(std::string_view text, char separator) {
  if (text.size() > kLargest) return unsupported_result("a table of more than 512 MiB is not read");
  if (!is_utf8(text)) return unsupported_result("it is not UTF-8 text");
  if (text.find('\0') != std::string_view::npos) return unsupported_result("it holds NUL bytes");
  separator = separator_of(text, separator);
  MPSGATE_ASSIGN(const std::vector<Row> rows, rows_of(text, separator));
  if (rows.empty()) return unreadable_result("it has no row");
  // A header is a first row without any number above rows with one.
  const auto has_number = [&](const Row& row) {
    for (const auto& cell : row) {
      if (number_of(cell, separator)) return true;
    }
    return false;
  };
  if (rows.size() == 1 && rows[0].size() > 1 && !has_number(rows[0]))
    return unreadable_result("it has a header and no row");
  const bool header = !has_number(rows[0]) && rows.size() > 1 && has_number(rows[1]);
  std::vector<Array> columns;
  std::map<std::string, int> names;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    std::string name = header ? one_line(rows[0][i], 60) : "column " + std::to_string(i + 1);
    // Columns are matched by name, and a table may say one twice, or none.
    if (const int before = names[name]++; name.empty() || before > 0) name += "#" + std::to_string(i + 1);
    columns.push_back(column_of(rows, i, header ? 1 : 0, std::move(name), separator));
  }
  return columns;
}

}  // namespace mpsgate
