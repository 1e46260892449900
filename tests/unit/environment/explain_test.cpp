#include "environment/explain.h"

#include "base/files.h"
#include "fake_machine.h"

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Explain : public testing::Test {
 protected:
  Explain() {
    plan_.interpreter = {"/p/python3.11", "3.11.7", "x86_64", "linux-x86_64", "cp311", "23.2.1", ""};
    plan_.linux_cpu_build = true;
    exited_.ending = Ending::exited;
    exited_.exit_code = 1;
  }
  void lab_asks(const std::string& text, int line = 1) {
    plan_.requirements.push_back(parse_requirement(text, {"requirements.txt", line, 0}));
  }
  void protocol_asks(const std::string& text) {
    plan_.requirements.push_back(parse_requirement(text, {}));
    plan_.requirements.back().of_lab = false;
  }
  void index_offers(const std::string& project, const std::vector<std::string>& files) {
    std::string page;
    for (const auto& file : files)
      page += "<a href=\"x\">" + file + "</a>\n";
    machine_.pages["https://index.example/simple/" + project + "/"] = {200, page, "text/html"};
  }
  PackageIndex index() {
    IndexSettings settings;
    settings.urls = {"https://index.example/simple"};
    return PackageIndex(machine_, {}, settings, "/x/mpsgate-fetch");
  }
  Finding of(const PipFailure& failure) { return explain_failure(failure, exited_, plan_, index()); }
  Finding of_recording(const std::string& name) {
    const auto text = read_file(fs::path(MPSGATE_SOURCE_DIR) / "fixtures" / "pip" / (name + ".pip-26.3.txt"));
    EXPECT_TRUE(text);
    return of(read_pip_log(text.value_or("")));
  }

  FakeMachine machine_;
  BuildPlan plan_;
  ProcessResult exited_;
};

TEST_F(Explain, PinsOfTheLabThatExcludeEachOtherAreUnbuildable) {
  lab_asks("requests==2.31.0", 1);
  lab_asks("idna==2.0", 2);
  const auto finding = of_recording("conflict");
  EXPECT_STREQ(finding.row->id, "environment.unbuildable");
  EXPECT_THAT(finding.message, HasSubstr("idna==2.0; requests 2.31.0 depends on idna<4 and >=2.5"));
  EXPECT_EQ(finding.place, (Place{"requirements.txt", 2, 0}));
  EXPECT_FALSE(finding.evidence.empty());
}

TEST_F(Explain, APinOfTheProtocolIsTheProtocolsOwn) {
  lab_asks("requests==2.31.0");
  protocol_asks("idna==2.0");
  EXPECT_STREQ(of_recording("conflict").row->id, "environment.conflict-constraint");
}

TEST_F(Explain, APinOfTheProtocolAgainstOneOfTheLabIsTheProtocolsToo) {
  lab_asks("idna==3.4");
  protocol_asks("idna==3.6");
  EXPECT_STREQ(of_recording("conflict-same").row->id, "environment.conflict-constraint");
}

TEST_F(Explain, AConstraintOfTheMachineIsInconclusive) {
  lab_asks("requests==2.31.0");
  const auto finding = of_recording("constraint-depends");
  EXPECT_STREQ(finding.row->id, "environment.conflict-constraint");
  EXPECT_THAT(finding.message, HasSubstr("idna==2.0"));
}

TEST_F(Explain, AConstraintOfTheLabIsTheLabs) {
  lab_asks("requests==2.31.0");
  lab_asks("idna==2.0");
  plan_.requirements.back().constraint = true;
  EXPECT_STREQ(of_recording("constraint-depends").row->id, "environment.unbuildable");
}

TEST_F(Explain, AConflictWhileAConnectionFailsProvesNothing) {
  lab_asks("requests==2.31.0");
  lab_asks("idna==2.0");
  auto failure =
      read_pip_log(read_file(fs::path(MPSGATE_SOURCE_DIR) / "fixtures/pip/conflict.pip-23.2.txt").value());
  failure.network_trouble = true;
  EXPECT_STREQ(of(failure).row->id, "environment.index-unreachable");
}

TEST_F(Explain, AConflictWithoutTheLabsOwnIndexProvesNothing) {
  lab_asks("requests==2.31.0");
  lab_asks("idna==2.0");
  plan_.own_index = true;
  EXPECT_STREQ(of_recording("conflict").row->id, "environment.no-distribution");
}

TEST_F(Explain, TorchThatNobodyPinsIsNamedWithWhoNeedsIt) {
  lab_asks("timm==1.0.3");
  const auto finding = of_recording("torch-blocked");
  EXPECT_STREQ(finding.row->id, "environment.torch-unpinned");
  EXPECT_THAT(finding.message, HasSubstr("timm 1.0.3 needs torch"));
  // pip joins our constraint with one of the machine.
  PipFailure joined;
  joined.kind = PipFailure::Kind::conflict;
  joined.constraints = {"torch<=2.14.1,==9999+unpinned"};
  EXPECT_STREQ(of(joined).row->id, "environment.torch-unpinned");
}

TEST_F(Explain, AReleaseThatNobodyOffersIsUnbuildable) {
  lab_asks("six==99.0", 7);
  index_offers("six", {"six-1.16.0-py2.py3-none-any.whl", "six-1.16.0.tar.gz"});
  const auto finding = of_recording("no-such-version");
  EXPECT_STREQ(finding.row->id, "environment.unbuildable");
  EXPECT_EQ(finding.place, (Place{"requirements.txt", 7, 0}));
}

TEST_F(Explain, AReleaseForLinuxOnlyIsUnbuildable) {
  index_offers("six",
               {"six-99.0-cp312-cp312-manylinux_2_28_x86_64.whl", "six-99.0-cp311-none-win_amd64.whl"});
  const auto finding = of_recording("no-such-version");
  EXPECT_STREQ(finding.row->id, "environment.unbuildable");
  EXPECT_THAT(finding.message, HasSubstr("no wheel for macOS arm64 and no source archive"));
}

TEST_F(Explain, AReleaseForMacsIsThisMachinesMatter) {
  index_offers("six", {"six-99.0-cp311-cp311-macosx_11_0_arm64.whl"});
  EXPECT_STREQ(of_recording("no-such-version").row->id, "environment.no-distribution");
}

TEST_F(Explain, AReleaseForAnotherPythonNamesThePython) {
  index_offers("six", {"six-99.0-cp39-cp39-macosx_11_0_arm64.whl"});
  const auto finding = of_recording("no-such-version");
  EXPECT_STREQ(finding.row->id, "environment.python-refused");
  EXPECT_THAT(finding.message, HasSubstr("3.11.7"));
}

TEST_F(Explain, AReleaseThatRefusesThisPythonNamesThePython) {
  index_offers("numpy", {"numpy-2.2.6.tar.gz"});
  const auto text = read_file(fs::path(MPSGATE_SOURCE_DIR) / "fixtures/pip/python-index.pip-23.0.txt");
  EXPECT_STREQ(of(read_pip_log(text.value_or(""))).row->id, "environment.python-refused");
  EXPECT_STREQ(of_recording("python-source").row->id, "environment.python-refused");
}

TEST_F(Explain, AnUnknownPackageIsNotHeldAgainstTheLab) {
  EXPECT_STREQ(of_recording("unknown-project").row->id, "environment.no-distribution");
}

TEST_F(Explain, ABuildOfAnotherIndexIsNotHeldAgainstTheLab) {
  PipFailure failure;
  failure.kind = PipFailure::Kind::no_distribution;
  failure.package = "torchvision";
  failure.wanted = "torchvision==0.15.2+cu118";
  index_offers("torchvision", {"torchvision-0.15.2-cp311-cp311-macosx_11_0_arm64.whl"});
  const auto finding = of(failure);
  EXPECT_STREQ(finding.row->id, "environment.no-distribution");
  EXPECT_THAT(finding.remedy, HasSubstr("torchvision==0.15.2,"));
  index_offers("torchvision", {"torchvision-0.14.0-cp311-cp311-macosx_11_0_arm64.whl"});
  EXPECT_STREQ(of(failure).row->id, "environment.no-distribution");
}

TEST_F(Explain, AnIndexOutOfReachIsToldFromAnUnknownPackage) {
  machine_.unreachable.insert("https://index.example/simple/six/");
  EXPECT_STREQ(of_recording("unreachable").row->id, "environment.index-unreachable");
  EXPECT_STREQ(of_recording("no-such-version").row->id, "environment.index-unreachable");
}

TEST_F(Explain, AnOldTorchWithoutAMacWheelIsUnbuildable) {
  PipFailure failure;
  failure.kind = PipFailure::Kind::no_distribution;
  failure.package = "torch";
  failure.wanted = "torch==1.5.0+cpu";
  index_offers("torch", {"torch-1.5.0-cp38-none-macosx_10_9_x86_64.whl",
                         "torch-1.5.0-cp38-cp38-manylinux1_x86_64.whl"});
  EXPECT_TRUE(release_without_mac(failure, plan_, index()));
  EXPECT_STREQ(of(failure).row->id, "environment.unbuildable");
  failure.wanted = "torch==2.2.0+cpu";
  index_offers("torch", {"torch-2.2.0-cp311-none-macosx_11_0_arm64.whl"});
  EXPECT_FALSE(release_without_mac(failure, plan_, index()));
  EXPECT_STREQ(of(failure).row->id, "environment.no-distribution");
  failure.network_trouble = true;
  EXPECT_STREQ(of(failure).row->id, "environment.index-unreachable");
}

TEST_F(Explain, ABuildThatFailsNamesThePackageAndItsLastWords) {
  lab_asks("mpsgate-latebang==1.0", 3);
  const auto finding = of_recording("build-compile");
#ifdef __APPLE__
  EXPECT_STREQ(finding.row->id, "environment.unbuildable");
#else
  EXPECT_STREQ(finding.row->id, "environment.build-failed");
#endif
  EXPECT_THAT(finding.message, HasSubstr("mpsgate-latebang"));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("gcc")));
  EXPECT_EQ(finding.place.line, 3);
}

TEST_F(Explain, AFullDiskAndATimeOutAreTheMachines) {
  EXPECT_STREQ(of_recording("disk-full").row->id, "environment.disk-full");
  exited_.ending = Ending::timed_out;
  EXPECT_STREQ(of_recording("conflict").row->id, "environment.timeout");
}

TEST_F(Explain, EvidenceHidesCredentials) {
  PipFailure failure;
  failure.evidence = {"Looking in indexes: https://me:secret@h/simple"};
  EXPECT_THAT(of(failure).evidence, Contains("Looking in indexes: https://***@h/simple"));
}

TEST(MacMarker, ExcludesAMacOnlyWhereThatIsCertain) {
  for (const char* marker :
       {"sys_platform == 'linux'", "platform_system==\"Linux\" and python_version<'3.12'",
        "platform_machine == 'x86_64'", "sys_platform != 'darwin'"})
    EXPECT_TRUE(excludes_mac(marker)) << marker;
  for (const char* marker :
       {"", "sys_platform == 'darwin'", "sys_platform == 'linux' or sys_platform == 'darwin'",
        "sys_platform != 'win32'", "python_version < '3.12'"})
    EXPECT_FALSE(excludes_mac(marker)) << marker;
}

class Prediction : public Explain {
 protected:
  std::vector<Finding> predict() { return predict_mac(plan_, packages_, index()); }
  std::vector<Package> packages_ = {{"nvidia-nccl", "2.0", "py3-none-manylinux2014_x86_64"},
                                    {"torch", "2.13.0+cpu", "cp311-cp311-manylinux_2_28_x86_64"},
                                    {"six", "1.16.0", "py3-none-any"}};
};

TEST_F(Prediction, NamesAPinThatNoMacCanInstall) {
  lab_asks("nvidia-nccl==2.0", 4);
  index_offers("nvidia-nccl", {"nvidia_nccl-2.0-py3-none-manylinux2014_x86_64.whl"});
  const auto findings = predict();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_STREQ(findings[0].row->id, "environment.unbuildable");
  EXPECT_EQ(findings[0].place.line, 4);
}

TEST_F(Prediction, AsksOnlyAboutExactPinsThatCameForLinuxAndReachAMac) {
  lab_asks("six==1.16.0");
  lab_asks("nvidia-nccl>=1");
  lab_asks("nvidia-nccl==2.0; sys_platform == 'linux'");
  EXPECT_TRUE(predict().empty());
  EXPECT_TRUE(machine_.requests.empty());
}

TEST_F(Prediction, TakesTorchByItsRelease) {
  lab_asks("torch==2.13.0+cpu");
  index_offers("torch", {"torch-2.13.0-cp311-none-macosx_11_0_arm64.whl"});
  EXPECT_TRUE(predict().empty());
  index_offers("torch", {"torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl"});
  ASSERT_EQ(predict().size(), 1u);
  EXPECT_STREQ(predict()[0].row->id, "environment.unbuildable");
}

TEST_F(Prediction, WithoutAnAnswerIsANote) {
  lab_asks("nvidia-nccl==2.0");
  machine_.unreachable.insert("https://index.example/simple/nvidia-nccl/");
  const auto findings = predict();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row->weight, Weight::note);
}

}  // namespace
}  // namespace mpsgate
