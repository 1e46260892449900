#include "record/finding.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace mpsgate {
namespace {

bool well_formed(std::string_view id) {
  return id.find('.') != std::string_view::npos && id.front() != '.' && id.back() != '.' &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string_view::npos;
}

}  // namespace

Record to_record(const Finding& finding) {
  const FindingRow& row = *finding.row;
  Record record;
  record.kind = Kind::finding;
  record.id = row.id;
  record.arm = finding.arm;
  record.pass = finding.pass;
  record.data = {{"title", row.title},
                 {"message", finding.message},
                 {"cause", name_of(row.cause)},
                 {"basis", name_of(row.basis)},
                 {"weight", name_of(finding.weight.value_or(row.weight))},
                 {"who", name_of(row.who)},
                 {"remedy", finding.remedy.empty() ? row.remedy : finding.remedy}};
  if (!finding.command.empty()) record.data["command"] = finding.command;
  if (!finding.output.empty()) record.data["output"] = finding.output;
  if (!finding.place.file.empty()) {
    record.data["place"] = {
        {"file", finding.place.file}, {"line", finding.place.line}, {"column", finding.place.column}};
  }
  if (!finding.evidence.empty()) record.data["evidence"] = finding.evidence;
  return record;
}

void Registry::add(std::span<const FindingRow> rows) {
  for (const auto& row : rows)
    findings_.push_back(&row);
}

void Registry::add(std::span<const CriterionRow> rows) {
  for (const auto& row : rows)
    criteria_.push_back(&row);
}

const FindingRow* Registry::finding(std::string_view id) const {
  const auto found =
      std::find_if(findings_.begin(), findings_.end(), [&](auto* row) { return row->id == id; });
  return found == findings_.end() ? nullptr : *found;
}

const CriterionRow* Registry::criterion(std::string_view id) const {
  const auto found =
      std::find_if(criteria_.begin(), criteria_.end(), [&](auto* row) { return row->id == id; });
  return found == criteria_.end() ? nullptr : *found;
}

std::vector<std::string> Registry::problems() const {
  std::vector<std::string> problems;
  const auto check = [&](const auto& rows, const char* what) {
    std::set<std::string> seen;
    for (const auto* row : rows) {
      if (!well_formed(row->id))
        problems.push_back(std::string(what) + " id \"" + row->id + "\" is malformed");
      if (!seen.insert(row->id).second)
        problems.push_back(std::string(what) + " id \"" + row->id + "\" is declared twice");
    }
  };
  check(findings_, "finding");
  check(criteria_, "criterion");
  for (const auto* row : findings_) {
    const auto* rule = criterion(row->id);
    if (row->weight == Weight::stop && !rule) {
      problems.push_back(std::string("finding \"") + row->id + "\" stops, but no criterion has its id");
    }
    if (rule && rule->cause != row->cause) {
      problems.push_back(std::string("finding and criterion \"") + row->id + "\" name different causes");
    }
  }
  return problems;
}

const FindingRow& row_of(std::span<const FindingRow> rows, std::string_view id) {
  for (const auto& row : rows) {
    if (row.id == id) return row;
  }
  throw std::logic_error("finding \"" + std::string(id) + "\" is not declared in its room");
}

Finding finding_of(std::span<const FindingRow> rows, std::string_view id, std::string message) {
  Finding finding;
  finding.row = &row_of(rows, id);
  finding.message = std::move(message);
  return finding;
}

}  // namespace mpsgate
