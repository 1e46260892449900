#include "environment/builder.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "environment/dist_info.h"
#include "environment/explain.h"
#include "environment/findings.h"
#include "environment/pip_log.h"
#include "environment/version.h"
#include "process/lock.h"

#include <algorithm>
#include <set>

namespace mpsgate {

extern const std::string_view kBuildRequirements;
extern const std::string_view kOwnMetadata;
extern const std::string_view kStandIn;

namespace {

/// PyTorch's own index of CPU builds, asked only where pip as configured does not have the build.
constexpr const char* kTorchCpuIndex = "https://download.pytorch.org/whl/cpu";
/// Packages without any wheel that one environment may have: each costs another resolution.
constexpr int kMostSourcePackages = 20;
/// Build requirements that only the build itself asks for.
constexpr int kMostBuildRequirements = 6;

bool is_source_archive(const std::string& name) {
  return name.ends_with(".tar.gz") || name.ends_with(".zip") || name.ends_with(".tar.bz2") ||
         name.ends_with(".tgz");
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, state] : list_files(folder))
    names.push_back(name);
  return names;
}

std::string counted(std::size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

bool names_stand_in(const PipFailure& failure) {
  return std::any_of(failure.constraints.begin(), failure.constraints.end(),
                     [](const auto& held) { return held.find(kTorchStandIn) != std::string::npos; });
}

std::string torch_of(const std::vector<Requirement>& requirements) {
  for (const auto& requirement : requirements) {
    if (requirement.name == "torch" && !requirement.constraint && !requirement.pinned.empty())
      return "torch==" + requirement.pinned;
  }
  return {};
}

}  // namespace

bool BuildPlan::local_packages() const {
  return !install.empty() ||
         std::any_of(requirements.begin(), requirements.end(),
                     [](const auto& requirement) { return requirement.installs_folder(); });
}

Builder::Builder(ProcessRunner& processes, const EnvironmentRequest& request, BuildPlan& plan)
    : processes_(processes),
      request_(request),
      plan_(plan),
      deadline_(SystemClock().seconds() + request.seconds),
      scratch_(plan.folder.string() + ".build"),
      wheels_(scratch_ / "wheels"),
      build_wheels_(scratch_ / "build-wheels"),
      own_wheels_(scratch_ / "own-wheels"),
      online_(download_variables(request.own, scratch_ / "home")),
      offline_(offline_variables(request.own, scratch_ / "home")) {}

void Builder::say(const std::string& line) const {
  if (request_.say) request_.say(line);
}

Builder::Outcome Builder::run(const std::vector<std::string>& argv, const Variables& variables,
                              const std::string& log) {
  ProcessRequest process;
  process.argv = argv;
  process.environment = variables;
  process.directory = scratch_;
  process.limits.wall_seconds = std::max(1.0, deadline_ - SystemClock().seconds());
  process.limits.memory_bytes = 2 << 20;
  process.stdout_file = request_.logs / ("environment." + log + ".out");
  process.stderr_file = request_.logs / ("environment." + log + ".err");
  Outcome outcome{processes_.run(process), {}, log};
  outcome.text = outcome.process.out.text() + "\n" + outcome.process.err.text();
  return outcome;
}

Builder::Outcome Builder::run_script(std::string_view script, const std::vector<std::string>& arguments,
                                     const std::string& log) {
  std::vector<std::string> argv = {pip_.python.string(), "-I", "-c", std::string(script)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv, offline_, log);
}

Builder::Findings Builder::disk_trouble(const Error& error) const {
  return {environment_finding(error.code == "disk.full" ? "environment.disk-full" : "environment.failed",
                              error.message)};
}

Finding Builder::explain(const Outcome& outcome) const {
  Finding finding = explain_failure(read_pip_log(outcome.text), outcome.process, plan_, *index_);
  const std::string_view id = finding.row->id;
  if (id == "environment.failed" || id == "environment.build-failed")
    finding.remedy =
        "read logs/environment." + outcome.log + ".err and .out in the run directory; " + finding.row->remedy;
  return finding;
}

Builder::Findings Builder::build() {
  Findings findings = make_folders();
  if (!findings.empty()) return findings;
  if (!plan_.empty()) {
    using Phase = Findings (Builder::*)();
    for (const Phase phase : {&Builder::find_installer, &Builder::build_own_packages, &Builder::download_all,
                              &Builder::install_all, &Builder::check_torch}) {
      findings = (this->*phase)();
      if (!findings.empty()) return findings;
    }
    if (plan_.linux_cpu_build) findings = predict_mac(plan_, installed_packages(plan_.folder), *index_);
  }
  complete_ = true;
  (void)remove_tree(scratch_);
  return findings;
}

Builder::Findings Builder::make_folders() {
  for (const auto& folder : {plan_.folder, scratch_}) {
    if (auto removed = remove_tree(folder); !removed) return disk_trouble(removed.error());
  }
  for (const auto& folder : {wheels_, build_wheels_, own_wheels_, scratch_ / "home" / "tmp", request_.logs}) {
    if (auto made = make_folder(folder); !made) return disk_trouble(made.error());
  }
  const Outcome venv =
      run({plan_.interpreter.path.string(), "-m", "venv", "--without-pip", plan_.folder.string()}, offline_,
          "venv");
  if (venv.process.succeeded()) return {};
  const bool full = read_pip_log(venv.text).kind == PipFailure::Kind::disk_full;
  Findings findings = {environment_finding(full ? "environment.disk-full" : "environment.failed",
                                           "python -m venv ended with " + venv.process.description())};
  findings.back().evidence = last_lines(venv.text, 3);
  return findings;
}

Builder::Findings Builder::find_installer() {
  const Interpreter& own = plan_.interpreter;
  pip_ = {own.path, own.pip, own.pip_folder, plan_.folder / "bin" / "python"};
  if (own.pip.empty()) {
    // A system Python without pip: a private environment whose only use is its pip.
    const fs::path folder =
        request_.cache / "installers" / (own.tag + "-" + own.version + "-" + own.architecture);
    const auto lock =
        FileLock::take(folder.string() + ".lock", std::max(1.0, deadline_ - SystemClock().seconds()));
    if (!lock) return {environment_finding("environment.timeout", lock.error().message)};
    pip_.python = folder / "bin" / "python";
    const auto version_there = [&]() -> std::string {
      for (const auto& package : installed_packages(folder)) {
        if (package.name == "pip") return package.version;
      }
      return {};
    };
    std::error_code error;
    const fs::path marker = folder / "complete";
    if (!fs::exists(marker, error)) {
      say("preparing pip for Python " + own.version + " (it has none of its own)");
      const Outcome made =
          run({own.path.string(), "-m", "venv", "--clear", folder.string()}, offline_, "installer");
      if (!made.process.succeeded() || version_there().empty()) {
        Findings findings = {
            environment_finding("environment.python-missing",
                                "Python " + own.version + " has neither pip nor ensurepip to bring it")};
        findings.back().remedy =
            "install them, on Debian and Ubuntu with: apt install python3-pip python3-venv";
        findings.back().evidence = last_lines(made.text, 3);
        return findings;
      }
      if (auto written = write_file(marker, ""); !written) return disk_trouble(written.error());
    }
    pip_.version = version_there();
    pip_.folder = (folder / "lib" / ("python" + own.version.substr(0, own.version.rfind('.'))) /
                   "site-packages" / "pip")
                      .string();
  }
  index_ = std::make_unique<PackageIndex>(processes_, request_.own,
                                          index_settings(processes_, pip_.python.string(), online_),
                                          request_.fetch_worker);
  return {};
}

Builder::Outcome Builder::download_into(const fs::path& folder, std::vector<std::string> arguments,
                                        const std::string& log) {
  return run(pip_.download(folder, std::move(arguments)), online_, log);
}

/// The lab's own packages are built before anything is resolved, so that what they depend on is known without
/// running their code within reach of credentials.
Builder::Findings Builder::build_own_packages() {
  std::vector<std::pair<std::string, std::string>> wanted;  // path in the checkout, extras
  for (const auto& requirement : plan_.requirements) {
    if (requirement.kind == Requirement::Kind::local)
      wanted.emplace_back(requirement.path, requirement.extras);
  }
  if (!plan_.install.empty()) wanted.emplace_back(plan_.install, "");
  if (wanted.empty()) return {};
  say("building the lab's own " + std::string(wanted.size() == 1 ? "package" : "packages"));
  // In a copy: the checkout stays as the commit has it.
  const fs::path copy = scratch_ / "checkout";
  if (auto copied = copy_tree(request_.checkout, copy); !copied) return disk_trouble(copied.error());
  std::vector<std::string> sources;
  for (const auto& [folder, extras] : wanted) {
    const auto path = path_inside(copy, copy, folder);
    std::error_code error;
    if (!path || !fs::exists(*path, error))
      return {environment_finding("environment.file-missing",
                                  "the commit has nothing to install at " + one_line(folder))};
    sources.push_back(path->string());
  }
  if (auto findings = download_build_requirements(sources); !findings.empty()) return findings;
  std::vector<std::string> wheels;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const fs::path to = own_wheels_ / std::to_string(i);
    if (auto findings = build_offline(pip_.wheel(to, {build_wheels_}, {sources[i]}), "own-package");
        !findings.empty())
      return findings;
    for (const auto& name : files_in(to)) {
      if (!name.ends_with(".whl")) continue;
      wheels.push_back((to / name).string() + (wanted[i].second.empty() ? "" : "[" + wanted[i].second + "]"));
    }
  }
  const Outcome asked = run_script(kOwnMetadata, wheels, "own-metadata");
  if (!asked.process.succeeded()) return {explain(asked)};
  std::vector<Requirement> depends;
  for (const auto& line : lines_of(asked.process.out.text()))
    depends.push_back(parse_requirement(line, {}));
  WantedPackages changed;
  take_with_changes(depends, *request_.wanted, changed);
  plan_.requirements.insert(plan_.requirements.end(), changed.requirements.begin(),
                            changed.requirements.end());
  plan_.rewrites.insert(plan_.rewrites.end(), changed.rewrites.begin(), changed.rewrites.end());
  plan_.torch = pin_torch(plan_.requirements, plan_.rewrites, plan_.linux_cpu_build);
  if (plan_.torch.unpinned) return {torch_unpinned(*plan_.torch.unpinned)};
  return {};
}

Builder::Outcome Builder::download_requirements() {
  std::vector<std::string> common = {"--requirement", (scratch_ / "requirements.txt").string()};
  std::error_code error;
  if (fs::file_size(scratch_ / "constraints.txt", error) > 0)
    common.insert(common.end(), {"--constraint", (scratch_ / "constraints.txt").string()});
  if (!files_in(scratch_ / "stand-in").empty())
    common.insert(common.end(), {"--find-links", (scratch_ / "stand-in").string()});
  for (const auto& requirement : plan_.requirements) {
    if (requirement.kind == Requirement::Kind::option) common.push_back(requirement.text);
  }
  std::vector<std::string> wheels_only = {"--only-binary", ":all:"};
  std::set<std::string> from_source;
  bool cpu_index = false, sources = false;
  for (int attempt = 1;; ++attempt) {
    std::vector<std::string> arguments = common;
    const std::vector<std::string> formats =
        sources ? std::vector<std::string>{"--prefer-binary"} : wheels_only;
    arguments.insert(arguments.end(), formats.begin(), formats.end());
    if (cpu_index) arguments.insert(arguments.end(), {"--extra-index-url", kTorchCpuIndex});
    const Outcome outcome =
        download_into(wheels_, arguments, attempt == 1 ? "download" : "download-" + std::to_string(attempt));
    if (outcome.process.succeeded() || outcome.process.ending != Ending::exited) return outcome;
    const PipFailure failure = read_pip_log(outcome.text);
    const bool unresolved =
        failure.kind == PipFailure::Kind::no_distribution || failure.kind == PipFailure::Kind::conflict;
    // The CPU build of torch may lie on PyTorch's own index only.
    if (unresolved && plan_.linux_cpu_build && !cpu_index && failure.package == "torch" &&
        !plan_.torch.pinned.empty()) {
      if (release_without_mac(failure, plan_, *index_)) return outcome;
      cpu_index = true;
    } else if (failure.kind == PipFailure::Kind::no_distribution && failure.package != "torch" && !sources &&
               static_cast<int>(from_source.size()) < kMostSourcePackages &&
               from_source.insert(failure.package).second) {
      // Perhaps it has no wheel: its source archive then. To learn what that needs, pip runs its setup.py
      // here.
      wheels_only.insert(wheels_only.end(), {"--no-binary", failure.package});
    } else if (failure.kind == PipFailure::Kind::conflict && !names_stand_in(failure) && !sources) {
      // Releases that only a source archive has may fit.
      sources = true;
    } else {
      return outcome;
    }
    (void)remove_tree(wheels_);
    (void)make_folder(wheels_);
  }
}

Builder::Findings Builder::download_all() {
  std::string requirements, constraints;
  std::size_t count = 0;
  for (const auto& requirement : plan_.requirements) {
    if (requirement.kind != Requirement::Kind::package && requirement.kind != Requirement::Kind::url)
      continue;
    // pip would fill in a variable of its own environment, credentials in URLs included, and send it
    // anywhere.
    if (requirement.text.find("${") != std::string::npos) {
      Findings findings = {
          environment_finding("environment.file-refused",
                              "\"" + one_line(requirement.text) +
                                  "\" asks for a variable of this machine, which a requirement may not")};
      findings.back().place = requirement.place;
      return findings;
    }
    (requirement.constraint ? constraints : requirements) += requirement.text + "\n";
    if (!requirement.constraint) ++count;
  }
  if (count == 0) return {};
  for (const auto& line : plan_.torch.constraints)
    constraints += line + "\n";
  auto written = write_file(scratch_ / "requirements.txt", requirements);
  if (written) written = write_file(scratch_ / "constraints.txt", constraints);
  if (written) written = make_folder(scratch_ / "stand-in");
  if (!written) return disk_trouble(written.error());
  if (plan_.torch.pinned.empty()) {
    const Outcome made =
        run_script(kStandIn, {(scratch_ / "stand-in").string(), "torch", kTorchStandIn}, "stand-in");
    if (!made.process.succeeded()) return {explain(made)};
  }
  const std::string torch = torch_of(plan_.requirements);
  say("building the environment: " +
      (torch.empty()
           ? counted(count, "requirement") + " and what they need"
           : torch +
                 (request_.cuda ? " (with CUDA: several GB)" : " (about 200 MB to download, 1 GB on disk)") +
                 (count > 1 ? " and " + counted(count - 1, "other requirement") : "")));
  const Outcome outcome = download_requirements();
  if (!outcome.process.succeeded()) return {explain(outcome)};
  std::vector<std::string> sources;
  for (const auto& name : files_in(wheels_)) {
    if (name.starts_with("torch-" + std::string(kTorchStandIn))) {
      Findings findings = {torch_unpinned({})};
      for (const auto& line : lines_of(outcome.text)) {
        if (line.find("Collecting torch") != std::string::npos ||
            line.find("stand-in/torch-") != std::string::npos)
          findings.back().evidence.push_back(one_line(line));
      }
      return findings;
    }
    if (is_source_archive(name)) sources.push_back((wheels_ / name).string());
  }
  return sources.empty() ? Findings{} : download_build_requirements(sources);
}

Builder::Findings Builder::download_build_requirements(const std::vector<std::string>& sources) {
  const Outcome asked = run_script(kBuildRequirements, sources, "build-requirements");
  if (!asked.process.succeeded()) return {explain(asked)};
  std::vector<std::string> arguments = {"--only-binary", ":all:"};
  const auto wanted = lines_of(trim(asked.process.out.text()));
  if (wanted.empty()) return {};
  arguments.insert(arguments.end(), wanted.begin(), wanted.end());
  const Outcome outcome = download_into(build_wheels_, arguments, "download-build");
  if (outcome.process.succeeded()) return {};
  return {explain(outcome)};
}

Builder::Findings Builder::build_offline(const std::vector<std::string>& argv, const std::string& log) {
  std::set<std::string> brought;
  for (;;) {
    const Outcome outcome = run(argv, offline_, log);
    if (outcome.process.succeeded()) return {};
    const PipFailure failure = read_pip_log(outcome.text);
    const std::string& missed = failure.build_requirement;
    if (missed.empty() || static_cast<int>(brought.size()) == kMostBuildRequirements ||
        !brought.insert(missed).second)
      return {explain(outcome)};
    const Outcome more =
        download_into(build_wheels_, {"--only-binary", ":all:", missed}, "download-build-more");
    if (!more.process.succeeded()) return {explain(more)};
  }
}

Builder::Findings Builder::install_all() {
  std::string by_name;
  std::vector<std::string> arguments;
  std::size_t count = 0;
  for (const auto& name : files_in(wheels_)) {
    ++count;
    if (is_source_archive(name)) {
      arguments.push_back((wheels_ / name).string());
    } else if (const auto parts = split(name, '-'); parts.size() > 2) {
      // By name, so that the environment does not remember a folder that is gone.
      by_name += parts[0] + "==" + parts[1] + "\n";
    }
  }
  for (const auto& name : files_in(own_wheels_)) {
    ++count;
    arguments.push_back((own_wheels_ / name).string());
  }
  if (count == 0) return {};
  say("installing " + counted(count, "package"));
  const fs::path file = scratch_ / "resolved.txt";
  if (auto written = write_file(file, by_name); !written) return disk_trouble(written.error());
  if (!by_name.empty()) arguments.insert(arguments.begin(), {"--requirement", file.string()});
  return build_offline(pip_.install({wheels_, build_wheels_}, arguments), "install");
}

Builder::Findings Builder::check_torch() {
  if (plan_.torch.pinned.empty()) return {};
  for (const auto& package : installed_packages(plan_.folder)) {
    if (package.name != "torch") continue;
    const bool pinned =
        std::any_of(plan_.torch.pinned.begin(), plan_.torch.pinned.end(), [&](const std::string& version) {
          return canonical_version(version) == canonical_version(package.version);
        });
    if (!pinned)
      return {environment_finding("environment.torch-replaced",
                                  "torch " + package.version + " was installed, but " +
                                      join(plan_.torch.pinned, " or ") + " is pinned")};
  }
  return {};
}

}  // namespace mpsgate
