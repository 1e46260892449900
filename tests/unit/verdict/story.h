#pragma once
#include "record/record.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace mpsgate::test {

/// A journal told step by step, as a runner would write it.
class Story {
 public:
  explicit Story(std::string mode = "rehearse", std::string scope = "cpu") {
    start_ = {
        {"mode", mode},
        {"scope", scope},
        {"name", "tones"},
        {"run", "tones-20261201-084609-3fa9c1"},
        {"protocol",
         {{"purpose",
           {{"why", "the partner installs it"}, {"macos_required", false}, {"workload", "inference"}}}}},
        {"protocol_file", "/home/student/lab/protocols/tones.yaml"},
        {"protocol_root", "/home/student/lab"},
        {"commands", {"infer"}}};
    const bool cpu = scope == "cpu";
    int number = 0;
    for (const char* id :
         {"host", "source", "artefacts", "audit", "environment", "probe", "control", "strict", "census",
          "repeat", "parity", "sweep", "soak", "speed", "export", "relaunch", "cleanup"}) {
      const std::string_view name = id;
      const bool everywhere = name == "source" || name == "environment" || name == "probe" ||
                              name == "control" || name == "repeat" || name == "relaunch";
      const bool on_mps = name == "strict" || name == "census" || name == "parity";
      std::string why;
      if (cpu && (on_mps || name == "sweep" || name == "soak" || name == "speed"))
        why = "needs MPS, and this rehearsal has the CPU only";
      if (name == "artefacts" || name == "audit") why = "this version of mpsgate does not have this step yet";
      Json row = {{"id", id},
                  {"number", ++number},
                  {"title", id},
                  {"establishes", "…"},
                  {"gating", everywhere || (on_mps && !cpu)},
                  {"selected", true},
                  {"why", why},
                  {"dropped", ""},
                  {"line", 0}};
      start_["steps"].push_back(row);
    }
    // The design's stop table, in order.
    const auto criterion = [&](const char* id, const char* cause, const char* route, const char* rule = "any",
                               double value = 0, const char* unit = "", bool in_force = true) {
      start_["criteria"].push_back({{"id", id},
                                    {"cause", cause},
                                    {"route", route},
                                    {"effort", "hours"},
                                    {"rule", rule},
                                    {"value", value},
                                    {"unit", unit},
                                    {"title", id},
                                    {"in_force", in_force},
                                    {"because", ""}});
    };
    criterion("audit.cuda-essential", "cuda", "linux-gpu");
    criterion("audit.distributed", "cuda", "linux-gpu");
    criterion("audit.native-no-mps", "operators", "linux-gpu");
    criterion("fallback.operators", "operators", "adapt");
    criterion("device.unused", "device", "adapt");
    criterion("device.partial", "device", "adapt");
    criterion("dtype.unsupported", "dtype", "adapt");
    criterion("memory.fit", "memory", "remote-mac");
    criterion("memory.growth", "memory", "remote-mac", "over", 26, "%");
    criterion("numerics.tolerance", "numerics", "linux-gpu");
    criterion("numerics.bitwise-cuda", "numerics", "linux-gpu", "asked", 0, "", false);
    criterion("performance.pipeline", "performance", "adapt", "report");
    criterion("performance.growth", "performance", "adapt", "over", 26, "%");
    criterion("performance.wait", "performance", "linux-gpu", "over", 3600, "s");
    criterion("workload.llm", "performance", "mlx", "report");
    criterion("session.survival", "session", "adapt");
    criterion("policy.transfer", "confidentiality", "adapt");
    criterion("result.absent", "output", "adapt");
    criterion("result.elsewhere", "output", "adapt");
    criterion("result.unreadable", "output", "adapt");
    criterion("crash.exit", "crash", "adapt");
    criterion("crash.signal", "crash", "adapt");
    criterion("crash.hang", "crash", "adapt");
    criterion("crash.gpu-error", "crash", "adapt");
    criterion("crash.swallowed", "crash", "adapt");
    criterion("environment.unbuildable", "environment", "adapt");
  }

  Json& start() { return start_; }
  Json& planned(const std::string& id) { return row(start_["steps"], id); }
  Json& criterion(const std::string& id) { return row(start_["criteria"], id); }
  Story& commands(std::vector<std::string> names) {
    start_["commands"] = std::move(names);
    return *this;
  }

  /// The step ends so, instead of passed (or of skipped, where the plan says why).
  Story& ends(const std::string& step, const std::string& status,
              const std::string& reason = "as the test wants it") {
    ends_[step] = {status, reason};
    return *this;
  }
  Story& finding(const std::string& step, const std::string& id, const std::string& weight,
                 const std::string& basis, const std::string& cause, const std::string& arm = "",
                 const std::string& command = "") {
    Record record;
    record.kind = Kind::finding;
    record.id = id;
    record.arm = arm;
    record.data = {{"title", "title of " + id},
                   {"message", "message of " + id},
                   {"cause", cause},
                   {"basis", basis},
                   {"weight", weight},
                   {"who", "lab"},
                   {"remedy", "remedy of " + id}};
    if (!command.empty()) record.data["command"] = command;
    records_[step].push_back(record);
    return *this;
  }
  Story& measurement(const std::string& step, const std::string& id, const Json& value,
                     const std::string& unit, const std::string& arm, const std::string& command = "") {
    Record record;
    record.kind = Kind::measurement;
    record.id = id;
    record.arm = arm;
    record.data = {{"value", value}, {"unit", unit}};
    if (!command.empty()) record.data["command"] = command;
    records_[step].push_back(record);
    return *this;
  }
  /// The runner stops after this step: with run.interrupt for a signal, without any word for 0.
  Story& stops_after(const std::string& step, int signal) {
    last_ = step;
    signal_ = signal;
    return *this;
  }

  Records records() const {
    Records records;
    const auto add = [&](const std::string& step, Record record) {
      record.step = step;
      record.seq = records.size();
      record.time = "2026-12-01T08:46:09.123Z";
      records.push_back(std::move(record));
    };
    add("", of(Kind::run, "run.start", start_));
    for (const auto& planned : start_["steps"]) {
      const std::string id = planned["id"].get<std::string>();
      if (!planned["selected"].get<bool>()) continue;
      add(id, of(Kind::step, "begin", Json::object()));
      if (const auto own = records_.find(id); own != records_.end()) {
        for (const auto& record : own->second)
          add(id, record);
      }
      const std::string why = planned["why"].get<std::string>();
      std::pair<std::string, std::string> end = {why.empty() ? "passed" : "skipped", why};
      if (const auto told = ends_.find(id); told != ends_.end()) end = told->second;
      add(id, of(Kind::step, "end",
                 {{"status", end.first}, {"reason", end.second}, {"seconds", 0.5}, {"child_seconds", 0.4}}));
      if (id == last_) {
        if (signal_ != 0) add("", of(Kind::run, "run.interrupt", {{"signal", signal_}}));
        return records;
      }
    }
    add("", of(Kind::run, "run.end", {{"seconds", 9.0}, {"child_seconds", 8.9}}));
    return records;
  }

 private:
  static Json& row(Json& rows, const std::string& id) {
    for (auto& one : rows) {
      if (one["id"] == id) return one;
    }
    throw std::logic_error("no row " + id);
  }
  static Record of(Kind kind, const std::string& id, const Json& data) {
    Record record;
    record.kind = kind;
    record.id = id;
    record.data = data;
    return record;
  }

  Json start_;
  std::map<std::string, std::pair<std::string, std::string>> ends_;
  std::map<std::string, Records> records_;
  std::string last_;
  int signal_ = 0;
};

}  // namespace mpsgate::test
