#include "environment/builder.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "environment/dist_info.h"
#include "environment/findings.h"
#include "environment/index.h"
#include "environment/pip_log.h"
#include "fetch/fetch.h"
#include "process/variables.h"

#include <algorithm>

namespace mpsgate {

extern const std::string_view kBuildRequirements;

namespace {

/// PyTorch's own index of CPU builds, asked only where pip as configured does not have the build.
constexpr const char* kTorchCpuIndex = "https://download.pytorch.org/whl/cpu";
constexpr const char* kIndexAccept = "application/vnd.pypi.simple.v1+json, text/html;q=0.5";

bool is_local(const Requirement& requirement) {
  return requirement.name.empty() &&
         (requirement.text.starts_with(".") || requirement.text.starts_with("-e ") ||
          requirement.text.starts_with("--editable"));
}

std::string local_path(const Requirement& requirement) {
  std::string text = requirement.text;
  for (const char* option : {"-e ", "--editable ", "--editable="}) {
    if (text.starts_with(option)) text = text.substr(std::string_view(option).size());
  }
  text = std::string(trim(text));
  return text.substr(0, text.find('['));
}

}  // namespace

Builder::Builder(ProcessRunner& processes, const EnvironmentRequest& request, BuildPlan& plan)
    : processes_(processes),
      request_(request),
      plan_(plan),
      scratch_(plan.folder.string() + ".build"),
      wheels_(scratch_ / "wheels"),
      deadline_(SystemClock().seconds() + request.seconds) {
  settings_ = installer_variables(request.own, scratch_ / "home");
  if (const auto path = request.own.find("PATH"); path != request.own.end()) settings_["PATH"] = path->second;
  settings_["PIP_NO_INPUT"] = "1";
  settings_["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  settings_["PIP_PROGRESS_BAR"] = "off";
  settings_["PIP_NO_COLOR"] = "1";
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
  Outcome outcome{processes_.run(process), {}};
  outcome.text = outcome.process.out.text() + "\n" + outcome.process.err.text();
  return outcome;
}

Variables Builder::scrubbed() const {
  Variables variables = lab_variables(request_.own, scratch_ / "home");
  variables["PIP_CONFIG_FILE"] = "/dev/null";  // no file of settings at all, pip's documentation says
  variables["PIP_NO_INPUT"] = "1";
  variables["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  variables["PIP_PROGRESS_BAR"] = "off";
  variables["PIP_NO_COLOR"] = "1";
  return variables;
}

std::vector<Finding> Builder::build() {
  const auto wrong = [](const Error& error) {
    return std::vector<Finding>{environment_finding(
        error.code == "disk.full" ? "environment.disk-full" : "environment.failed", error.message)};
  };
  for (const auto& folder : {plan_.folder, scratch_}) {
    if (auto removed = remove_tree(folder); !removed) return wrong(removed.error());
  }
  for (const auto& folder : {wheels_, scratch_ / "home" / "tmp", request_.logs}) {
    if (auto made = make_folder(folder); !made) return wrong(made.error());
  }
  std::vector<Finding> findings;
  const Outcome venv =
      run({plan_.interpreter.path.string(), "-m", "venv", "--without-pip", plan_.folder.string()}, scrubbed(),
          "venv");
  if (!venv.process.succeeded()) {
    findings.push_back(
        environment_finding("environment.failed", "python -m venv ended with " + venv.process.description()));
    findings.back().evidence = last_lines(venv.text, 3);
    return findings;
  }
  const bool needs_pip = !plan_.requirements.empty() || !request_.wanted->install.empty();
  if (needs_pip) {
    if (!find_installer(findings)) return findings;
    index_ = index_url(processes_, python_, settings_);
    using Phase = std::vector<Finding> (Builder::*)();
    for (const Phase phase :
         {&Builder::download_all, &Builder::download_build_requirements, &Builder::install_all}) {
      findings = (this->*phase)();
      if (!findings.empty()) return findings;
    }
    findings = check_torch();
    if (!findings.empty()) return findings;
    if (plan_.linux_cpu_build) findings = predict_mac();
  }
  complete_ = true;
  (void)remove_tree(scratch_);
  return findings;
}

bool Builder::find_installer(std::vector<Finding>& findings) {
  python_ = plan_.interpreter.path.string();
  installer_ = "pip " + plan_.interpreter.pip;
  if (!plan_.interpreter.pip.empty()) return true;
  // A system Python without pip: a private environment whose only use is its pip.
  const fs::path folder =
      request_.cache / "installers" /
      (plan_.interpreter.tag + "-" + plan_.interpreter.version + "-" + plan_.interpreter.architecture);
  python_ = (folder / "bin" / "python").string();
  std::vector<Package> packages = installed_packages(folder);
  if (packages.empty()) {
    if (request_.say) request_.say("preparing pip for Python " + plan_.interpreter.version);
    const Outcome made = run({plan_.interpreter.path.string(), "-m", "venv", "--clear", folder.string()},
                             settings_, "installer");
    if (!made.process.succeeded()) {
      findings.push_back(
          environment_finding("environment.python-missing",
                              "Python " + plan_.interpreter.version + " has neither pip nor ensurepip"));
      findings.back().remedy = "install them: apt install python3-pip python3-venv";
      findings.back().evidence = last_lines(made.text, 3);
      return false;
    }
    packages = installed_packages(folder);
  }
  for (const auto& package : packages) {
    if (package.name == "pip") installer_ = "pip " + package.version;
  }
  return true;
}

Builder::Outcome Builder::download(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<std::string> argv = {python_, "-m", "pip", "download", "--dest", wheels_.string()};
  if (!plan_.torch.constraint.empty())
    argv.insert(argv.end(), {"--constraint", (scratch_ / "constraints.txt").string()});
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv, settings_, log);
}

std::vector<Finding> Builder::download_all() {
  std::string requirements;
  std::size_t count = 0;
  bool torch = false;
  for (const auto& requirement : plan_.requirements) {
    if (is_local(requirement)) continue;
    requirements += requirement.text + "\n";
    torch = torch || requirement.name == "torch";
    ++count;
  }
  const fs::path file = scratch_ / "requirements.txt";
  auto written = write_file(file, requirements);
  if (written) written = write_file(scratch_ / "constraints.txt", plan_.torch.constraint + "\n");
  if (!written) return {environment_finding("environment.failed", written.error().message)};
  if (count == 0) return {};
  if (request_.say) {
    request_.say(
        "building the environment: " + std::to_string(count) +
        (count == 1 ? " requirement" : " requirements") +
        (torch ? ", with " + plan_.torch.constraint + " (about 200 MB to download, 1 GB on disk)" : ""));
  }
  const std::vector<std::string> wheels_only = {"--only-binary", ":all:", "--requirement", file.string()};
  const std::vector<std::string> cpu_index = {"--extra-index-url", kTorchCpuIndex};
  Outcome outcome = download(wheels_only, "download");
  if (outcome.process.succeeded()) return {};
  // The CPU build may lie on PyTorch's own index only.
  const bool lacks_torch =
      plan_.linux_cpu_build && torch && outcome.text.find(plan_.torch.constraint) != std::string::npos;
  std::vector<std::string> extra;
  if (lacks_torch && outcome.process.ending == Ending::exited) {
    extra = cpu_index;
    auto arguments = wheels_only;
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const Outcome again = download(arguments, "download-cpu");
    if (again.process.succeeded()) return {};
    if (again.text.find(plan_.torch.constraint) == std::string::npos) outcome = again;
  }
  if (outcome.process.ending == Ending::exited &&
      read_pip_log(outcome.text).kind == PipFailure::Kind::no_distribution) {
    // Some package has no wheel: source archives too. To learn what they need, pip may run their setup.py
    // here.
    std::vector<std::string> arguments = {"--requirement", file.string()};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const Outcome with_sources = download(arguments, "download-sources");
    if (with_sources.process.succeeded()) return {};
    return {explain(with_sources)};
  }
  return {explain(outcome)};
}

std::vector<std::string> Builder::archives() const {
  std::vector<std::string> found;
  for (const auto& [name, state] : list_files(wheels_)) {
    if (name.ends_with(".tar.gz") || name.ends_with(".zip")) found.push_back((wheels_ / name).string());
  }
  return found;
}

std::vector<Finding> Builder::download_build_requirements() {
  std::vector<std::string> sources = archives();
  for (const auto& requirement : plan_.requirements) {
    if (is_local(requirement)) sources.push_back((request_.checkout / local_path(requirement)).string());
  }
  if (!request_.wanted->install.empty())
    sources.push_back((request_.checkout / request_.wanted->install).string());
  if (sources.empty()) return {};
  std::vector<std::string> argv = {python_, "-I", "-c", std::string(kBuildRequirements)};
  argv.insert(argv.end(), sources.begin(), sources.end());
  const Outcome asked = run(argv, scrubbed(), "build-requirements");
  std::vector<std::string> arguments = {"--only-binary", ":all:"};
  for (const auto& line : lines_of(asked.process.out.text()))
    arguments.push_back(line);
  const Outcome outcome = download(arguments, "download-build");
  if (outcome.process.succeeded()) return {};
  return {explain(outcome)};
}

std::vector<Finding> Builder::install_all() {
  const std::vector<std::string> pip = {
      python_,   "-m",         "pip",          "--python",      (plan_.folder / "bin" / "python").string(),
      "install", "--no-index", "--find-links", wheels_.string()};
  const auto install = [&](std::vector<std::string> arguments,
                           const std::string& log) -> std::vector<Finding> {
    std::vector<std::string> argv = pip;
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(argv, scrubbed(), log);
    if (outcome.process.succeeded()) return {};
    return {explain(outcome)};
  };
  const bool any = std::any_of(plan_.requirements.begin(), plan_.requirements.end(),
                               [](const auto& requirement) { return !is_local(requirement); });
  if (any) {
    if (auto findings = install({"--requirement", (scratch_ / "requirements.txt").string(), "--constraint",
                                 (scratch_ / "constraints.txt").string()},
                                "install");
        !findings.empty())
      return findings;
  }
  // The lab's own folders are built in a copy: the checkout stays as the commit has it.
  std::vector<std::string> own;
  for (const auto& requirement : plan_.requirements) {
    if (is_local(requirement)) own.push_back(local_path(requirement));
  }
  if (!request_.wanted->install.empty()) own.push_back(request_.wanted->install);
  if (own.empty()) return {};
  if (auto copied = copy_tree(request_.checkout, scratch_ / "checkout"); !copied)
    return {environment_finding("environment.failed", copied.error().message)};
  for (const auto& folder : own) {
    const auto path = path_inside(scratch_ / "checkout", scratch_ / "checkout", folder);
    if (!path) return {environment_finding("environment.file-missing", path.error().message)};
    if (!fs::exists(*path))
      return {environment_finding("environment.file-missing",
                                  "the commit has no folder " + folder + " to install")};
    if (auto findings = install({"--no-deps", path->string()}, "install-own"); !findings.empty())
      return findings;
  }
  return {};
}

std::vector<Finding> Builder::check_torch() const {
  if (plan_.torch.constraint.empty()) return {};
  for (const auto& package : installed_packages(plan_.folder)) {
    if (package.name != "torch" || "torch==" + package.version == plan_.torch.constraint) continue;
    return {environment_finding(
        "environment.torch-replaced",
        "torch " + package.version + " was installed, " + plan_.torch.constraint + " is pinned")};
  }
  return {};
}

std::optional<std::vector<std::string>> Builder::ask_index(const std::string& project, Error& error) {
  std::string url = index_;
  while (!url.empty() && url.back() == '/')
    url.pop_back();
  const auto page = get_page(processes_, settings_, url + "/" + project + "/", kIndexAccept);
  if (!page) {
    error = page.error();
    return std::nullopt;
  }
  if (page->status == 404) return std::vector<std::string>{};
  if (page->status != 200) {
    error = {"net.status", "the index answered with status " + std::to_string(page->status), "", {}};
    return std::nullopt;
  }
  return index_files(page->body, page->content_type);
}

Finding Builder::explain_no_distribution(const PipFailure& failure) {
  Error error;
  const auto files = ask_index(failure.package, error);
  if (!files)
    return environment_finding("environment.index-unreachable", "the package index could not be asked for " +
                                                                    failure.package + ": " + error.message);
  const Requirement wanted = parse_requirement(failure.wanted, {});
  if (files->empty())
    return environment_finding("environment.no-distribution",
                               "the index knows no package " + failure.package);
  if (wanted.pinned.empty())
    return environment_finding(
        "environment.no-distribution",
        "no release of " + failure.package + " on the index fits " + failure.wanted + " and this Python");
  const std::string release =
      wanted.name == "torch" ? wanted.pinned.substr(0, wanted.pinned.find('+')) : wanted.pinned;
  const MacOffer offer = mac_offer(*files, failure.package, release);
  if (!offer.version_known)
    return environment_finding("environment.unbuildable",
                               "the index has no " + failure.wanted + " for any machine");
  if (!offer.installable())
    return environment_finding("environment.unbuildable",
                               failure.wanted + " has no wheel for macOS arm64 and no source archive");
#ifdef __APPLE__
  return environment_finding("environment.unbuildable",
                             failure.wanted + " has no distribution for this Python on macOS arm64");
#else
  return environment_finding(
      "environment.no-distribution",
      failure.wanted + " has no distribution for this machine, though the index has one for macOS arm64");
#endif
}

Finding Builder::explain(const Outcome& outcome) {
  if (outcome.process.ending == Ending::timed_out)
    return environment_finding("environment.timeout", "pip was ended: " + outcome.process.description());
  const PipFailure failure = read_pip_log(outcome.text);
  const std::string package = failure.package.empty() ? "a package" : failure.package;
  const bool of_protocol =
      std::any_of(request_.wanted->packages.begin(), request_.wanted->packages.end(),
                  [&](const auto& text) { return parse_requirement(text, {}).name == failure.package; }) ||
      request_.wanted->replace.contains(failure.package);
  Finding finding =
      environment_finding("environment.failed", "pip ended with " + outcome.process.description());
  switch (failure.kind) {
    case PipFailure::Kind::conflict:
      finding = environment_finding(
          of_protocol ? "environment.conflict-constraint" : "environment.unbuildable",
          "the requirements exclude each other: " + package + " cannot be installed beside the others");
      break;
    case PipFailure::Kind::constraint_conflict:
      finding = environment_finding("environment.conflict-constraint",
                                    package + " excludes a version that is held fixed");
      break;
    case PipFailure::Kind::no_distribution:
      finding = explain_no_distribution(failure);
      break;
    case PipFailure::Kind::python_version:
      finding = environment_finding("environment.python-refused",
                                    package + " refuses Python " + plan_.interpreter.version);
      break;
    case PipFailure::Kind::build:
#ifdef __APPLE__
      finding = environment_finding("environment.unbuildable",
                                    package + " could not be built from its source archive on macOS");
#else
      finding = environment_finding("environment.build-failed",
                                    package + " could not be built from its source archive on this machine");
#endif
      break;
    case PipFailure::Kind::disk_full:
      finding =
          environment_finding("environment.disk-full", "the disk filled up while packages were installed");
      break;
    case PipFailure::Kind::network:
      finding = environment_finding("environment.index-unreachable", "pip could not reach the package index");
      break;
    case PipFailure::Kind::unknown:
      break;
  }
  finding.evidence = failure.evidence;
  for (auto& line : finding.evidence)
    line = hide_credentials(line);
  return finding;
}

std::vector<Finding> Builder::predict_mac() {
  std::vector<Finding> findings;
  const auto packages = installed_packages(plan_.folder);
  for (const auto& requirement : plan_.requirements) {
    if (requirement.pinned.empty() || requirement.name == "torch") continue;
    // A requirement that is not for a Mac, or that is the same everywhere, needs no question.
    const std::string marker = replace_all(requirement.marker, "\"", "'");
    if (marker.find("'linux'") != std::string::npos || marker.find("'Linux'") != std::string::npos ||
        marker.find("x86_64") != std::string::npos)
      continue;
    const auto installed = std::find_if(packages.begin(), packages.end(), [&](const auto& package) {
      return package.name == requirement.name;
    });
    if (installed == packages.end() || installed->wheel_tag.find("linux") == std::string::npos) continue;
    Error error;
    const auto files = ask_index(requirement.name, error);
    if (!files) {
      findings.push_back(environment_finding(
          "environment.mac-unknown",
          "the index could not be asked what it offers a Mac of " + requirement.text + ": " + error.message));
      continue;
    }
    const MacOffer offer = mac_offer(*files, requirement.name, requirement.pinned);
    if (!offer.version_known || offer.installable()) continue;
    findings.push_back(environment_finding(
        "environment.unbuildable", requirement.text + " has no wheel for macOS arm64 and no source archive"));
    findings.back().place = requirement.place;
  }
  return findings;
}

}  // namespace mpsgate
