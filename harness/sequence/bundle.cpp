#include "sequence/bundle.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "sequence/installed.h"

namespace mpsgate {
namespace {

constexpr const char* kProvenance = "provenance.json";
constexpr int kBundleVersion = 1;
constexpr std::uint64_t kLargestProvenance = 4 << 20;

std::string status_of(const Records& records, const char* step) {
  const Record* end = last_of(records, Kind::step, "end", step);
  return end ? string_at(end->data, "status") : "";
}

std::string reason_of(const Records& records, const char* step) {
  const Record* end = last_of(records, Kind::step, "end", step);
  return end ? string_at(end->data, "reason") : "it was not reached";
}

Json note_value(const Records& records, const char* id) {
  const Record* note = last_of(records, Kind::note, id);
  return note ? value_at(note->data, "value") : Json();
}

Json host_json(const Records& records) {
  Json host = Json::object();
  for (const auto& record : records) {
    if (record.kind != Kind::note || record.id != "host") continue;
    const std::string name = string_at(record.data, "name");
    if (name == "system" || name == "architecture" || name == "chip" || name == "GPU" || name == "cores" ||
        name == "memory")
      host[name] = value_at(record.data, "value");
  }
  return host;
}

Json artefacts_json(const Protocol& protocol) {
  Json artefacts = Json::object();
  for (const auto& artefact : protocol.artefacts)
    artefacts[artefact.id()] = artefact.sha256;
  return artefacts;
}

/// What seeds a command, as far as its words and variables tell: options and variables that are called so.
Json seeds_json(const Protocol& protocol) {
  Json seeds = {{"PYTHONHASHSEED", "0"}};  // see lab_variables
  const auto is_seed = [](const std::string& name) {
    return lowercase(name).find("seed") != std::string::npos;
  };
  for (const auto& command : protocol.commands) {
    Json found = Json::object();
    for (std::size_t i = 0; i < command.argv.size(); ++i) {
      const std::string& word = command.argv[i];
      const auto cut = word.find('=');
      if (!is_seed(word.substr(0, cut))) continue;
      if (cut != std::string::npos) found[word.substr(0, cut)] = word.substr(cut + 1);
      if (cut == std::string::npos && word.starts_with('-') && i + 1 < command.argv.size())
        found[word] = command.argv[i + 1];
    }
    for (const auto* texts : {&command.environment, &command.parameters}) {
      for (const auto& [name, text] : *texts) {
        if (is_seed(name)) found[name] = text;
      }
    }
    if (!found.empty()) seeds[command.name] = found;
  }
  return seeds;
}

/// How far the repeated passes lay apart: the comparison table of repeat, with the names of its columns.
Json spread_json(const Records& records) {
  Json spread = Json::array();
  const Record* table = last_of(records, Kind::table, "repeat");
  if (!table) return spread;
  const Json& columns = value_at(table->data, "columns");
  for (const auto& row : value_at(table->data, "rows")) {
    Json entry = Json::object();
    for (std::size_t i = 0; i < row.size() && i < columns.size(); ++i) {
      const std::string name = string_at(columns[i], "name");
      if (name == "output" || name == "between" || name == "status" || name == "max abs" ||
          name == "max rel" || name == "bit-equal")
        entry[name] = row[i];
    }
    spread.push_back(std::move(entry));
  }
  return spread;
}

/// The outputs of the control passes by command and name, and where their files lie in the bundle.
Json outputs_json(const Records& records, const BundleRequest& request, const RunFolder& run) {
  Json commands = Json::object();
  for (const auto& record : records) {
    if (record.kind != Kind::artefact || record.id != "output" || record.step != "control" ||
        record.arm != request.arm)
      continue;
    const std::string command = string_at(record.data, "command");
    const fs::path file = run.root() / string_at(record.data, "path");
    commands[command][string_at(record.data, "output")] = {
        {"file", "outputs/" + command + "/" + file.filename().string()},
        {"bytes", value_at(record.data, "bytes")},
        {"sha256", value_at(record.data, "sha256")},
        {"description", value_at(record.data, "description")}};
  }
  return commands;
}

Json provenance_json(const Protocol& protocol, const Records& records, const RunFolder& run,
                     const BundleRequest& request) {
  const Json resolved = to_json(protocol);
  return {
      {"bundle", kBundleVersion},
      {"name", request.name},
      {"captured", request.captured},
      {"by", {{"name", "mpsgate"}, {"version", kVersion}}},
      {"arm", request.arm},
      {"protocol", {{"name", protocol.name}, {"file", protocol.shown_file()}, {"sha256", protocol.sha256}}},
      {"commit", note_value(records, "source.commit")},
      {"tree", note_value(records, "source.tree")},
      {"environment",
       {{"python", note_value(records, "environment.version")},
        {"installer", note_value(records, "environment.installer")},
        {"packages", installed_packages(records)}}},
      {"artefacts", artefacts_json(protocol)},
      {"seeds", seeds_json(protocol)},
      {"host", host_json(records)},
      {"commands", resolved["commands"]},
      {"device_args", resolved["devices"][request.arm]},
      {"outputs", outputs_json(records, request, run)},
      {"passes", 1 + protocol.steps.repeat_passes},
      {"spread", {{"beyond", status_of(records, "repeat") != "passed"}, {"passes", spread_json(records)}}}};
}

}  // namespace

Result<void> write_bundle(const Protocol& protocol, const Records& records, const RunFolder& run,
                          const BundleRequest& request, const fs::path& to) {
  for (const char* step : {"source", "environment", "control"}) {
    if (status_of(records, step) != "passed")
      return fail("capture.failed",
                  std::string("nothing is captured: ") + step + " did not pass: " + reason_of(records, step),
                  "see the report of the run");
  }
  if (status_of(records, "repeat") != "passed" && !request.spread_allowed) {
    return fail("capture.spread", "nothing is captured: " + reason_of(records, "repeat"),
                "seed what is random or widen the tolerance; --allow-spread captures it all the same, and "
                "the bundle says so");
  }
  std::error_code error;
  if (fs::exists(to, error) && !fs::is_empty(to, error))
    return fail("usage.out", to.string() + " is not empty", "give a new folder with --out");
  const auto write = [&]() -> Result<void> {
    MPSGATE_TRY(make_folder(to / "outputs"));
    for (const auto& entry : fs::directory_iterator(run.outputs(request.arm, "control"), error))
      MPSGATE_TRY(copy_tree(entry.path(), to / "outputs" / entry.path().filename()));
    if (error) return fail("capture.failed", "the run has no outputs any more: " + error.message());
    return write_file(to / kProvenance,
                      dump_json(provenance_json(protocol, records, run, request), 2) + "\n");
  };
  auto written = write();
  if (!written) (void)remove_tree(to);
  return written;
}

Result<Provenance> read_provenance(const fs::path& bundle) {
  const fs::path file = bundle / kProvenance;
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return fail("reference.no-provenance", "the reference has no " + std::string(kProvenance));
  MPSGATE_ASSIGN(const std::string text, read_file(file, kLargestProvenance));
  const auto json = parse_json(text, file.filename().string());
  if (!json || !json->is_object())
    return fail("reference.damaged",
                json ? std::string(kProvenance) + " is no JSON object" : json.error().message);
  Provenance provenance;
  provenance.commit = one_line(string_at(*json, "commit"));
  provenance.tree = one_line(string_at(*json, "tree"));
  const Json& environment = value_at(*json, "environment");
  provenance.python = one_line(string_at(environment, "python"));
  for (const auto& [name, version] : value_at(environment, "packages").items()) {
    if (version.is_string()) provenance.packages[one_line(name)] = one_line(version.get<std::string>());
  }
  for (const auto& [id, sha256] : value_at(*json, "artefacts").items()) {
    if (sha256.is_string()) provenance.artefacts[one_line(id)] = one_line(sha256.get<std::string>(), 64);
  }
  const Json& host = value_at(*json, "host");
  provenance.system = one_line(string_at(host, "system"));
  provenance.architecture = one_line(string_at(host, "architecture"));
  provenance.spread = bool_at(value_at(*json, "spread"), "beyond");
  for (const auto& [command, outputs] : value_at(*json, "outputs").items()) {
    for (const auto& [name, output] : outputs.items())
      provenance.files.push_back({string_at(output, "file"), string_at(output, "sha256")});
  }
  return provenance;
}

std::string damage_of(const Provenance& provenance, const fs::path& bundle) {
  for (const auto& file : provenance.files) {
    const auto path = path_inside(bundle, bundle, file.path);
    std::error_code error;
    if (!path || !fs::exists(*path, error)) return one_line(file.path) + " is missing";
    const auto digest = fs::is_directory(*path, error) ? sha256_of_folder(*path) : sha256_of_file(*path);
    if (!digest || *digest != file.sha256)
      return one_line(file.path) + " is not the file that was captured: its sha256 is " +
             (digest ? *digest : "unknown") + ", provenance.json has " + one_line(file.sha256, 64);
  }
  return {};
}

}  // namespace mpsgate
