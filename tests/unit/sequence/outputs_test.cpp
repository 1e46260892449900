#include "sequence/outputs.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace mpsgate {
namespace {

class Outputs : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace_ = {folder_.path() / "checkout", folder_.path() / "out", folder_.path() / "home", {}};
    for (const auto& path : {workspace_.checkout, workspace_.out, workspace_.home})
      fs::create_directories(path);
  }
  void put(const fs::path& path, const std::string& text = "x") {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void start() { workspace_.before = list_files(workspace_.checkout); }
  Located locate(const std::string& path, bool in_checkout = false) {
    Output output;
    output.name = "scores";
    output.of = "infer";
    output.path = path;
    output.in_checkout = in_checkout;
    return locate_output(output, workspace_);
  }
  static std::string id(const Located& located) {
    return located.finding ? located.finding->row->id : "found";
  }

  TemporaryFolder folder_;
  PassWorkspace workspace_;
};

TEST_F(Outputs, FoundBelowOut) {
  start();
  put(workspace_.out / "deep/scores.npy");
  EXPECT_EQ(locate("deep/scores.npy").path, workspace_.out / "deep/scores.npy");
}

TEST_F(Outputs, AFolderIsAnOutput) {
  start();
  put(workspace_.out / "maps/a.npy");
  EXPECT_EQ(id(locate("maps")), "found");
}

TEST_F(Outputs, OneMatchOfAPatternIsThatFile) {
  put(workspace_.checkout / "runs/2025/pred.csv", "yesterday's");
  start();
  put(workspace_.checkout / "runs/2026-12-01/pred.csv");
  const auto located = locate("runs/*/pred.csv", true);
  EXPECT_EQ(located.path, workspace_.checkout / "runs/2026-12-01/pred.csv");
  EXPECT_TRUE(located.names.empty());
}

TEST_F(Outputs, SeveralMatchesAreAFolder) {
  start();
  put(workspace_.out / "b/1.png");
  put(workspace_.out / "a.png");
  put(workspace_.out / "log.txt");
  EXPECT_EQ(locate("**/*.png").names, (std::vector<std::string>{"a.png", "b/1.png"}));
  EXPECT_EQ(locate("*.png").path, workspace_.out / "a.png");
  const auto absent = locate("*.jpg");
  EXPECT_EQ(id(absent), "result.absent");
  EXPECT_EQ(absent.finding->evidence.size(), 3u) << "what was written instead";
}

TEST_F(Outputs, AMatchMayNotLeadOutside) {
  start();
  put(folder_.path() / "secret.npy");
  fs::create_symlink(folder_.path() / "secret.npy", workspace_.out / "x.npy");
  EXPECT_EQ(id(locate("*.npy")), "result.elsewhere");
  fs::remove(workspace_.out / "x.npy");
  fs::create_symlink("nothing", workspace_.out / "x.npy");
  EXPECT_EQ(id(locate("*.npy")), "result.unreadable");
  fs::remove(workspace_.out / "x.npy");
  ASSERT_EQ(mkfifo((workspace_.out / "pipe.npy").c_str(), 0600), 0);
  EXPECT_EQ(id(locate("*.npy")), "result.absent") << "a pipe is no file";
}

TEST_F(Outputs, APatternIsFoundInABundle) {
  Output output;
  output.name = "scores";
  output.path = "run-*.npy";
  const fs::path bundle = folder_.path() / "bundle";
  EXPECT_EQ(find_kept(output, bundle), "");
  put(bundle / "scores2.npy");
  EXPECT_EQ(find_kept(output, bundle), "");
  put(bundle / "scores.npy");
  EXPECT_EQ(find_kept(output, bundle), bundle / "scores.npy");
}

TEST_F(Outputs, WrittenElsewhereIsNamed) {
  start();
  put(workspace_.checkout / "runs/exp1/scores.npy");
  const auto located = locate("scores.npy");
  EXPECT_EQ(id(located), "result.elsewhere");
  EXPECT_NE(located.finding->message.find("runs/exp1/scores.npy"), std::string::npos);
}

TEST_F(Outputs, ElsewhereBelowOutAndInTheHome) {
  start();
  put(workspace_.out / "v2/scores.npy");
  EXPECT_NE(locate("scores.npy").finding->message.find("{out}/v2/scores.npy"), std::string::npos);
  put(workspace_.home / "results/table.csv");
  EXPECT_NE(locate("table.csv").finding->message.find("~/results/table.csv"), std::string::npos);
}

TEST_F(Outputs, YesterdaysFileIsAbsent) {
  put(workspace_.checkout / "results/scores.npy");
  start();
  const auto in_checkout = locate("results/scores.npy", true);
  EXPECT_EQ(id(in_checkout), "result.absent");
  EXPECT_NE(in_checkout.finding->message.find("not written by this pass"), std::string::npos);
  const auto below_out = locate("scores.npy");
  EXPECT_EQ(id(below_out), "result.absent");
  EXPECT_NE(below_out.finding->message.find("results/scores.npy is part of the repository"),
            std::string::npos);
}

TEST_F(Outputs, ARewriteInTheCheckoutCounts) {
  put(workspace_.checkout / "results/scores.npy", "old");
  start();
  put(workspace_.checkout / "results/scores.npy", "newer");
  EXPECT_EQ(id(locate("results/scores.npy", true)), "found");
}

TEST_F(Outputs, AbsentSaysWhatWasWritten) {
  start();
  EXPECT_EQ(locate("scores.npy").finding->evidence,
            (std::vector<std::string>{"the pass wrote no file at all"}));
  put(workspace_.out / "log.txt");
  put(workspace_.checkout / "__pycache__/predict.pyc");
  EXPECT_EQ(locate("scores.npy").finding->evidence, (std::vector<std::string>{"written: {out}/log.txt"}));
}

TEST_F(Outputs, ALinkToTheOutsideIsNoOutput) {
  start();
  put(folder_.path() / "secret", "x");
  fs::create_symlink(folder_.path() / "secret", workspace_.out / "scores.npy");
  EXPECT_EQ(id(locate("scores.npy")), "result.elsewhere");
}

TEST_F(Outputs, OfAFolderInTheCheckoutOnlyWhatWasWrittenCounts) {
  put(workspace_.checkout / "res/old.csv");
  put(workspace_.checkout / "res/deep/old.csv");
  start();
  put(workspace_.checkout / "res/new.csv");
  EXPECT_EQ(id(locate("res", true)), "found");
  Output output;
  output.path = "res";
  output.in_checkout = true;
  EXPECT_EQ(stale_files(output, workspace_), (std::vector<std::string>{"deep/old.csv", "old.csv"}));
  output.path = ".";
  EXPECT_EQ(stale_files(output, workspace_).size(), 2u);
  EXPECT_EQ(id(locate(".", true)), "found");
  output.in_checkout = false;
  EXPECT_TRUE(stale_files(output, workspace_).empty());
}

TEST_F(Outputs, ThroughAFolderThatIsALink) {
  put(workspace_.checkout / "real/keep");
  fs::create_directory_symlink("real", workspace_.checkout / "res");
  start();
  put(workspace_.checkout / "real/s.csv");
  EXPECT_EQ(id(locate("res/s.csv", true)), "found");
}

TEST_F(Outputs, OutMadeALinkIsElsewhere) {
  start();
  put(folder_.path() / "old/s.csv");
  fs::remove(workspace_.out);
  fs::create_directory_symlink(folder_.path() / "old", workspace_.out);
  EXPECT_EQ(id(locate("s.csv")), "result.elsewhere");
}

TEST_F(Outputs, WhatIsNoFileCannotBeRead) {
  start();
  fs::create_symlink("nothing", workspace_.out / "broken.npy");
  EXPECT_EQ(id(locate("broken.npy")), "result.unreadable");
  EXPECT_NE(locate("broken.npy").finding->message.find("a link to nothing"), std::string::npos);
  ASSERT_EQ(::mkfifo((workspace_.out / "pipe.npy").c_str(), 0600), 0);
  EXPECT_EQ(id(locate("pipe.npy")), "result.unreadable");
}

TEST_F(Outputs, WhatIsPrintedIsKeptAsANumber) {
  Output output;
  output.name = "wer";
  output.printed = "WER ([0-9a-z.+-]+)";
  const fs::path log = folder_.path() / "log", kept = folder_.path() / kept_name(output, {});
  EXPECT_EQ(kept.filename(), "wer.json");
  const auto keep = [&](const std::string& text) {
    put(log, text);
    const auto finding = keep_printed(output, log, kept);
    return finding ? std::string(finding->row->id) : read_file(kept).value();
  };
  EXPECT_EQ(keep("WER 0.5\nloss 3\nWER 0.25\nend"), "{\"printed\": 0.25}\n") << "the last one counts";
  EXPECT_EQ(keep("WER nan"), "{\"printed\": NaN}\n");
  EXPECT_EQ(keep("WER -inf"), "{\"printed\": -Infinity}\n");
  EXPECT_EQ(keep("WER 1e-3 \xff\n"), "{\"printed\": 0.001}\n");
  EXPECT_EQ(keep("loss 3\n"), "result.absent");
  EXPECT_EQ(keep(""), "result.absent");
  EXPECT_EQ(keep("WER abc\n"), "result.unreadable");
  EXPECT_EQ(keep("WER 1,234.5\n"), "result.unreadable") << "part of a number is none";
  EXPECT_EQ(keep("WER 0.5, next\n"), "{\"printed\": 0.5}\n");
  EXPECT_EQ(keep("WER 0.9\rWER 0.4\n"), "{\"printed\": 0.4}\n") << "a progress bar";
}

TEST_F(Outputs, KeptUnderTheNameOfTheProtocol) {
  Output output;
  output.name = "scores";
  output.path = "deep/pred_v2.npy";
  EXPECT_EQ(kept_name(output, output.path), "scores.npy");
  output.path = "maps";
  EXPECT_EQ(kept_name(output, output.path), "scores");
}

}  // namespace
}  // namespace mpsgate
