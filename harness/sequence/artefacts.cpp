#include "sequence/artefacts.h"

#include "base/files.h"
#include "base/glob.h"
#include "base/text.h"
#include "base/tree_state.h"
#include "fetch/download.h"
#include "fetch/fetch.h"
#include "fetch/store.h"
#include "process/lock.h"
#include "process/variables.h"
#include "record/draft.h"
#include "sequence/findings.h"

#include <algorithm>

namespace mpsgate {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsBetweenLines = 5;
constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";

std::string state_of(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return tree_state(path);
  const auto state = file_state(path);
  if (!state) return "absent";
  return std::to_string(state->size) + " " + std::to_string(state->modified_ns);
}

/// The part of a URL that holds no secret.
std::string origin_of(const std::string& url) {
  return hide_credentials(url.substr(0, url.find_first_of("?#")));
}

bool is_lfs_pointer(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > 1024) return false;
  const auto text = read_file(path, 1024);
  return text && text->starts_with(kLfsPointer);
}

std::string size_text(const SizeBand& band) {
  if (band.least == band.most) return std::to_string(band.least) + " bytes";
  return "between " + std::to_string(band.least) + " and " + std::to_string(band.most) + " bytes";
}

class Artefacts {
 public:
  explicit Artefacts(const Context& context)
      : context_(context),
        store_(store_folder(context.cache)),
        deadline_(context.clock.seconds() + context.protocol.limits.artefacts_seconds) {}

  Records run() {
    const auto forbidden = forbidden_artefacts(context_.protocol, context_.machine);
    for (const auto* artefact : forbidden) {
      add(*artefact, sequence_finding("policy.transfer",
                                      artefact->id() + " is " + artefact->level + " and may not lie on " +
                                          one_line(context_.machine) + ": confidentiality.machines names " +
                                          join(context_.protocol.confidentiality.machines, ", ")));
    }
    // Of what is forbidden nothing else is fetched either: the run ends here.
    if (forbidden.empty()) fetch_all();
    records_.push_back(reason_.empty() ? step_end(StepStatus::passed)
                                       : step_end(StepStatus::failed, reason_));
    return std::move(records_);
  }

 private:
  /// Where an artefact lies, and how it came there.
  struct Place {
    fs::path path;
    std::uint64_t bytes = 0;
    std::string how;
  };

  void fetch_all() {
    const auto& policy = context_.protocol.confidentiality;
    if (!policy.allowed_by.empty())
      records_.push_back(note("artefact.allowed-by", "allowed by", one_line(policy.allowed_by)));
    for (const auto& artefact : context_.protocol.artefacts) {
      if (artefact.level != "public")
        records_.push_back(note("artefact.class", artefact.id() + " is", artefact.level));
      const double began = context_.clock.seconds();
      auto place = obtain(artefact);
      if (place) {
        if (auto linked = link(artefact, place->path); !linked) place = tl::unexpected<Error>(linked.error());
      }
      if (!place) {
        fail_with(artefact, place.error());
        continue;
      }
      const fs::path seen = artefact_path(context_, artefact, context_.folder.source());
      Record record =
          mpsgate::artefact(artefact.kind, context_.folder.relative(seen), place->bytes, artefact.sha256);
      record.data["name"] = artefact.name;
      record.data["how"] = place->how;
      record.data["confidentiality"] = artefact.level;
      records_.push_back(std::move(record));
      records_.push_back(note("artefact.state", artefact.id(), state_of(place->path)));
      records_.push_back(note("artefact.from", artefact.id() + " from", place->how));
      records_.push_back(note("artefact.seconds", artefact.id() + " verified in",
                              format_seconds(context_.clock.seconds() - began)));
    }
  }

  double seconds_left() const { return std::max(1.0, deadline_ - context_.clock.seconds()); }

  Result<Place> obtain(const Artefact& artefact) {
    if (const auto given = context_.options.artefacts.find(artefact.id());
        given != context_.options.artefacts.end()) {
      Finding finding = sequence_finding("artefact.substituted",
                                         artefact.id() + " was taken from " + given->second.string());
      finding.place = artefact.place;
      records_.push_back(to_record(finding));
      return verified(artefact, given->second, "the copy that --artefact gives");
    }
    if (!artefact.checkout.empty()) {
      const fs::path source = context_.folder.source();
      const auto path = path_inside(source, source, artefact.checkout);
      if (!path)
        return fail("artefact.absent", artefact.id() + ": " + path.error().message, path.error().advice);
      return verified(artefact, *path, artefact.checkout + " of the repository");
    }
    if (!artefact.local.empty())
      return verified(artefact, artefact.local,
                      artefact.local.lexically_relative(context_.protocol.root).generic_string());
    return stored(artefact);
  }

  /// A file or folder that lies on this machine and is used where it lies.
  Result<Place> verified(const Artefact& artefact, const fs::path& path, const std::string& how) const {
    if (is_lfs_pointer(path))
      return fail("artefact.lfs-pointer",
                  artefact.id() + ": " + how + " is a pointer of Git LFS, not its content",
                  "fetch it with git lfs pull, and give it with --artefact " + artefact.id() + "=FILE");
    const auto digest = digest_of(context_.processes, context_.own, path, seconds_left());
    if (!digest && digest.error().code == "file.absent")
      return fail("artefact.absent", artefact.id() + " is not there: " + path.string(),
                  "put it there, or give a copy with --artefact " + artefact.id() + "=FILE");
    if (!digest)
      return fail("artefact.failed", artefact.id() + " cannot be read: " + digest.error().message,
                  digest.error().advice);
    if (artefact.size && !artefact.size->holds(digest->bytes))
      return fail("artefact.wrong-size", artefact.id() + " has " + std::to_string(digest->bytes) +
                                             " bytes, and the protocol says " + size_text(*artefact.size));
    if (digest->sha256 != artefact.sha256)
      return fail("artefact.wrong-hash", artefact.id() + " has another sha256: expected " + artefact.sha256 +
                                             ", " + how + " has " + digest->sha256);
    return Place{path, digest->bytes, how};
  }

  Result<std::string> url_of(const Artefact& artefact) const {
    if (artefact.url_from.empty()) return artefact.url;
    const auto found = context_.own.find(artefact.url_from);
    const std::string url(found == context_.own.end() ? "" : trim(found->second));
    if (url.starts_with("https://") || url.starts_with("file://")) return url;
    return fail("artefact.credential",
                "the environment variable " + artefact.url_from +
                    (url.empty() ? " is not set" : " holds no https or file URL") + ": " + artefact.id() +
                    " is fetched from there",
                "set it where mpsgate is started");
  }

  /// A file that comes from elsewhere and is kept for later runs.
  Result<Place> stored(const Artefact& artefact) {
    MPSGATE_TRY(make_folder(store_folder(context_.cache)));
    const fs::path lock = store_.lock(artefact.sha256);
    auto held = FileLock::take(lock, 0);
    if (!held) {
      context_.progress.say("waiting for another run that fetches " + artefact.id());
      held = FileLock::take(lock, seconds_left());
    }
    if (!held) return tl::unexpected<Error>(held.error());
    MPSGATE_ASSIGN(auto lookup, store_.find(artefact.sha256));
    if (lookup.damaged) {
      Finding finding =
          sequence_finding("artefact.damaged", "the kept copy of " + artefact.id() + " had changed");
      finding.place = artefact.place;
      records_.push_back(to_record(finding));
    }
    const std::int64_t now = context_.clock.now_ms();
    const auto retention =
        static_cast<std::int64_t>(context_.protocol.confidentiality.retention_seconds * 1000);
    std::string how = "the kept copy";
    if (lookup.stored && lookup.stored->keep_until_ms > 0 && lookup.stored->keep_until_ms < now) {
      MPSGATE_TRY(store_.clear(artefact.sha256));
      lookup.stored.reset();
    }
    if (lookup.stored && artefact.size && !artefact.size->holds(lookup.stored->bytes))
      return fail("artefact.wrong-size", artefact.id() + " has " + std::to_string(lookup.stored->bytes) +
                                             " bytes, and the protocol says " + size_text(*artefact.size));
    if (!lookup.stored) {
      Stored about;
      about.sha256 = artefact.sha256;
      about.level = artefact.level;
      about.fetched_ms = about.used_ms = now;
      about.keep_until_ms = retention > 0 ? now + retention : 0;
      MPSGATE_ASSIGN(lookup.stored, fetched(artefact, std::move(about), how));
    }
    Stored& stored = *lookup.stored;
    const std::int64_t keep_until = retention > 0 ? stored.fetched_ms + retention : 0;
    MPSGATE_TRY(store_.use(stored, artefact.level, now, keep_until));
    return Place{stored.file, stored.bytes, how};
  }

  Result<Stored> fetched(const Artefact& artefact, Stored about, std::string& how) {
    MPSGATE_ASSIGN(const std::string url, url_of(artefact));
    how = about.origin = origin_of(url);
    MPSGATE_TRY(store_.expect(about));
    context_.progress.say("fetching " + artefact.id() + " from " + how);
    Download request;
    request.url = url;
    request.sha256 = artefact.sha256;
    request.size = artefact.size;
    request.credential = artefact.credential;
    request.file = store_.incoming(artefact.sha256);
    request.log = context_.folder.log("artefacts." + artefact.name + ".err");
    request.seconds = seconds_left();
    double next = context_.clock.seconds() + kSecondsBetweenLines;
    request.on_progress = [&](std::uint64_t received, std::uint64_t total, double rate) {
      if (context_.clock.seconds() < next) return;
      next = context_.clock.seconds() + kSecondsBetweenLines;
      context_.progress.say(artefact.id() + ": " + format_bytes(received) +
                            (total > 0 ? " of " + format_bytes(total) : "") + ", " +
                            format_bytes(static_cast<std::uint64_t>(rate)) + "/s");
    };
    const auto downloaded = download(context_.processes, context_.own, request);
    if (!downloaded) {
      MPSGATE_TRY(store_.abandon(artefact.sha256));
      return tl::unexpected<Error>(downloaded.error());
    }
    if (downloaded->resumed_from > 0) how += ", resumed at " + format_bytes(downloaded->resumed_from);
    about.bytes = downloaded->bytes;
    about.fetched_ms = context_.clock.now_ms();
    return store_.add(about);
  }

  /// Puts the artefact where commands look for it.
  Result<void> link(const Artefact& artefact, const fs::path& path) const {
    if (!artefact.checkout.empty() && !context_.options.artefacts.contains(artefact.id())) return {};
    const fs::path seen = artefact_path(context_, artefact, {});
    MPSGATE_TRY(make_folder(seen.parent_path()));
    MPSGATE_TRY(remove_tree(seen));
    std::error_code error;
    fs::create_symlink(fs::absolute(path, error), seen, error);
    if (error)
      return mpsgate::fail("file.unwritable", seen.string() + " cannot be written: " + error.message());
    return {};
  }

  void fail_with(const Artefact& artefact, const Error& error) {
    static constexpr std::string_view own[] = {
        "artefact.unreachable", "artefact.refused",    "artefact.wrong-hash", "artefact.wrong-size",
        "artefact.absent",      "artefact.credential", "artefact.lfs-pointer"};
    const bool known = std::find(std::begin(own), std::end(own), error.code) != std::end(own);
    Finding finding = sequence_finding(known                       ? error.code
                                       : error.code == "disk.full" ? "machine.disk-full"
                                                                   : "artefact.failed",
                                       error.message);
    if (!error.advice.empty()) finding.remedy = error.advice;
    add(artefact, std::move(finding));
  }

  void add(const Artefact& artefact, Finding finding) {
    finding.place = artefact.place;
    if (finding.message.find(artefact.id()) == std::string::npos)
      finding.message = artefact.id() + ": " + finding.message;
    if (reason_.empty()) reason_ = finding.message;
    records_.push_back(to_record(finding));
  }

  const Context& context_;
  Store store_;
  double deadline_;
  Records records_;
  std::string reason_;
};

}  // namespace

fs::path store_folder(const fs::path& cache) {
  return cache / "artefacts";
}

fs::path artefact_path(const Context& context, const Artefact& artefact, const fs::path& checkout) {
  if (!artefact.checkout.empty() && !context.options.artefacts.contains(artefact.id()))
    return checkout / artefact.checkout;
  return context.folder.artefacts(artefact.kind) / artefact.name / artefact.file;
}

Result<void> check_artefacts(const Context& context, const Records& so_far) {
  for (const auto& record : so_far) {
    if (record.kind != Kind::note || record.id != "artefact.state") continue;
    const Artefact* artefact = context.protocol.artefact(string_at(record.data, "name"));
    if (!artefact) continue;
    const fs::path path = artefact_path(context, *artefact, context.folder.source());
    std::error_code error;
    if (state_of(fs::weakly_canonical(path, error)) != string_at(record.data, "value"))
      return fail("artefact.changed", artefact->id() + " is not what was verified any more: " + path.string(),
                  {}, artefact->place);
  }
  return {};
}

std::vector<const Artefact*> forbidden_artefacts(const Protocol& protocol, const std::string& machine) {
  const auto& machines = protocol.confidentiality.machines;
  const std::string name = lowercase(machine), first = name.substr(0, name.find('.'));
  const bool allowed =
      machines.empty() || std::any_of(machines.begin(), machines.end(), [&](const std::string& pattern) {
        return glob_matches(lowercase(pattern), name) || glob_matches(lowercase(pattern), first);
      });
  std::vector<const Artefact*> forbidden;
  for (const auto& artefact : protocol.artefacts) {
    if (!allowed && artefact.level != "public") forbidden.push_back(&artefact);
  }
  return forbidden;
}

Records run_artefacts(const Context& context, const Records&) {
  return Artefacts(context).run();
}

}  // namespace mpsgate
