// With the machine's own Python and pip, and no network: what the fakes assume is so.
#include "base/files.h"
#include "base/text.h"
#include "environment/environment.h"
#include "process/variables.h"

#include <gmock/gmock.h>

namespace mpsgate {

extern const std::string_view kBuildRequirements;
extern const std::string_view kStandIn;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A build backend of its own: needs neither setuptools nor the network. Writes what it sees into what it
/// builds.
constexpr const char* kBackend = R"PY(
import json, os, zipfile

def get_requires_for_build_wheel(config_settings=None):
    return []

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = "spy-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        wheel.writestr("spy_environment.json", json.dumps(dict(os.environ)))
        wheel.writestr("spy-1.0.dist-info/METADATA",
                       "Metadata-Version: 2.1\nName: spy\nVersion: 1.0\nRequires-Dist: helper>=1\n"
                       "Requires-Dist: never; extra == 'never'\n")
        wheel.writestr("spy-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("spy-1.0.dist-info/RECORD", "")
    return name
)PY";
constexpr const char* kProject =
    "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    "[project]\nname = 'spy'\nversion = '1.0'\ndependencies = ['helper>=1']\n";

class Real : public testing::Test {
 protected:
  Real() {
    request_.wanted = &wanted_;
    request_.checkout = folder_.path() / "checkout";
    request_.tree = "tree";
    request_.cache = folder_.path() / "cache";
    request_.logs = folder_.path() / "logs";
    request_.own = own_variables();
    std::erase_if(request_.own, [](const auto& entry) { return entry.first.starts_with("PIP_"); });
    request_.own["PIP_CONFIG_FILE"] = "/dev/null";
    request_.own["PIP_NO_INDEX"] = "1";
    request_.own["PIP_FIND_LINKS"] = links_.string();
    fs::create_directories(request_.checkout);
    fs::create_directories(links_);
  }
  ProcessResult python(const std::string& program, const std::vector<std::string>& argv) {
    ProcessRequest request;
    request.argv = {program};
    request.argv.insert(request.argv.end(), argv.begin(), argv.end());
    request.environment = lab_variables(request_.own, folder_.path());
    return supervisor_.run(request);
  }
  void make_wheel(const std::string& name, const std::string& version) {
    const auto made = python("/usr/bin/env",
                             {"python3", "-I", "-c", std::string(kStandIn), links_.string(), name, version});
    ASSERT_TRUE(made.succeeded()) << made.err.text();
  }
  EnvironmentOutcome provide() { return provide_environment(supervisor_, request_); }
  static std::string told(const EnvironmentOutcome& outcome) {
    std::string text;
    for (const auto& finding : outcome.findings)
      text +=
          std::string(finding.row->id) + ": " + finding.message + "\n" + join(finding.evidence, "\n") + "\n";
    return text;
  }
  static std::vector<std::string> names(const BuiltEnvironment& environment) {
    std::vector<std::string> found;
    for (const auto& package : environment.packages)
      found.push_back(package.name + "==" + package.version);
    return found;
  }

  TemporaryFolder folder_;
  fs::path links_ = folder_.path() / "links";
  Protocol::Environment wanted_;
  EnvironmentRequest request_;
  Supervisor supervisor_;
};

TEST_F(Real, AnEmptyEnvironmentHasAPythonAndNothingElse) {
  const auto outcome = provide();
  ASSERT_TRUE(outcome.environment) << told(outcome);
  const auto asked =
      python(outcome.environment->python.string(),
             {"-c", "import sys, importlib.metadata as m; print(sys.prefix, len(list(m.distributions())))"});
  ASSERT_TRUE(asked.succeeded()) << asked.err.text();
  EXPECT_EQ(trim(asked.out.text()), outcome.environment->folder.string() + " 0");
  EXPECT_TRUE(outcome.environment->packages.empty());
}

TEST_F(Real, APackageIsInstalledAndTheEnvironmentUsedAgain) {
  make_wheel("helper", "1.0");
  make_wheel("helper", "1.5");
  wanted_.packages = {"helper==1.0"};
  const auto first = provide();
  ASSERT_TRUE(first.environment) << told(first);
  EXPECT_THAT(names(*first.environment), ElementsAre("helper==1.0"));
  const auto asked = python(first.environment->python.string(),
                            {"-c", "import importlib.metadata as m; print(m.version('helper'))"});
  EXPECT_EQ(trim(asked.out.text()), "1.0");
  const auto second = provide();
  ASSERT_TRUE(second.environment);
  EXPECT_TRUE(second.environment->reused);
  EXPECT_EQ(environment_state(second.environment->folder), environment_state(first.environment->folder));
}

/// The promise of the two phases: what builds the lab's code sees no credential, no proxy and no setting.
TEST_F(Real, TheLabsOwnBuildSeesNoCredentials) {
  make_wheel("helper", "1.0");
  ASSERT_TRUE(write_file(request_.checkout / "backend.py", kBackend));
  ASSERT_TRUE(write_file(request_.checkout / "pyproject.toml", kProject));
  request_.own["PIP_EXTRA_INDEX_URL"] = "https://me:secret-token@127.0.0.1:9/simple";
  request_.own["HTTPS_PROXY"] = "http://me:secret-token@127.0.0.1:9";
  request_.own["LAB_TOKEN"] = "secret-token";
  wanted_.install = ".";
  const auto outcome = provide();
  ASSERT_TRUE(outcome.environment) << told(outcome);
  EXPECT_THAT(names(*outcome.environment), ElementsAre("helper==1.0", "spy==1.0"));
  const auto seen =
      python(outcome.environment->python.string(),
             {"-c",
              "import sys, os; print(open([p for p in sys.path if p.endswith('site-packages')][0] + "
              "'/spy_environment.json').read())"});
  ASSERT_TRUE(seen.succeeded()) << seen.err.text();
  const std::string text = seen.out.text();
  EXPECT_THAT(text, HasSubstr("PIP_NO_INDEX"));
  EXPECT_THAT(text, Not(HasSubstr("secret-token")));
  EXPECT_THAT(text, Not(HasSubstr("PROXY")));
  EXPECT_FALSE(fs::exists(request_.checkout / "build"));
}

TEST_F(Real, TorchThatAPackageBringsIsCaught) {
  ASSERT_TRUE(write_file(request_.checkout / "backend.py", replace_all(kBackend, "helper>=1", "torch>=2")));
  ASSERT_TRUE(write_file(request_.checkout / "pyproject.toml", kProject));
  wanted_.install = ".";
  const auto outcome = provide();
  EXPECT_FALSE(outcome.environment);
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_STREQ(outcome.findings[0].row->id, "environment.torch-unpinned") << told(outcome);
}

TEST_F(Real, PinsThatExcludeEachOtherAreFound) {
  make_wheel("helper", "1.0");
  make_wheel("helper", "2.0");
  ASSERT_TRUE(write_file(request_.checkout / "r.txt", "helper==1.0\nhelper==2.0\n"));
  wanted_.files = {"r.txt"};
  const auto outcome = provide();
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_STREQ(outcome.findings[0].row->id, "environment.unbuildable") << told(outcome);
}

TEST_F(Real, BuildRequirementsAreReadWithoutRunningCode) {
  ASSERT_TRUE(write_file(folder_.path() / "a/pyproject.toml",
                         "[build-system]\nrequires = ['flit_core >=3', \"wheel\"]\n"));
  ASSERT_TRUE(write_file(folder_.path() / "b/setup.py", "raise SystemExit('ran')\n"));
  ASSERT_TRUE(write_file(folder_.path() / "c/pyproject.toml", "[build-system\nrequires = 3"));
  ASSERT_TRUE(write_file(folder_.path() / "d.tar.gz", "no archive"));
  ASSERT_TRUE(write_file(folder_.path() / "e.zip", "no archive"));
  ASSERT_TRUE(write_file(folder_.path() / "f/pyproject.toml",
                         "[build-system]\nrequires = ['--index-url=https://evil']\n"));
  std::vector<std::string> argv = {"python3", "-I", "-c", std::string(kBuildRequirements)};
  for (const char* name : {"a", "b", "c", "d.tar.gz", "e.zip", "f", "nowhere.tar.gz"})
    argv.push_back((folder_.path() / name).string());
  const auto asked = python("/usr/bin/env", argv);
  ASSERT_TRUE(asked.succeeded()) << asked.err.text();
  EXPECT_THAT(lines_of(asked.out.text()), ElementsAre("flit_core >=3", "setuptools", "wheel"));
}

}  // namespace
}  // namespace mpsgate
