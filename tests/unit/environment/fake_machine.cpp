#include "fake_machine.h"

#include "base/json.h"
#include "base/text.h"

#include <algorithm>

namespace mpsgate {
namespace {

bool has(const std::vector<std::string>& argv, const std::string& word) {
  return std::find(argv.begin(), argv.end(), word) != argv.end();
}

ProcessResult said(int exit_code, const std::string& out, const std::string& err = {}) {
  ProcessResult result;
  result.ending = Ending::exited;
  result.exit_code = exit_code;
  result.out.head = out;
  result.out.bytes = out.size();
  result.err.head = err;
  result.err.bytes = err.size();
  return result;
}

}  // namespace

std::string value_after(const std::vector<std::string>& argv, const std::string& option) {
  const auto at = std::find(argv.begin(), argv.end(), option);
  return at == argv.end() || at + 1 == argv.end() ? "" : *(at + 1);
}

FakeMachine::FakeMachine() : folder_("fake-machine") {
  const fs::path path = python();
  (void)write_file(path, "#!/bin/false\n");
  fs::permissions(path, fs::perms::owner_all);
  fs::create_symlink("python3.11", path.parent_path() / "python3");
}

Variables FakeMachine::own() const {
  return {{"PATH", (folder_.path() / "bin").string()}, {"HOME", (folder_.path() / "home").string()}};
}

std::vector<ProcessRequest> FakeMachine::with(const std::string& word) const {
  std::vector<ProcessRequest> found;
  for (const auto& request : requests) {
    if (has(request.argv, word)) found.push_back(request);
  }
  return found;
}

ProcessResult FakeMachine::answer(const Answer& answer) const {
  return said(answer.exit_code, answer.out, answer.err);
}

void FakeMachine::install(const std::string& name_and_version, const fs::path& environment) const {
  const auto equals = name_and_version.find("==");
  const std::string name = name_and_version.substr(0, equals),
                    version_there = name_and_version.substr(equals + 2);
  const fs::path info =
      environment / "lib" / "python3.11" / "site-packages" / (name + "-" + version_there + ".dist-info");
  (void)write_file(info / "METADATA",
                   "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version_there + "\n\n");
  const bool native = name == "torch" || name.starts_with("native");
  (void)write_file(info / "WHEEL", native ? "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n"
                                          : "Wheel-Version: 1.0\nTag: py3-none-any\n");
}

ProcessResult FakeMachine::run(const ProcessRequest& request) {
  requests.push_back(request);
  if (on_any) on_any(request);
  const auto& argv = request.argv;
  if (argv[0].ends_with("mpsgate-fetch")) {
    const auto asked = parse_json(request.input, "the request");
    const std::string url = asked ? string_at(*asked, "url") : "";
    if (unreachable.contains(url))
      return said(0, R"({"error": {"code": "net.unreachable", "message": "index.example cannot be reached"}})"
                     "\n");
    const auto page = pages.find(url);
    const Page given = page == pages.end() ? Page{} : page->second;
    return said(0, dump_json({{"result",
                               {{"status", given.status},
                                {"body", given.body},
                                {"content_type", given.content_type},
                                {"final_url", url}}}}) +
                       "\n");
  }
  const bool private_pip = argv[0].find("/installers/") != std::string::npos;
  if (!argv[0].starts_with(folder_.path().string()) && !private_pip)
    return said(1, "", "no such Python here\n");
  if (argv.size() > 3 && argv[1] == "-I" && argv[2] == "-c") {
    if (argv[3].find("python_implementation") != std::string::npos) {
      return said(0, dump_json({{"version", version},
                                {"machine", machine},
                                {"platform", platform},
                                {"tag", "cp311"},
                                {"implementation", implementation},
                                {"pip", pip},
                                {"pip_folder", pip.empty() ? "" : "/x/site-packages/pip"}}));
    }
    if (argv[3].find("empty wheel") != std::string::npos) {
      (void)write_file(fs::path(argv[4]) / (argv[5] + "-" + argv[6] + "-py3-none-any.whl"), "stand-in");
      return said(0, "");
    }
    if (argv[3].find("depend on") != std::string::npos) return said(0, own_metadata);
    return said(0, "setuptools\nwheel\n");
  }
  if (argv.size() > 2 && argv[1] == "-c") return said(0, default_index + "\n");
  if (has(argv, "venv")) {
    (void)make_folder(fs::path(argv.back()) / "lib" / "python3.11" / "site-packages");
    (void)write_file(fs::path(argv.back()) / "bin" / "python", "");
    if (!has(argv, "--without-pip")) install("pip==23.0.1", argv.back());
    return said(0, "");
  }
  if (has(argv, "config")) return said(0, pip_config);
  if (has(argv, "download")) {
    const Answer given = on_download ? on_download(++downloads_, argv) : Answer{};
    if (given.exit_code == 0) {
      for (const auto& file : given.files)
        (void)write_file(fs::path(value_after(argv, "--dest")) / file, "package");
    }
    return answer(given);
  }
  if (has(argv, "wheel")) {
    (void)write_file(fs::path(value_after(argv, "--wheel-dir")) / "own-1.0-py3-none-any.whl", "package");
    return said(0, "");
  }
  if (has(argv, "install")) {
    const Answer given = on_install ? on_install(argv) : Answer{};
    const fs::path environment = fs::path(value_after(argv, "--python")).parent_path().parent_path();
    if (given.exit_code == 0) {
      for (const auto& line : lines_of(read_file(value_after(argv, "--requirement")).value_or("")))
        install(line, environment);
    }
    return answer(given);
  }
  return said(2, "", "unexpected: " + join(argv, " "));
}

}  // namespace mpsgate
