#include "base/hash.h"
#include "made_up.h"
#include "survey/entry_point.h"

#include <filesystem>

namespace mpsgate {
namespace {

const std::string kOther(40, 'a');

std::string refusal(const fs::path& folder) {
  const auto survey = survey_repository(folder);
  if (survey) return "";
  EXPECT_EQ(survey.error().code, "usage.repository");
  return survey.error().text();
}

TEST(GitFacts, CommitOfABranch) {
  MadeUp repository;
  const auto git = repository.survey().git;
  EXPECT_EQ(git.commit, kCommit);
  EXPECT_EQ(git.branch, "main");
  EXPECT_EQ(git.url, "https://example.org/lab/tones");
  EXPECT_EQ(git.origin, "");
}

TEST(GitFacts, DetachedAndPacked) {
  MadeUp repository;
  repository.write(".git/HEAD", kOther + "\n");
  EXPECT_EQ(repository.survey().git.commit, kOther);
  EXPECT_EQ(repository.survey().git.branch, "");
  repository.write(".git/HEAD", "ref: refs/heads/packed\n");
  repository.write(".git/packed-refs", "# pack-refs with: peeled\n" + kCommit + " refs/heads/other/packed\n" +
                                           kOther + " refs/heads/packed\n^" + kCommit + "\n");
  EXPECT_EQ(repository.survey().git.commit, kOther);
}

TEST(GitFacts, AWorkTree) {
  MadeUp repository;
  const fs::path own = repository.folder() / ".git/worktrees/w";
  repository.write(".git/worktrees/w/HEAD", "ref: refs/heads/side\n");
  repository.write(".git/worktrees/w/commondir", "../..\n");
  repository.write(".git/refs/heads/side", kOther + "\n");
  const TemporaryFolder tree;
  ASSERT_TRUE(write_file(tree.path() / ".git", "gitdir: " + own.string() + "\n"));
  const auto survey = survey_repository(tree.path());
  ASSERT_TRUE(survey) << survey.error().text();
  EXPECT_EQ(survey->git.commit, kOther);
  EXPECT_EQ(survey->git.branch, "side");
  EXPECT_EQ(survey->git.url, "https://example.org/lab/tones");
}

TEST(GitFacts, RefusalsSayWhatToDo) {
  const TemporaryFolder scratch;
  EXPECT_NE(refusal(scratch.path() / "absent").find("there is no folder"), std::string::npos);
  EXPECT_NE(refusal(scratch.path()).find("git init"), std::string::npos);
  MadeUp repository;
  repository.write("src/a.py", "");
  EXPECT_NE(refusal(repository.folder() / "src").find("lies inside the checkout"), std::string::npos);
  repository.write(".git/HEAD", "ref: refs/heads/unborn\n");
  EXPECT_NE(refusal(repository.folder()).find("there is no commit yet"), std::string::npos);
  repository.write(".git/HEAD", "ref: refs/heads/../../../secret\n");
  EXPECT_NE(refusal(repository.folder()).find("cannot be read"), std::string::npos);
  repository.write(".git/HEAD", std::string(64, 'b') + "\n");
  EXPECT_NE(refusal(repository.folder()).find("SHA-1"), std::string::npos);
}

TEST(GitFacts, UrlsAsAProtocolTakesThem) {
  EXPECT_EQ(protocol_url("https://user:token@example.org/x.git"), "https://example.org/x.git");
  EXPECT_EQ(protocol_url("http://example.org/x"), "https://example.org/x");
  EXPECT_EQ(protocol_url("ssh://git:secret@example.org:2222/x"), "ssh://git@example.org:2222/x");
  EXPECT_EQ(protocol_url("git@example.org:lab/x.git"), "git@example.org:lab/x.git");
  for (const char* none : {"", "/srv/x.git", "../x", "file:///srv/x", "ext::sh -c id", "C:/x", "https://",
                           "-oProxy:x", "https://h/a\nb"})
    EXPECT_EQ(protocol_url(none), "") << none;
}

TEST(GitFacts, ConfigurationsAreReadAsGitReadsThem) {
  MadeUp repository;
  repository.write(".git/config",
                   "[remote \"fork\"]\nurl = https://example.org/fork\n[Remote \"origin\"]\n  fetch = x\n  "
                   "URL = \"https://me:pw@example.org/a\" ; mine\n");
  const auto git = repository.survey().git;
  EXPECT_EQ(git.url, "https://example.org/a");
  EXPECT_EQ(git.origin.find("pw"), std::string::npos);
  repository.write(".git/config", "[core]\n");
  EXPECT_EQ(repository.survey().git.url, "");
}

TEST(Survey, PassesOverWhatIsNotTheLabs) {
  MadeUp repository;
  const std::string script = "if __name__ == '__main__':\n    pass\n";
  for (const char* path : {"a.py", ".hidden/b.py", "venv/c.py", "node_modules/d.py", "env/pyvenv.cfg",
                           "env/e.py", "nested/.git/HEAD", "nested/f.py"})
    repository.write(path, script);
  const TemporaryFolder outside;
  ASSERT_TRUE(write_file(outside.path() / "g.py", script));
  fs::create_symlink(outside.path(), repository.folder() / "link");
  fs::create_symlink(outside.path() / "g.py", repository.folder() / "h.py");
  fs::create_symlink(outside.path() / "g.py", repository.folder() / "requirements.txt");
  repository.write("bad\xff.py", script);
  repository.write(std::string(150, 'x') + "/" + std::string(150, 'y') + ".py", script);
  const Survey survey = repository.survey();
  ASSERT_EQ(survey.python.size(), 1u);
  EXPECT_TRUE(survey.python.contains("a.py"));
  EXPECT_EQ(survey.unnamed, 2u);
  EXPECT_TRUE(survey.packaging.requirement_files.empty());
  EXPECT_FALSE(survey.truncated);
}

TEST(Survey, IsBounded) {
  MadeUp repository;
  for (int i = 0; i < 20; ++i)
    repository.write("d/" + std::to_string(i) + ".py", "x = 1\n");
  repository.write("top.py", std::string(1000, '#'));
  SurveyLimits limits;
  limits.entries = 10;
  EXPECT_TRUE(repository.survey(limits).truncated);
  EXPECT_TRUE(repository.survey(limits).python.contains("top.py"));
  limits = {};
  limits.python_files = 3;
  EXPECT_EQ(repository.survey(limits).python.size(), 3u);
  limits = {};
  limits.python_bytes = 999;
  EXPECT_FALSE(repository.survey(limits).python.contains("top.py"));
  limits = {};
  limits.depth = 0;
  EXPECT_EQ(repository.survey(limits).python.size(), 1u);
}

TEST(Survey, WeightsAndTheirPointers) {
  MadeUp repository;
  repository.write("weights/a.pt", "weights");
  repository.write("b.bin", "small");
  repository.write("c.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:" +
                                        std::string(64, 'c') + "\nsize 123456\n");
  repository.write("d.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, 'd') +
                                "\nsize 99999999\n");
  repository.write("e.pt", "version https://git-lfs.github.com/spec/v1\noid sha256:nonsense\nsize -1\n");
  const auto weights = repository.survey().weights;
  ASSERT_EQ(weights.size(), 4u);
  EXPECT_EQ(weights[0].path, "c.safetensors");
  EXPECT_TRUE(weights[0].pointer);
  EXPECT_EQ(weights[0].bytes, 123456u);
  EXPECT_EQ(weights[0].sha256, std::string(64, 'c'));
  EXPECT_EQ(weights[1].path, "d.bin");
  EXPECT_FALSE(weights[2].pointer);
  EXPECT_EQ(weights[3].path, "weights/a.pt");
  EXPECT_EQ(weights[3].sha256, sha256_of("weights"));
  SurveyLimits limits;
  limits.all_weight_bytes = 3;
  EXPECT_EQ(repository.survey(limits).weights[3].sha256, "");
}

TEST(Packaging, OfPyproject) {
  MadeUp repository;
  repository.write("pyproject.toml", R"([build-system]
requires = ["setuptools"]
[project]
name = "tones"  # a comment = "x"
requires-python = ">=3.9,<3.12"
dependencies = [
  "torch==2.1.0+cu118",  # pinned
  "numpy",
]
scripts.dotted = "tones.dotted:main"
[project.scripts]
tones-predict = "tones.predict:main"
[tool.black]
line-length = 100
)");
  const auto packaging = repository.survey().packaging;
  EXPECT_EQ(packaging.package, "pyproject.toml");
  EXPECT_EQ(packaging.python, ">=3.9,<3.12");
  EXPECT_EQ(packaging.python_place.line, 5);
  ASSERT_EQ(packaging.requirements.size(), 2u);
  EXPECT_EQ(packaging.requirements[0].pinned, "2.1.0+cu118");
  ASSERT_EQ(packaging.scripts.size(), 2u);
  EXPECT_EQ(packaging.scripts[1].name, "tones-predict");
  EXPECT_EQ(packaging.scripts[1].module, "tones.predict");
}

TEST(Packaging, OfSetupFiles) {
  MadeUp repository;
  repository.write(
      "setup.py",
      "PYTHON = '>=3.8'\nsetup(name='x', python_requires=PYTHON, install_requires=['torch>=2'],\n  "
      "entry_points={'console_scripts': ['x = x.cli:main']},\n  ext_modules=[CUDAExtension('a', [])])\n");
  repository.write("requirements.txt", "torch==2.1.0\n");
  repository.write("requirements-dev.txt", "pytest\n");
  repository.write("environment.yml", "name: x\n");
  auto packaging = repository.survey().packaging;
  EXPECT_EQ(packaging.package, "setup.py");
  EXPECT_EQ(packaging.python, ">=3.8");
  EXPECT_EQ(packaging.requirement_files,
            (std::vector<std::string>{"requirements.txt", "requirements-dev.txt"}));
  EXPECT_EQ(packaging.conda_files, std::vector<std::string>{"environment.yml"});
  EXPECT_EQ(packaging.requirements.size(), 2u);
  ASSERT_EQ(packaging.scripts.size(), 1u);
  EXPECT_EQ(packaging.extension.line, 4);
  repository.write(".python-version", "3.10.4\n");
  repository.write("setup.cfg",
                   "[metadata]\nname = x\n[options]\npython_requires = >=3.7\ninstall_requires =\n  numpy\n  "
                   "scipy\n[options.entry_points]\nconsole_scripts =\n  y = x.y:main\n");
  packaging = repository.survey().packaging;
  EXPECT_EQ(packaging.python, "3.10.4");
  EXPECT_EQ(packaging.requirements.size(), 4u);
  EXPECT_EQ(packaging.scripts.front().name, "y");
}

TEST(Packaging, ToolSettingsAreNoPackage) {
  MadeUp repository;
  repository.write("pyproject.toml", "[tool.ruff]\nline-length = 100\n");
  EXPECT_EQ(repository.survey().packaging.package, "");
}

TEST(Packaging, ThePythonThatAFileHoldsOneTo) {
  for (const auto& [text, version] : {std::pair{"3.11.4", "3.11"},
                                      {"==3.10.*", "3.10"},
                                      {"~3.10", "3.10"},
                                      {"~=3.10.0", "3.10"},
                                      {">=3.8,<3.12", "3.11"},
                                      {">=3.9,<=3.11", "3.11"},
                                      {">=3.9", ""},
                                      {"~=3.9", ""},
                                      {"^3.9", ""},
                                      {"", ""},
                                      {"nonsense", ""},
                                      {">=3.9,<4", ""}})
    EXPECT_EQ(pinned_python(text), version) << text;
}

std::vector<std::string> commands(const MadeUp& repository) {
  std::vector<std::string> lines;
  for (const auto& point : entry_points(repository.survey()))
    lines.push_back(point.words.back());
  return lines;
}

TEST(EntryPoints, WhatPredictsStandsBeforeWhatTrains) {
  MadeUp repository;
  const std::string script = "import torch\nif __name__ == '__main__':\n    pass\n";
  for (const char* path : {"train.py", "predict.py", "evaluate.py", "main.py", "prepare_data.py",
                           "scripts/infer.py", "tests/test_predict.py", "setup.py", "lib/helper.py"})
    repository.write(path, script);
  EXPECT_EQ(commands(repository), (std::vector<std::string>{"predict.py", "scripts/infer.py", "evaluate.py",
                                                            "main.py", "lib/helper.py", "train.py",
                                                            "prepare_data.py", "tests/test_predict.py"}));
}

TEST(EntryPoints, ModulesOfAPackageAreStartedAsSuch) {
  MadeUp repository;
  repository.write("tones/__init__.py", "");
  repository.write("tones/predict.py", "import argparse\nif __name__ == '__main__':\n    pass\n");
  repository.write("-odd.py", "if __name__ == '__main__':\n    pass\n");
  repository.write("my-package/__init__.py", "");
  repository.write("my-package/run.py", "if __name__ == '__main__':\n    pass\n");
  const auto points = entry_points(repository.survey());
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].words, (std::vector<std::string>{"python", "-m", "tones.predict"}));
  EXPECT_EQ(points[1].words, (std::vector<std::string>{"python", "my-package/run.py"}));
  EXPECT_EQ(points[2].words, (std::vector<std::string>{"python", "./-odd.py"}));
}

TEST(EntryPoints, OptionsOfImportedModulesCountUnlessTheyAreScripts) {
  MadeUp repository;
  repository.write("predict.py",
                   "from options import parse\nimport train\nif __name__ == '__main__':\n    pass\n");
  repository.write("options.py",
                   "import argparse\np = argparse.ArgumentParser()\np.add_argument('--device')\n");
  repository.write(
      "train.py",
      "import argparse\np.add_argument('--epochs', required=True)\nif __name__ == '__main__':\n    pass\n");
  const auto options = options_of(repository.survey(), "predict.py");
  ASSERT_EQ(options.size(), 1u);
  EXPECT_EQ(options[0].file, "options.py");
}

TEST(EntryPoints, NamesFitTheRule) {
  EXPECT_EQ(fitted_name("My Lab (2024)", "x"), "my-lab-2024");
  EXPECT_EQ(fitted_name("__é", "x"), "x");
  EXPECT_EQ(fitted_name("a_b", "x"), "a_b");
  EXPECT_LE(fitted_name(std::string(100, 'a'), "x").size(), 60u);
}

}  // namespace
}  // namespace mpsgate
