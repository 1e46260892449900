#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "fetch/store.h"
#include "sequence/artefacts.h"

#include <cstdio>

namespace mpsgate {
namespace {

ExitCode purge_cache() {
  const fs::path folder = cache_folder();
  std::error_code error;
  if (!fs::exists(folder, error)) {
    std::printf("nothing to delete: %s does not exist\n", folder.c_str());
    return ExitCode::ok;
  }
  // MPSGATE_CACHE may name any folder: what is not a cache of mpsgate is left alone.
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "environments" || name == "installers" || name == "artefacts") continue;
    complain({"purge.refused",
              folder.string() + " holds " + one_line(name, 60) + ", which mpsgate did not put there",
              "delete it by hand, or correct MPSGATE_CACHE",
              {}});
    return ExitCode::usage;
  }
  if (const auto removed = remove_tree(folder); !removed) {
    complain(removed.error());
    return ExitCode::inconclusive;
  }
  std::printf("deleted %s\n", folder.c_str());
  return ExitCode::ok;
}

/// Which kept weights and data go.
struct Choice {
  bool all = false, expired = false;
  std::optional<double> older_seconds;   ///< not used for longer than that
  std::optional<std::uint64_t> down_to;  ///< the ones used longest ago, until no more than that is left
  std::string level;                     ///< of that class or a stricter one; empty: none
};

std::vector<Stored> chosen(const std::vector<Stored>& all, const Choice& choice, std::int64_t now_ms) {
  std::uint64_t left = 0;
  for (const auto& stored : all)
    left += stored.bytes;
  std::vector<Stored> goes;
  for (const auto& stored : all) {  // the one used longest ago first
    const bool old =
        choice.older_seconds && static_cast<double>(now_ms - stored.used_ms) > *choice.older_seconds * 1000;
    const bool expired = choice.expired && stored.keep_until_ms > 0 && stored.keep_until_ms < now_ms;
    const bool strict = !choice.level.empty() && strictness(stored.level) >= strictness(choice.level);
    const bool surplus = choice.down_to && left > *choice.down_to;
    if (!choice.all && !old && !expired && !strict && !surplus) continue;
    left -= stored.bytes;
    goes.push_back(stored);
  }
  return goes;
}

ExitCode purge_artefacts(const Choice& choice, bool dry_run) {
  const Store store(store_folder(cache_folder()));
  const auto all = store.list();
  const auto goes = chosen(all, choice, SystemClock().now_ms());
  std::uint64_t bytes = 0;
  bool complete = true;
  for (const auto& stored : goes) {
    if (!dry_run) {
      if (const auto removed = store.remove(stored.sha256); !removed) {
        complain(removed.error());
        complete = false;
        continue;
      }
    }
    bytes += stored.bytes;
    std::printf("%s %s  %s  %s  used %s  %s\n", dry_run ? "would delete" : "deleted",
                stored.sha256.substr(0, 12).c_str(), format_bytes(stored.bytes).c_str(), stored.level.c_str(),
                utc_date(stored.used_ms).c_str(), one_line(stored.origin).c_str());
  }
  std::printf("%s of %zu weights and data, %zu kept\n", format_bytes(bytes).c_str(), all.size(),
              all.size() - goes.size());
  return complete ? ExitCode::ok : ExitCode::inconclusive;
}

}  // namespace

ExitCode purge_command(const std::vector<std::string>& words) {
  bool cache = false, dry_run = false;
  std::string older, down_to;
  Choice choice;
  CLI::App app("Deletes what mpsgate keeps in its cache. Do not use it while a run is under way.",
               "mpsgate purge");
  app.add_flag("--cache", cache, "the whole cache folder: environments, installers, weights and data");
  app.add_flag("--artefacts", choice.all, "all kept weights and data");
  app.add_option("--older-than", older, "those that no run has used for so long: \"30 d\"");
  app.add_option("--down-to", down_to, "those used longest ago, until no more than this is left: \"20 GiB\"");
  app.add_option("--class", choice.level, "those of this class of confidentiality, or of a stricter one")
      ->check(CLI::IsMember({"public", "internal", "restricted"}));
  app.add_flag("--expired", choice.expired, "those whose retention has ended");
  app.add_flag("--dry-run", dry_run, "say what would be deleted");
  if (const auto done = parse_arguments(app, words)) return *done;
  const auto refuse = [](const std::string& message, const std::string& advice) {
    complain({"usage.purge", message, advice, {}});
    return ExitCode::usage;
  };
  if (!older.empty() && !(choice.older_seconds = parse_seconds(older)))
    return refuse("--older-than wants a duration with its unit, found \"" + one_line(older, 40) + "\"",
                  "write \"30 d\"");
  if (!down_to.empty() && !(choice.down_to = parse_bytes(down_to)))
    return refuse("--down-to wants a size with its unit, found \"" + one_line(down_to, 40) + "\"",
                  "write \"20 GiB\"");
  const bool some =
      choice.all || choice.expired || choice.older_seconds || choice.down_to || !choice.level.empty();
  if (cache == some)
    return refuse(cache ? "--cache deletes everything: the other options say what else"
                        : "purge wants to know what to delete",
                  "mpsgate purge --help lists the choices");
  if (cache && dry_run) return refuse("--dry-run goes with a choice of weights and data", "");
  return cache ? purge_cache() : purge_artefacts(choice, dry_run);
}

}  // namespace mpsgate
