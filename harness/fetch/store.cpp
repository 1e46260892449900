#include "fetch/store.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "process/lock.h"

#include <algorithm>

#include <sys/stat.h>

namespace mpsgate {
namespace {

constexpr const char* kData = "data";
constexpr const char* kAbout = "about.json";
constexpr const char* kDamaged = "damaged";
constexpr double kRemoveSeconds = 5;

std::int64_t whole_at(const Json& json, const char* key) {
  const Json& value = value_at(json, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// Size and times, which change whenever somebody writes to the file.
Json state_of(const fs::path& file) {
  const auto state = file_state(file);
  return state ? Json::array({state->size, state->modified_ns}) : Json();
}

Result<void> write_about(const fs::path& folder, const Stored& stored) {
  const Json about = {{"sha256", stored.sha256},
                      {"bytes", stored.bytes},
                      {"confidentiality", stored.level},
                      {"origin", stored.origin},
                      {"fetched_ms", stored.fetched_ms},
                      {"used_ms", stored.used_ms},
                      {"keep_until_ms", stored.keep_until_ms},
                      {"state", state_of(folder / kData)}};
  return write_file(folder / kAbout, dump_json(about, 2) + "\n");
}

/// What about.json says, and the state of the file when it was read last.
std::optional<std::pair<Stored, Json>> read_about(const fs::path& folder) {
  const auto text = read_file(folder / kAbout, 1 << 20);
  const auto json = text ? parse_json(*text, kAbout) : Result<Json>(fail("file.unreadable", ""));
  if (!json) return std::nullopt;
  Stored stored;
  stored.sha256 = folder.filename().string();
  stored.file = folder / kData;
  stored.level = string_at(*json, "confidentiality", "restricted");
  stored.origin = string_at(*json, "origin");
  stored.fetched_ms = whole_at(*json, "fetched_ms");
  stored.used_ms = whole_at(*json, "used_ms");
  stored.keep_until_ms = whole_at(*json, "keep_until_ms");
  return std::pair{std::move(stored), value_at(*json, "state")};
}

/// Of all files but the description.
std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename() == kAbout) continue;
    if (entry.is_regular_file(error)) bytes += entry.file_size(error);
  }
  return bytes;
}

}  // namespace

int strictness(const std::string& level) {
  return level == "public" ? 0 : level == "internal" ? 1 : 2;
}

fs::path Store::lock(const std::string& sha256) const {
  return folder_ / (sha256 + ".lock");
}

fs::path Store::incoming(const std::string& sha256) const {
  return at(sha256) / "incoming";
}

Result<void> Store::expect(const Stored& about) const {
  MPSGATE_TRY(make_folder(at(about.sha256)));
  Stored expected = about;
  if (const auto known = read_about(at(about.sha256));
      known && strictness(known->first.level) > strictness(about.level))
    expected.level = known->first.level;
  return write_about(at(about.sha256), expected);
}

Result<void> Store::abandon(const std::string& sha256) const {
  return bytes_in(at(sha256)) > 0 ? Result<void>() : clear(sha256);
}

Result<Store::Lookup> Store::find(const std::string& sha256) const {
  auto about = read_about(at(sha256));
  std::error_code error;
  if (!about || !fs::is_regular_file(at(sha256) / kData, error)) return Lookup{};
  auto& [stored, state] = *about;
  stored.bytes = static_cast<std::uint64_t>(fs::file_size(stored.file, error));
  if (state == state_of(stored.file)) return Lookup{std::move(stored), false};
  const auto digest = sha256_of_file(stored.file);
  if (digest && *digest == sha256) {
    MPSGATE_TRY(write_about(at(sha256), stored));
    return Lookup{std::move(stored), false};
  }
  fs::rename(stored.file, at(sha256) / kDamaged, error);
  if (error)
    return fail("file.unwritable", stored.file.string() + " cannot be set aside: " + error.message());
  return Lookup{std::nullopt, true};
}

Result<Stored> Store::add(const Stored& about) const {
  const fs::path folder = at(about.sha256), from = incoming(about.sha256);
  MPSGATE_TRY(make_folder(folder));
  Stored stored = about;
  stored.file = folder / kData;
  ::chmod(from.c_str(), S_IRUSR | S_IRGRP | S_IROTH);
  std::error_code error;
  fs::rename(from, stored.file, error);
  if (error) return fail("file.unwritable", stored.file.string() + " cannot be written: " + error.message());
  MPSGATE_TRY(write_about(folder, stored));
  return stored;
}

Result<void> Store::use(Stored& stored, const std::string& level, std::int64_t now_ms,
                        std::int64_t keep_until_ms) const {
  if (strictness(level) > strictness(stored.level)) stored.level = level;
  stored.used_ms = now_ms;
  if (keep_until_ms > 0 && (stored.keep_until_ms == 0 || keep_until_ms < stored.keep_until_ms))
    stored.keep_until_ms = keep_until_ms;
  return write_about(at(stored.sha256), stored);
}

std::vector<Stored> Store::list() const {
  std::vector<Stored> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().filename().string().size() != 64) continue;
    auto about = read_about(entry.path());
    Stored stored;
    stored.sha256 = entry.path().filename().string();
    stored.level = "restricted";
    if (about) stored = std::move(about->first);
    stored.bytes = bytes_in(entry.path());
    all.push_back(std::move(stored));
  }
  std::sort(all.begin(), all.end(), [](const Stored& a, const Stored& b) {
    return std::tie(a.used_ms, a.sha256) < std::tie(b.used_ms, b.sha256);
  });
  return all;
}

Result<void> Store::clear(const std::string& sha256) const {
  return remove_tree(at(sha256));
}

Result<void> Store::remove(const std::string& sha256) const {
  MPSGATE_TRY(make_folder(folder_));
  MPSGATE_ASSIGN(const FileLock held, FileLock::take(lock(sha256), kRemoveSeconds));
  MPSGATE_TRY(clear(sha256));
  return remove_tree(lock(sha256));
}

}  // namespace mpsgate
