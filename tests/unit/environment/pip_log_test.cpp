#include "environment/pip_log.h"

#include "base/files.h"
#include "base/text.h"

#include <random>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = PipFailure::Kind;

std::string recorded(const std::string& name) {
  const auto text = read_file(fs::path(MPSGATE_SOURCE_DIR) / "fixtures" / "pip" / name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

/// Every recording of a case: pip 23.2 and 26.3 word some failures differently.
struct Recording {
  std::string name;
  PipFailure failure;
};
std::vector<Recording> recordings(const std::string& name) {
  std::vector<Recording> found;
  for (const auto& entry : fs::directory_iterator(fs::path(MPSGATE_SOURCE_DIR) / "fixtures" / "pip")) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(name + ".pip-")) found.push_back({file, read_pip_log(recorded(file))});
  }
  EXPECT_FALSE(found.empty()) << name;
  return found;
}

TEST(PipLog, PinsThatExcludeEachOther) {
  for (const auto& [name, failure] : recordings("conflict")) {
    EXPECT_EQ(failure.kind, Kind::conflict) << name;
    EXPECT_EQ(failure.package, "idna") << name;
    EXPECT_THAT(failure.parties, ElementsAre("idna==2.0", "requests 2.31.0 depends on idna<4 and >=2.5"))
        << name;
    EXPECT_TRUE(failure.constraints.empty()) << name;
    EXPECT_FALSE(failure.network_trouble) << name;
  }
  for (const auto& [name, failure] : recordings("conflict-same")) {
    EXPECT_EQ(failure.kind, Kind::conflict) << name;
    EXPECT_THAT(failure.parties, ElementsAre("idna==3.4", "idna==3.6")) << name;
  }
  for (const auto& [name, failure] : recordings("conflict-file")) {
    EXPECT_EQ(failure.kind, Kind::conflict) << name;
    EXPECT_EQ(failure.package, "idna") << name;
  }
  for (const auto& [name, failure] : recordings("conflict-transitive")) {
    EXPECT_EQ(failure.kind, Kind::conflict) << name;
    EXPECT_THAT(failure.parties, Contains("botocore 1.29.0 depends on urllib3<1.27 and >=1.25.4")) << name;
  }
}

TEST(PipLog, AConstraintThatIsInTheWay) {
  for (const auto& [name, failure] : recordings("constraint")) {
    EXPECT_EQ(failure.kind, Kind::conflict) << name;
    EXPECT_THAT(failure.constraints, ElementsAre("idna==3.4")) << name;
    EXPECT_THAT(failure.parties, ElementsAre("idna>=3.6")) << name;
  }
  for (const auto& [name, failure] : recordings("constraint-depends")) {
    EXPECT_THAT(failure.constraints, ElementsAre("idna==2.0")) << name;
    EXPECT_THAT(failure.parties, ElementsAre("requests 2.31.0 depends on idna<4 and >=2.5")) << name;
  }
  for (const auto& [name, failure] : recordings("torch-blocked"))
    EXPECT_THAT(failure.constraints, ElementsAre("torch==9999+unpinned")) << name;
}

TEST(PipLog, AConstraintThatIsNotInTheWay) {
  for (const auto& [name, failure] : recordings("constraint-innocent")) {
    EXPECT_EQ(failure.kind, Kind::no_distribution) << name;
    EXPECT_EQ(failure.package, "six") << name;
    EXPECT_EQ(failure.wanted, "six==98.0") << name;
  }
}

TEST(PipLog, NothingThatFits) {
  for (const auto& [name, failure] : recordings("no-such-version")) {
    EXPECT_EQ(failure.kind, Kind::no_distribution) << name;
    EXPECT_EQ(failure.package, "six") << name;
    EXPECT_EQ(failure.wanted, "six==99.0") << name;
    EXPECT_THAT(failure.offered, HasSubstr("1.16.0")) << name;
    EXPECT_THAT(failure.evidence, Contains("ERROR: No matching distribution found for six==99.0")) << name;
  }
  for (const char* same : {"unknown-project", "only-source"}) {
    for (const auto& [name, failure] : recordings(same)) {
      EXPECT_EQ(failure.kind, Kind::no_distribution) << name;
      EXPECT_EQ(failure.offered, "none") << name;
      EXPECT_FALSE(failure.network_trouble) << name;
    }
  }
  for (const auto& [name, failure] : recordings("torch-cpu-absent")) {
    EXPECT_EQ(failure.kind, Kind::no_distribution) << name;
    EXPECT_EQ(failure.wanted, "torch==2.13.0+cpu") << name;
  }
}

TEST(PipLog, ANetworkThatFailsLooksAlikeButForItsTrouble) {
  for (const char* same : {"unreachable", "unreachable-name", "dead-proxy"}) {
    for (const auto& [name, failure] : recordings(same)) {
      EXPECT_EQ(failure.kind, Kind::no_distribution) << name;
      EXPECT_TRUE(failure.network_trouble) << name;
    }
  }
  for (const auto& [name, failure] : recordings("git-unreachable")) {
    EXPECT_EQ(failure.kind, Kind::network) << name;
    EXPECT_TRUE(failure.network_trouble) << name;
  }
}

TEST(PipLog, APackageForAnotherPython) {
  for (const auto& [name, failure] : recordings("python-source")) {
    EXPECT_EQ(failure.kind, Kind::python_version) << name;
    EXPECT_EQ(failure.package, "mpsgate-tomorrow") << name;
  }
  for (const auto& [name, failure] : recordings("python-index")) {
    EXPECT_EQ(failure.kind, Kind::no_distribution) << name;
    EXPECT_THAT(failure.other_python, Contains("2.2.6")) << name;
  }
}

TEST(PipLog, ABuildThatFails) {
  for (const auto& [name, failure] : recordings("build-metadata")) {
    EXPECT_EQ(failure.kind, Kind::build) << name;
    EXPECT_EQ(failure.package, "mpsgate-boom") << name;
    EXPECT_THAT(failure.evidence, Contains(HasSubstr("nvcc not found"))) << name;
    EXPECT_TRUE(failure.build_requirement.empty()) << name;
  }
  for (const auto& [name, failure] : recordings("build-compile")) {
    EXPECT_EQ(failure.kind, Kind::build) << name;
    EXPECT_EQ(failure.package, "mpsgate-latebang") << name;
    EXPECT_THAT(failure.evidence, Contains(HasSubstr("returned non-zero exit status 1"))) << name;
  }
}

TEST(PipLog, ABuildThatMissesWhatOnlyItAsksFor) {
  for (const auto& [name, failure] : recordings("build-requirement")) {
    EXPECT_EQ(failure.kind, Kind::build) << name;
    EXPECT_EQ(failure.build_requirement, "cmake>=3.15") << name;
    EXPECT_EQ(failure.package, "mpsgate-cmakey") << name;
  }
}

TEST(PipLog, AFullDisk) {
  for (const auto& [name, failure] : recordings("disk-full")) {
    EXPECT_EQ(failure.kind, Kind::disk_full) << name;
    EXPECT_THAT(failure.evidence, ElementsAre(HasSubstr("No space left on device"))) << name;
  }
}

TEST(PipLog, SaysItsLastLinesWhereItSaysNothingElse) {
  const auto failure = read_pip_log("one\ntwo\nERROR: something new\n");
  EXPECT_EQ(failure.kind, Kind::unknown);
  EXPECT_THAT(failure.evidence, Contains("ERROR: something new"));
}

TEST(PipLog, NoRecordingNamesAPlaceOfTheMachineThatMadeIt) {
  for (const auto& entry : fs::directory_iterator(fs::path(MPSGATE_SOURCE_DIR) / "fixtures" / "pip")) {
    const std::string text = recorded(entry.path().filename().string());
    for (const char* place : {"/root", "/home/", "/Users/",
                              "pypi"
                              ".org",
                              " /tmp/"})
      EXPECT_EQ(text.find(place), std::string::npos) << entry.path() << " " << place;
  }
}

/// Whatever a build prints, evidence stays harmless and short.
TEST(PipLog, MutatedIsStillRead) {
  std::mt19937 random(5);
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(fs::path(MPSGATE_SOURCE_DIR) / "fixtures" / "pip"))
    texts.push_back(recorded(entry.path().filename().string()));
  for (int round = 0; round < 2000; ++round) {
    std::string text = texts[random() % texts.size()];
    for (int edit = 0; edit < 8 && !text.empty(); ++edit) {
      const auto at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, random() % 40);
      } else {
        text[at] = static_cast<char>(random() % 256);
      }
    }
    const auto failure = read_pip_log(text);
    EXPECT_LE(failure.evidence.size(), 8u);
    for (const auto& line : failure.evidence) {
      EXPECT_TRUE(is_utf8(line));
      EXPECT_EQ(line.find_first_of("\n\r\x1b"), std::string::npos);
      EXPECT_LE(line.size(), 4u * 301);
    }
  }
}

}  // namespace
}  // namespace mpsgate
