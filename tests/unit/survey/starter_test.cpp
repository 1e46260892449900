#include "base/text.h"
#include "made_up.h"
#include "protocol/node.h"

#include <random>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kParser = "import argparse\nimport torch\nparser = argparse.ArgumentParser()\n";
const std::string kGuard = "if __name__ == '__main__':\n    pass\n";

/// A valid protocol of a checkout whose only script has these options.
std::string written(const std::string& options, const std::string& behind = "") {
  MadeUp repository;
  repository.write("predict.py", kParser + options + kGuard + behind);
  const std::string text = repository.starter().text;
  EXPECT_EQ(faults_of(repository, text), "") << text;
  return text;
}

TEST(Starter, AWholeProtocol) {
  MadeUp repository;
  repository.write("requirements.txt", "torch==2.13.0\n");
  repository.write("predict.py", kParser +
                                     "parser.add_argument('--device')\nparser.add_argument('--out', "
                                     "required=True)\nargs = parser.parse_args()\n"
                                     "os.makedirs(args.out); np.save(args.out + '/scores.npy', x)\n" +
                                     kGuard);
  const Starter starter = repository.starter();
  const auto reading =
      read_protocol(starter.text, repository.folder() / "mpsgate.yaml", repository.folder(), Registry{});
  ASSERT_TRUE(reading.protocol) << faults_of(repository, starter.text) << starter.text;
  const Protocol& protocol = *reading.protocol;
  EXPECT_EQ(protocol.name, "tones");
  EXPECT_EQ(protocol.repository.url, "https://example.org/lab/tones");
  EXPECT_EQ(protocol.repository.commit, kCommit);
  EXPECT_EQ(protocol.environment.files, std::vector<std::string>{"requirements.txt"});
  EXPECT_EQ(protocol.commands[0].argv,
            (std::vector<std::string>{"python", "predict.py", "{device_args}", "--out", "{out}"}));
  EXPECT_EQ(protocol.devices.at("mps"), (std::vector<std::string>{"--device", "mps"}));
  EXPECT_EQ(protocol.outputs[0].path, "scores.npy");
  EXPECT_EQ(protocol.outputs[0].tolerance.rtol, 1e-3);
  EXPECT_EQ(starter.open, 0u);
  EXPECT_THAT(starter.text, Not(HasSubstr(kFillMeIn)));
  EXPECT_THAT(starter.text, HasSubstr("mpsgate capture mpsgate.yaml --name linux-cpu"));
}

TEST(Starter, AnEmptyRepositoryGivesAValidProtocolToo) {
  MadeUp repository;
  repository.write("demo.ipynb", "{}");
  const Starter starter = repository.starter();
  EXPECT_EQ(faults_of(repository, starter.text), "") << starter.text;
  EXPECT_EQ(starter.open, 1u);
  EXPECT_THAT(starter.text, HasSubstr("No script was found"));
  EXPECT_THAT(starter.text, HasSubstr("nbconvert"));
}

TEST(Starter, WithoutARemoteTheCheckoutIsNamed) {
  MadeUp repository;
  repository.write(".git/config", "[core]\n");
  const Starter starter = repository.starter();
  EXPECT_EQ(faults_of(repository, starter.text), "");
  EXPECT_THAT(starter.text, HasSubstr("url: \".\""));
  EXPECT_THAT(starter.text, HasSubstr("no remote \"origin\""));
  const auto outside = write_starter(repository.survey(), {"", "x.yaml", false, "", "file:///srv/a b"});
  EXPECT_THAT(outside.text, HasSubstr("url: \"file:///srv/a b\""));
  EXPECT_THAT(outside.text, HasSubstr("on this machine only"));
}

TEST(Starter, Devices) {
  EXPECT_THAT(written("parser.add_argument('--accelerator')\n"),
              HasSubstr("cpu: --accelerator cpu\n  mps: --accelerator mps"));
  EXPECT_THAT(written("parser.add_argument('--no-cuda', action='store_true')\n"),
              HasSubstr("cpu: --no-cuda\n  mps: []"));
  EXPECT_THAT(written("parser.add_argument('--mps', action='store_true')\n"),
              HasSubstr("cpu: []\n  mps: --mps"));
  EXPECT_THAT(written("parser.add_argument('-d', help='the device')\n"), HasSubstr("cpu: -d cpu"));
  EXPECT_THAT(written("parser.add_argument('--device', choices=['cpu', 'cuda'])\n"),
              HasSubstr("leave mps out"));
  const std::string none = written("parser.add_argument('--gpu', type=int)\n", "x.cuda()\ny = 'cuda:1'\n");
  EXPECT_THAT(none, HasSubstr("cpu: []\n  mps: []\n  cuda: []"));
  EXPECT_THAT(none, HasSubstr("--gpu, predict.py:4"));
  EXPECT_THAT(none, HasSubstr("predict.py:7, predict.py:8"));
}

TEST(Starter, Outputs) {
  EXPECT_THAT(written("parser.add_argument('--output', default='scores.csv')\n"),
              HasSubstr("--output {out}/scores.csv\n"));
  EXPECT_THAT(written("parser.add_argument('--save_dir')\n"), HasSubstr("--save_dir {out}/results\n"));
  EXPECT_THAT(written("parser.add_argument('-o')\n"), HasSubstr("-o {out}/results\n"));
  EXPECT_THAT(written("", "np.save('scores.npy', x)\n"), HasSubstr("checkout: scores.npy"));
  const std::string none = written("");
  EXPECT_THAT(none, HasSubstr("checkout: FILL-ME-IN.npy"));
  EXPECT_THAT(none, HasSubstr("only you know which"));
  EXPECT_THAT(written("parser.add_argument('--out', default='x.png')\n"), HasSubstr("must be equal"));
}

TEST(Starter, WhatTheScriptDemands) {
  const std::string text = written(
      "parser.add_argument('clips', nargs=2, help='two folders')\nparser.add_argument('--kind', "
      "required=True, choices=['a b', 'c'])\n"
      "parser.add_argument('--input', required=True)\n");
  EXPECT_THAT(text, HasSubstr("[python, predict.py, \"{device_args}\", --kind, \"a b\", --input, FILL-ME-IN, "
                              "FILL-ME-IN, FILL-ME-IN]"));
  EXPECT_THAT(text, HasSubstr("clips is demanded by predict.py:4: two folders"));
  EXPECT_THAT(text, HasSubstr("FILL-ME-IN marks 4 words"));
}

TEST(Starter, PackagesThatNoMacCanInstallAreSuggestedNotChanged) {
  MadeUp repository;
  repository.write("requirements.txt",
                   "torch==2.1.0+cu118\nflash-attn==2.0\nnvidia-cudnn-cu12\ntriton; sys_platform == "
                   "'linux'\nfaiss-gpu==1.7\nnumpy\n");
  const std::string text = repository.starter().text;
  EXPECT_EQ(faults_of(repository, text), "") << text;
  EXPECT_THAT(text, HasSubstr("  #   torch: {with: torch==2.1.0,"));
  EXPECT_THAT(text, HasSubstr("  #   faiss-gpu: {with: faiss-cpu==1.7,"));
  EXPECT_THAT(text, HasSubstr("  #   flash-attn: FILL-ME-IN"));
  EXPECT_THAT(text, HasSubstr("requirements.txt:3"));
  EXPECT_THAT(text, Not(HasSubstr("triton")));
  const auto reading =
      read_protocol(text, repository.folder() / "mpsgate.yaml", repository.folder(), Registry{});
  EXPECT_TRUE(reading.protocol->environment.replace.empty());
  EXPECT_TRUE(reading.protocol->environment.drop.empty());
  // Taking out the "#" as the comment says gives a valid protocol that replaces and drops.
  std::string changed;
  bool inside = false;
  for (const auto& line : lines_of(text)) {
    inside = line == "  # replace:" || line == "  # drop:" || (inside && line.starts_with("  #   "));
    changed += (inside ? "  " + line.substr(4) : line) + "\n";
  }
  const auto after =
      read_protocol(changed, repository.folder() / "mpsgate.yaml", repository.folder(), Registry{});
  ASSERT_TRUE(after.protocol) << faults_of(repository, changed) << changed;
  EXPECT_EQ(after.protocol->environment.replace.at("torch").with, "torch==2.1.0");
  EXPECT_TRUE(after.protocol->environment.drop.contains("nvidia-cudnn-cu12"));
}

TEST(Starter, TorchMustBeNamedExactly) {
  MadeUp repository;
  repository.write("requirements.txt", "numpy\n");
  EXPECT_THAT(repository.starter().text, HasSubstr("No file names torch"));
  repository.write("requirements.txt", "torch>=2\n");
  EXPECT_THAT(repository.starter().text, HasSubstr("requirements.txt:1 leaves the release of torch open"));
  repository.write("requirements.txt", "torch==2.13.0\n");
  EXPECT_THAT(repository.starter().text, Not(HasSubstr("release of torch")));
}

TEST(Starter, WithoutPackagesTheImportsAreNamed) {
  MadeUp repository;
  repository.write(
      "predict.py",
      "import numpy as np\nfrom torch.utils.tensorboard import SummaryWriter\nimport os\n" + kGuard);
  const std::string text = repository.starter().text;
  EXPECT_THAT(text, HasSubstr("packages: [tensorboard, torch, numpy]"));
  EXPECT_EQ(faults_of(repository, text), "");
}

TEST(Starter, RequirementsThatCannotBeReadAreSaid) {
  MadeUp repository;
  repository.write("requirements.txt", "-r absent.txt\n");
  const std::string text = repository.starter().text;
  EXPECT_THAT(text, HasSubstr("Not taken: requirements.txt:1: the commit has no readable file absent.txt"));
  EXPECT_THAT(text, Not(HasSubstr("files: [")));
  EXPECT_EQ(faults_of(repository, text), "");
}

TEST(Starter, Weights) {
  MadeUp repository;
  repository.write("weights/best: 1.pt", "weights");
  repository.write("other/best-1.pt", "other");
  repository.write("predict.py", kParser + "parser.add_argument('--ckpt', default='best-1.pt')\n" + kGuard);
  const std::string text = repository.starter().text;
  EXPECT_THAT(text, HasSubstr("--ckpt {weights.best-1}"));
  EXPECT_THAT(text, HasSubstr("  best-1: {path: other/best-1.pt, sha256: "));
  EXPECT_THAT(text, HasSubstr("  best-1-2: {path: \"weights/best: 1.pt\", sha256: "));
  EXPECT_THAT(text, HasSubstr("size: \"7 B\"}"));
  Faults faults(text, "mpsgate.yaml");
  EXPECT_TRUE(parse_yaml(text, faults));
  EXPECT_TRUE(faults.none());
  const auto outside = write_starter(repository.survey(), {"", "x.yaml", false, "", "."});
  EXPECT_THAT(outside.text, Not(HasSubstr("\nweights:")));
  EXPECT_THAT(outside.text, HasSubstr("outside the checkout"));
}

class Hostile {
 public:
  explicit Hostile(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  /// A name that a filesystem takes.
  std::string name() {
    static const std::vector<std::string> pieces = {": ",
                                                    " #",
                                                    "'",
                                                    "\"",
                                                    "{",
                                                    "}",
                                                    "{x}",
                                                    "{out}",
                                                    "[",
                                                    "]",
                                                    ", ",
                                                    "\n",
                                                    "\r",
                                                    "\t",
                                                    "\x1b[31m",
                                                    "\x7f",
                                                    "\\",
                                                    "&a",
                                                    "*a",
                                                    "!t",
                                                    "%",
                                                    "@",
                                                    "`",
                                                    "|",
                                                    ">",
                                                    "?",
                                                    "- ",
                                                    "---",
                                                    "...",
                                                    "~",
                                                    "null",
                                                    "é",
                                                    "\xe2\x80\xa8",
                                                    "\xc2\x85",
                                                    "\xef\xbb\xbf",
                                                    " ",
                                                    "a",
                                                    "run",
                                                    "0",
                                                    "1e5",
                                                    ".",
                                                    "_",
                                                    "=",
                                                    "<<",
                                                    "$(x)"};
    std::string text;
    for (std::size_t i = 0, count = 1 + below(5); i < count; ++i)
      text += pieces[below(pieces.size())];
    return text == "." || text == ".." ? "a" : text;
  }

 private:
  std::mt19937 random_;
};

TEST(Starter, HostileNamesAlwaysGiveAValidProtocol) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Hostile hostile(seed);
    MadeUp repository;
    repository.write(".git/HEAD", "ref: refs/heads/x\n");
    repository.write(".git/refs/heads/x", kCommit);
    repository.write(".git/config",
                     "[remote \"origin\"]\nurl = https://example.org/" + hostile.name() + "\n");
    repository.write(
        "requirements" + hostile.name() + ".txt",
        "torch==" + hostile.name() + "+cu118\nnvidia-x" + hostile.name() + "\n-r " + hostile.name() + "\n");
    repository.write("environment.yml", "");
    repository.write("setup.py", "setup(python_requires='" + hostile.name() + "', install_requires=['apex " +
                                     hostile.name() + "', 'torch " + hostile.name() +
                                     "'], entry_points={'console_scripts': ['" + hostile.name() + "=" +
                                     hostile.name() + ":main']})\n");
    repository.write("pyproject.toml", "[project]\nrequires-python = \"" + hostile.name() +
                                           "\"\ndependencies = ['" + hostile.name() +
                                           "']\n[project.scripts]\n" + hostile.name() + " = \"a:b\"\n");
    repository.write(hostile.name() + ".ipynb", "");
    for (int i = 0; i < 3; ++i) {
      repository.write((hostile.below(2) ? hostile.name() + "/" : "") + hostile.name() + ".py",
                       kParser + "parser.add_argument('--" + hostile.name() + "', required=True, help='" +
                           hostile.name() + "', choices=['" + hostile.name() + "'])\n" +
                           "parser.add_argument('--out', default='" + hostile.name() +
                           ".npy')\nparser.add_argument('" + hostile.name() + "')\n" +
                           "parser.add_argument('--device', choices=['" + hostile.name() + "'])\nopen('" +
                           hostile.name() + ".csv', 'w')\nx = 'cuda'\n" + kGuard);
    }
    const std::string text = repository.starter().text;
    const std::string faults = faults_of(repository, text);
    ASSERT_EQ(faults, "") << "seed " << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace mpsgate
