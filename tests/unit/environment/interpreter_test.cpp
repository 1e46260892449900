#include "environment/interpreter.h"

#include "base/files.h"
#include "fake_machine.h"

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Interpreter, VersionsSatisfyWhatIsWanted) {
  EXPECT_TRUE(satisfies("3.11.7", "3.11"));
  EXPECT_TRUE(satisfies("3.11.7", "3.11.7"));
  EXPECT_TRUE(satisfies("3.11.7", "3"));
  EXPECT_FALSE(satisfies("3.11.7", "3.1"));
  EXPECT_FALSE(satisfies("3.11.7", "3.11.70"));
  EXPECT_TRUE(satisfies("3.9.18", ""));
  EXPECT_TRUE(satisfies("3.14.0", ""));
  EXPECT_FALSE(satisfies("3.8.18", ""));
  EXPECT_FALSE(satisfies("2.7.18", ""));
  EXPECT_FALSE(satisfies("", ""));
  EXPECT_FALSE(satisfies("", "3.11"));
}

TEST(Interpreter, CandidatesFollowPathThenVersionManagers) {
  TemporaryFolder home;
  for (const char* version : {"3.9.18", "3.11.2", "3.11.10", "pypy3.11-7.3.19", "notes"})
    fs::create_directories(home.path() / ".pyenv" / "versions" / version);
  fs::create_directories(home.path() / ".local/share/uv/python/cpython-3.11.9-linux-x86_64-gnu");
  const Variables own = {{"PATH", "/a:/b"}, {"HOME", home.path().string()}};
  const auto candidates = python_candidates("3.11", own);
  ASSERT_GE(candidates.size(), 7u);
  EXPECT_EQ(candidates[0], "/a/python3.11");
  EXPECT_EQ(candidates[1], "/b/python3.11");
  EXPECT_EQ(candidates[2], "/a/python3");
  const auto versions = home.path() / ".pyenv" / "versions";
  EXPECT_EQ(candidates[4], versions / "3.11.10/bin/python3");
  EXPECT_EQ(candidates[5], versions / "3.11.2/bin/python3");
  EXPECT_EQ(candidates[6], versions / "pypy3.11-7.3.19/bin/python3");
  EXPECT_THAT(candidates, Not(Contains(versions / "3.9.18/bin/python3")));
  EXPECT_THAT(candidates,
              Contains(home.path() / ".local/share/uv/python/cpython-3.11.9-linux-x86_64-gnu/bin/python3"));
}

TEST(Interpreter, ShimsStandForWhatPyenvWouldChoose) {
  TemporaryFolder home;
  const fs::path root = home.path() / "pyenv";
  for (const char* version : {"3.10.13", "3.11.7"})
    fs::create_directories(root / "versions" / version);
  ASSERT_TRUE(write_file(root / "version", "3.10.13\n3.11.7\n"));
  Variables own = {{"PATH", (root / "shims").string() + ":/usr/bin"}, {"HOME", home.path().string()}};
  EXPECT_EQ(python_candidates("", own)[0], root / "versions/3.10.13/bin/python3");
  own["PYENV_VERSION"] = "3.11.7";
  EXPECT_EQ(python_candidates("", own)[0], root / "versions/3.11.7/bin/python3");
  EXPECT_EQ(python_candidates("3.10", own)[0], root / "versions/3.10.13/bin/python3");
  own["PYENV_VERSION"] = "../../evil:system";
  EXPECT_THAT(python_candidates("", own)[0], Not(HasSubstr("evil")));
}

TEST(Interpreter, IsAskedOnceAndIsolated) {
  FakeMachine machine;
  const auto found = find_interpreter(machine, "3.11", machine.own());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, machine.python());
  EXPECT_EQ(found->version, "3.11.7");
  EXPECT_EQ(found->pip, "23.2.1");
  ASSERT_EQ(machine.requests.size(), 1u);
  EXPECT_EQ(machine.requests[0].argv[1], "-I");
  EXPECT_FALSE(machine.requests[0].environment.contains("PIP_INDEX_URL"));
}

TEST(Interpreter, OfAnotherVersionOrKindIsPassedOver) {
  FakeMachine machine;
  machine.version = "3.12.1";
  EXPECT_FALSE(find_interpreter(machine, "3.11", machine.own()));
  machine.version = "3.11.7";
  machine.implementation = "PyPy";
  EXPECT_FALSE(find_interpreter(machine, "3.11", machine.own()));
}

TEST(Interpreter, UnderRosettaIsTheLastChoice) {
  FakeMachine machine;
  machine.platform = "macosx-11.0-universal2";
  machine.machine = "x86_64";
  const auto found = find_interpreter(machine, "3.11", machine.own());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->mac_without_mps());
  machine.machine = "arm64";
  EXPECT_FALSE(find_interpreter(machine, "3.11", machine.own())->mac_without_mps());
}

TEST(Interpreter, MissingComesWithTheCommandThatInstallsIt) {
  EXPECT_THAT(installation_advice("3.11.4"), HasSubstr("3.11"));
  EXPECT_THAT(installation_advice(""), HasSubstr("install"));
}

}  // namespace
}  // namespace mpsgate
