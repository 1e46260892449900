// Both sides of the re-exec in which untrusted files are read.
#include "base/files.h"
#include "compare/compare.h"
#include "process/variables.h"
#include "process/worker.h"

#include <array>

namespace mpsgate {
namespace {

constexpr std::uint64_t kLargestAnswer = 64ull << 20;

Json tolerance_json(const Tolerance& tolerance) {
  return {{"rtol", tolerance.rtol}, {"atol", tolerance.atol}, {"nan_equal", tolerance.nan_equal}};
}

Tolerance tolerance_from(const Json& json) {
  return {number_at(json, "rtol"), number_at(json, "atol"), bool_at(json, "nan_equal"), {}};
}

Result<Json> ask(ProcessRunner& processes, const Variables& own, Json request,
                 const std::filesystem::path& log, double seconds) {
  WorkerCall call;
  call.program = executable_path();
  call.arguments = {"internal-compare"};
  call.request = std::move(request);
  call.environment = lab_variables(own, std::filesystem::temp_directory_path());
  call.limits.wall_seconds = seconds;
  call.limits.memory_bytes = kLargestAnswer;
  call.stderr_file = log;
  return call_worker(processes, call).result;
}

}  // namespace

Json to_json(const Comparison& c) {
  return {{"name", c.name},
          {"status", c.status},
          {"message", c.message},
          {"dtype", c.dtype},
          {"shape", c.shape},
          {"elements", c.elements},
          {"beyond", c.beyond},
          {"nan_actual", c.nan_actual},
          {"nan_expected", c.nan_expected},
          {"max_abs", json_number(c.max_abs)},
          {"max_rel", json_number(c.max_rel)},
          {"worst_index", c.worst_index},
          {"worst_actual", json_number(c.worst_actual)},
          {"worst_expected", json_number(c.worst_expected)},
          {"needed_rtol", json_number(c.needed_rtol)},
          {"needed_atol", json_number(c.needed_atol)},
          {"bit_equal", c.bit_equal}};
}

Comparison comparison_from_json(const Json& json) {
  const auto whole = [&](const char* key) {
    const double value = number_at(json, key);
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
  };
  const auto wholes = [&](const char* key) {
    std::vector<std::uint64_t> values;
    for (const auto& value : value_at(json, key)) {
      if (value.is_number_unsigned()) values.push_back(value.get<std::uint64_t>());
    }
    return values;
  };
  Comparison c;
  c.name = string_at(json, "name");
  c.status = string_at(json, "status", "unreadable");
  c.message = string_at(json, "message");
  c.dtype = string_at(json, "dtype");
  c.shape = wholes("shape");
  c.elements = whole("elements");
  c.beyond = whole("beyond");
  c.nan_actual = whole("nan_actual");
  c.nan_expected = whole("nan_expected");
  c.max_abs = number_at(json, "max_abs");
  c.max_rel = number_at(json, "max_rel");
  c.worst_index = wholes("worst_index");
  c.worst_actual = number_at(json, "worst_actual");
  c.worst_expected = number_at(json, "worst_expected");
  c.needed_rtol = number_at(json, "needed_rtol");
  c.needed_atol = number_at(json, "needed_atol");
  c.bit_equal = bool_at(json, "bit_equal");
  return c;
}

Result<Json> serve_compare(const Json& request) {
  const std::string op = string_at(request, "op");
  if (op == "compare") {
    Json answers = Json::array();
    for (const auto& pair : value_at(request, "pairs")) {
      for (const auto& comparison :
           compare_paths(string_at(pair, "name"), string_at(pair, "actual"), string_at(pair, "expected"),
                         tolerance_from(value_at(pair, "tolerance")))) {
        answers.push_back(to_json(comparison));
      }
    }
    return Json{{"comparisons", answers}};
  }
  if (op == "describe") {
    Json answers = Json::array();
    for (const auto& file : value_at(request, "files")) {
      const auto description = describe_path(string_at(file, "path"));
      answers.push_back({{"name", string_at(file, "name")},
                         {"description", description.value_or("")},
                         {"problem", description ? "" : description.error().message},
                         {"unsupported", !description && description.error().code == "result.unsupported"}});
    }
    return Json{{"files", answers}};
  }
  if (op == "select") {
    MPSGATE_ASSIGN(const std::string text,
                   select_value(string_at(request, "file"), string_at(request, "path")));
    return Json{{"text", text}};
  }
  return fail("compare.request", "unknown operation \"" + op + "\"");
}

Result<std::vector<Comparison>> compare_supervised(ProcessRunner& processes, const Variables& own,
                                                   const std::vector<ComparePair>& pairs,
                                                   const std::filesystem::path& log, double seconds) {
  Json request = {{"op", "compare"}, {"pairs", Json::array()}};
  for (const auto& pair : pairs) {
    request["pairs"].push_back({{"name", pair.name},
                                {"actual", pair.actual.string()},
                                {"expected", pair.expected.string()},
                                {"tolerance", tolerance_json(pair.tolerance)}});
  }
  MPSGATE_ASSIGN(const Json answer, ask(processes, own, std::move(request), log, seconds));
  std::vector<Comparison> comparisons;
  for (const auto& comparison : value_at(answer, "comparisons"))
    comparisons.push_back(comparison_from_json(comparison));
  return comparisons;
}

Result<std::vector<DescribedFile>> describe_supervised(
    ProcessRunner& processes, const Variables& own,
    const std::vector<std::pair<std::string, std::filesystem::path>>& files, const std::filesystem::path& log,
    double seconds) {
  Json request = {{"op", "describe"}, {"files", Json::array()}};
  for (const auto& [name, path] : files)
    request["files"].push_back({{"name", name}, {"path", path.string()}});
  MPSGATE_ASSIGN(const Json answer, ask(processes, own, std::move(request), log, seconds));
  std::vector<DescribedFile> described;
  for (const auto& file : value_at(answer, "files")) {
    described.push_back({string_at(file, "name"), string_at(file, "description"), string_at(file, "problem"),
                         bool_at(file, "unsupported")});
  }
  return described;
}

Result<std::string> select_supervised(ProcessRunner& processes, const Variables& own,
                                      const std::filesystem::path& file, const std::string& json_path,
                                      const std::filesystem::path& log, double seconds) {
  MPSGATE_ASSIGN(
      const Json answer,
      ask(processes, own, {{"op", "select"}, {"file", file.string()}, {"path", json_path}}, log, seconds));
  return string_at(answer, "text");
}

std::span<const FindingRow> compare_findings() {
  static constexpr std::array rows = {
      FindingRow{"numerics.tolerance", Cause::numerics, Basis::device, Weight::stop, Who::lab,
                 "Outputs are beyond tolerance",
                 "look at the worst index first; widen the tolerance only with a reason"}};
  return rows;
}

std::span<const CriterionRow> compare_criteria() {
  using enum CriterionRow::Rule;
  static constexpr std::array rows = {
      CriterionRow{"numerics.tolerance", Cause::numerics, Route::linux_gpu, Effort::hours, any, 0, "",
                   "outputs are beyond tolerance"},
      CriterionRow{"numerics.bitwise-cuda", Cause::numerics, Route::linux_gpu, Effort::rewrite, asked, 0, "",
                   "bit-for-bit agreement with CUDA is demanded"}};
  return rows;
}

}  // namespace mpsgate
