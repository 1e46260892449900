#pragma once
#include "base/json.h"
#include "base/result.h"
#include "record/record.h"
#include "verdict/verdict.h"

#include <string>
#include <utility>
#include <vector>

namespace mpsgate {

/// Rises when a member changes its meaning or goes; new members do not raise it.
inline constexpr int kReportVersion = 1;

/// Where a record belongs.
struct ReportOrigin {
  std::string step, id, arm, command, output;
  int pass = 0;
};

struct ReportStep {
  std::string id, title, establishes;
  int number = 0;
  bool gating = false;
  std::string status;  ///< "passed", "failed", "skipped", "error", "left-out" (of this run), "not-run" (yet)
  std::string reason;  ///< whenever it has not passed
  double seconds = 0, child_seconds = 0;
  int line = 0;  ///< of the protocol; 0: none
  std::vector<std::string> tail;
  std::string reproduce, log;
};

struct ReportFinding {
  ReportOrigin origin;
  std::string title, message, cause, basis, weight, who, remedy;
  Place place;
  std::vector<std::string> evidence;
};

struct ReportMeasurement {
  ReportOrigin origin;
  double value = 0;
  std::string unit;
};

struct ReportSeries {
  ReportOrigin origin;
  std::vector<double> values;
  std::string unit;
};

struct ReportTable {
  ReportOrigin origin;
  std::string title;
  std::vector<std::pair<std::string, std::string>> columns;  ///< name, unit
  Json rows = Json::array();                                 ///< scalars, each row as wide as `columns`
};

/// One line of the logbook.
struct ReportNote {
  ReportOrigin origin;
  std::string name;
  Json value;  ///< a scalar
};

struct ReportArtefact {
  ReportOrigin origin;
  std::string path, sha256;
  double bytes = 0;
};

/// Everything that a writer may say of a run. It knows the kinds of records, and no step by name: a new step
/// changes no writer. Every text is one harmless line, not yet escaped for a format.
struct Report {
  Verdict verdict;
  std::string name, run, mode;
  std::string protocol_file;  ///< from the protocol's root
  std::string protocol_sha256;
  std::string tool;            ///< "mpsgate 0.1.0"
  std::string evaluated;       ///< date
  std::string started, ended;  ///< of the first and the last record, UTC
  double seconds = 0, child_seconds = 0;
  std::vector<std::string> commands;
  Json protocol = Json::object();  ///< resolved
  Json options = Json::object();
  Json criteria = Json::array();  ///< the stop table in force
  std::vector<ReportStep> steps;
  std::vector<ReportFinding> findings;
  std::vector<ReportMeasurement> measurements;
  std::vector<ReportSeries> series;
  std::vector<ReportTable> tables;
  std::vector<ReportNote> logbook;
  std::vector<ReportArtefact> artefacts;
};

/// Steps that share a reason, in the order of the first of them.
std::vector<std::pair<std::vector<std::string>, std::string>> by_reason(
    const std::vector<std::pair<std::string, std::string>>& steps);

/// Pure, for any prefix of a journal; never throws for what a journal can hold.
Report build_report(const Records& records);

}  // namespace mpsgate
