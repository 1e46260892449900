// The steps that execute commands, on an mps arm that is played by a fake: what a Mac would be asked to do.
#include "base/files.h"
#include "base/text.h"
#include "base/tree_state.h"
#include "compare/compare.h"
#include "record/draft.h"
#include "sequence/comparing.h"
#include "sequence/findings.h"
#include "sequence/step.h"

#include <cmath>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

class FixedClock : public Clock {
 public:
  std::int64_t now_ms() const override { return 0; }
  double seconds() const override { return 0; }
};

class NoProgress : public Progress {
 public:
  void run_began(const Record&) override {}
  void step_began(const std::string&, const std::string&) override {}
  void say(const std::string&) override {}
  void step_ended(const Record&, const Records&) override {}
};

/// Plays the lab's command; answers comparisons by the real ones, in this process.
class FakeLab : public ProcessRunner {
 public:
  ProcessResult run(const ProcessRequest& request) override {
    ProcessResult result;
    result.ending = Ending::exited;
    result.exit_code = 0;
    if (request.argv.size() > 1 && request.argv[1] == "internal-compare") {
      const auto answer = serve_compare(parse_json(request.input, "request").value());
      Json json;
      if (answer) json["result"] = *answer;
      if (!answer) json["error"] = {{"code", answer.error().code}, {"message", answer.error().message}};
      result.out.head = dump_json(json) + "\n";
      result.out.bytes = result.out.head.size();
      return result;
    }
    requests.push_back(request);
    if (command) command(request, result);
    return result;
  }
  std::vector<ProcessRequest> requests;
  std::function<void(const ProcessRequest&, ProcessResult&)> command;
};

class Steps : public ::testing::Test {
 protected:
  void SetUp() override {
    protocol_.commands = {command("infer", {"python", "predict.py", "{device_args}", "--out", "{out}"})};
    protocol_.devices = {{"cpu", {"--device", "cpu"}}, {"mps", {"--device", "mps"}}};
    protocol_.steps.control = protocol_.steps.strict = protocol_.steps.census = protocol_.steps.repeat =
        protocol_.steps.relaunch = "infer";
    protocol_.steps.repeat_passes = 2;
    Output output;
    output.name = "scores";
    output.of = "infer";
    output.path = "scores.csv";
    output.tolerance = {1e-3, 0, false, "t"};
    protocol_.outputs = {output};
    fs::create_directories(run_.source());
    std::ofstream(run_.source() / "predict.py") << "print()";
    registry_.add(sequence_findings());
    records_ = {note("environment.python", "python", "/env/bin/python")};
    lab_.command = [this](const ProcessRequest& request, ProcessResult&) {
      write(request, arm(request) == "mps" ? mps_value : cpu_value);
    };
  }
  static Command command(const std::string& name, const std::vector<std::string>& argv) {
    Command made;
    made.name = name;
    made.argv = argv;
    return made;
  }
  static std::string arm(const ProcessRequest& request) {
    return std::find(request.argv.begin(), request.argv.end(), "mps") != request.argv.end() ? "mps" : "cpu";
  }
  static void write(const ProcessRequest& request, double value) {
    std::ofstream(fs::path(request.argv.back()) / "scores.csv") << "1,2\n3," << value << "\n";
  }
  Context context(const std::string& scope = "mps") {
    return {
        protocol_, options_,         run_, registry_, lab_, clock_, progress_, {}, folder_.path() / "cache",
        scope,     "lab-mac-3.local"};
  }
  /// Executes a step and keeps its records for the next one.
  std::string execute(Records (*step)(const Context&, const Records&), const std::string& id,
                      const std::string& scope = "mps") {
    Records emitted = step(context(scope), records_);
    for (auto& record : emitted) {
      record.step = id;
      records_.push_back(record);
    }
    return string_at(emitted.back().data, "status");
  }
  std::string found() const {
    std::string ids;
    for (const auto* record : of_kind(records_, Kind::finding))
      ids += record->id + "@" + record->arm + "/" + string_at(record->data, "weight") + " ";
    return ids;
  }

  TemporaryFolder folder_;
  RunFolder run_{folder_.path() / "run"};
  Protocol protocol_;
  RunOptions options_;
  Registry registry_;
  FakeLab lab_;
  FixedClock clock_;
  NoProgress progress_;
  Records records_;
  double cpu_value = 4, mps_value = 4;
};

/// The lab's own comparison decides: its exit code, the figure that it prints, and nothing else.
TEST_F(Steps, TheLabsOwnComparisonDecides) {
  protocol_.commands.push_back(command("judge", {"python", "judge.py", "{actual}", "{expected}"}));
  protocol_.outputs[0].script = {"judge", "d=(.*)", 2.0};
  mps_value = 999;  // far beyond any tolerance: the script alone counts
  std::string printed = "d=1.5\n";
  int exit_code = 0;
  lab_.command = [&](const ProcessRequest& request, ProcessResult& result) {
    if (request.argv[1] == "predict.py") return write(request, arm(request) == "mps" ? mps_value : cpu_value);
    EXPECT_EQ(request.argv.size(), 4u);
    EXPECT_TRUE(fs::exists(request.argv[2]) && fs::exists(request.argv[3]));
    EXPECT_FALSE(request.environment.contains("PYTORCH_ENABLE_MPS_FALLBACK"));
    std::ofstream(request.stdout_file) << printed;
    result.exit_code = exit_code;
  };
  EXPECT_EQ(execute(run_control, "control"), "passed");
  EXPECT_EQ(execute(run_strict, "strict"), "passed");
  EXPECT_EQ(execute(run_parity, "parity"), "passed");
  const Record* table = last_of(records_, Kind::table, "parity");
  ASSERT_TRUE(table);
  EXPECT_NE(dump_json(table->data).find("the lab's own comparison"), std::string::npos);
  EXPECT_NE(dump_json(table->data).find("1.5"), std::string::npos);

  struct {
    const char* printed;
    int exit_code;
    const char* status;
    const char* said;
  } const cases[] = {{"d=2.5\n", 0, "failed", "printed 2.5, and at most 2 agrees"},
                     {"d=0\n", 1, "failed", "says that they do not agree"},
                     {"d=nan\n", 0, "failed", "printed nan"},
                     {"d=0\n", 2, "error", "neither 0 nor 1"},
                     {"nothing\n", 0, "error", "printed no figure"}};
  for (const auto& one : cases) {
    printed = one.printed;
    exit_code = one.exit_code;
    EXPECT_EQ(execute(run_parity, "parity"), one.status) << one.printed << one.exit_code;
    EXPECT_NE(string_at(records_.back().data, "reason").find(one.said), std::string::npos)
        << string_at(records_.back().data, "reason");
  }
  EXPECT_TRUE(fs::is_empty(run_.work()));
  EXPECT_TRUE(fs::exists(run_.log("parity-compare-6.judge.out"))) << "every comparison keeps its log";
  protocol_.steps.repeat_bitwise = true;
  exit_code = 0;
  printed = "d=0\n";
  EXPECT_EQ(execute(run_repeat, "repeat"), "passed") << "equal bytes are asked of the files themselves";
}

TEST_F(Steps, BatchAndEpochsHaveValues) {
  protocol_.commands[0].argv.insert(protocol_.commands[0].argv.begin() + 2,
                                    {"--batch={batch}", "--epochs={epochs}"});
  protocol_.steps.sweep = "infer";
  protocol_.steps.sweep_batch = {8, 16};
  protocol_.steps.sweep_epochs = 2;
  EXPECT_EQ(execute(run_control, "control"), "passed");
  EXPECT_EQ(lab_.requests[0].argv[2], "--batch=8");
  EXPECT_EQ(lab_.requests[0].argv[3], "--epochs=2");
}

TEST_F(Steps, ANotebookNeedsWhatExecutesIt) {
  protocol_.commands[0].argv.clear();
  protocol_.commands[0].notebook = "book/a.ipynb";
  EXPECT_EQ(execute(run_control, "control"), "failed");
  EXPECT_EQ(found(), "step.error@cpu/gap ") << "no fault of the lab's";
  EXPECT_NE(string_at(records_.back().data, "reason").find("no notebook book/a.ipynb"), std::string::npos);
  records_.resize(1);
  fs::create_directories(run_.source() / "book");
  std::ofstream(run_.source() / "book/a.ipynb") << "{}";
  EXPECT_EQ(execute(run_control, "control"), "failed");
  EXPECT_EQ(found(), "environment.module-missing@cpu/gap ");
  const auto installed = [](Json rows) {
    return table("environment.packages", "", {{"package", ""}, {"version", ""}, {"wheel", ""}},
                 std::move(rows));
  };
  records_.push_back(installed({{"nbconvert", "7", ""}, {"ipykernel", "6", ""}}));
  lab_.command = {};
  execute(run_control, "control");
  ASSERT_EQ(lab_.requests.size(), 1u);
  EXPECT_EQ(lab_.requests[0].argv[2], "nbconvert");
  EXPECT_EQ(lab_.requests[0].argv.back(), "a.ipynb");
  EXPECT_EQ(lab_.requests[0].directory.filename(), "book");
  protocol_.commands[0].parameters = {{"device", "{device}"}};
  EXPECT_EQ(execute(run_control, "control"), "failed");
  EXPECT_NE(string_at(records_.back().data, "reason").find("needs papermill"), std::string::npos);
  records_.push_back(installed({{"papermill", "2", ""}, {"ipykernel", "6", ""}}));
  execute(run_control, "control");
  ASSERT_EQ(lab_.requests.size(), 2u);
  EXPECT_EQ((std::vector<std::string>(lab_.requests[1].argv.end() - 3, lab_.requests[1].argv.end())),
            (std::vector<std::string>{"-p", "device", "cpu"}));
}

TEST_F(Steps, ValuesOfJsonFilesAreOutputs) {
  protocol_.outputs[0].path = "m.json";
  protocol_.outputs[0].json = "$.val[0]";
  std::string text = R"({"time": 1, "val": [0.5]})";
  lab_.command = [&](const ProcessRequest& request, ProcessResult&) {
    std::ofstream(fs::path(request.argv.back()) / "m.json") << text;
  };
  EXPECT_EQ(execute(run_control, "control"), "passed");
  EXPECT_EQ(read_file(run_.outputs("cpu", "control") / "infer/scores.json").value(), "{\"value\":0.5}\n");
  for (const auto& [written, finding] : {std::pair{R"({"val": []})", "result.absent"},
                                         {R"({"val": [null]})", "result.absent"},
                                         {"{", "result.unreadable"}}) {
    text = written;
    records_.resize(1);
    EXPECT_EQ(execute(run_control, "control"), "failed");
    EXPECT_EQ(found(), std::string(finding) + "@cpu/stop ") << written;
  }
  text = R"({"val": [NaN]})";
  EXPECT_EQ(execute(run_control, "control"), "passed");
  EXPECT_EQ(read_file(run_.outputs("cpu", "control") / "infer/scores.json").value(), "{\"value\":NaN}\n");
}

TEST_F(Steps, EveryPassIsFreshAndStrictAllowsNoFallback) {
  EXPECT_EQ(execute(run_control, "control"), "passed");
  EXPECT_EQ(execute(run_strict, "strict"), "passed");
  EXPECT_EQ(execute(run_repeat, "repeat"), "passed");
  EXPECT_EQ(execute(run_parity, "parity"), "passed");
  EXPECT_EQ(execute(run_relaunch, "relaunch"), "passed");
  ASSERT_EQ(lab_.requests.size(), 5u);
  const auto& control = lab_.requests[0];
  EXPECT_EQ(control.argv.size(), 6u);
  EXPECT_EQ(control.argv[3], "cpu");
  EXPECT_FALSE(control.environment.contains("PYTORCH_ENABLE_MPS_FALLBACK"));
  EXPECT_TRUE(control.environment.at("PATH").starts_with("/env/bin:"));
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(arm(lab_.requests[i]), "mps");
    EXPECT_EQ(lab_.requests[i].environment.at("PYTORCH_ENABLE_MPS_FALLBACK"), "0");
    EXPECT_NE(lab_.requests[i].directory, lab_.requests[i - 1].directory);
  }
  EXPECT_TRUE(fs::is_empty(run_.work())) << "the copy is gone when its pass has ended";
  EXPECT_TRUE(fs::exists(run_.outputs("mps", "repeat-2") / "infer" / "scores.csv"));
  EXPECT_EQ(found(), "");
}

TEST_F(Steps, ANaNThatIsAlwaysThereIsNoOtherResult) {
  cpu_value = std::nan("");
  for (auto* step : {run_control, run_repeat, run_relaunch})
    execute(step, step == run_control ? "control" : step == run_repeat ? "repeat" : "relaunch", "cpu");
  EXPECT_EQ(found(), "repeat.differs@cpu/gap relaunch.differs@cpu/gap ");
  for (const auto* record : of_kind(records_, Kind::finding)) {
    EXPECT_NE(string_at(record->data, "message").find("cannot be judged"), std::string::npos);
    EXPECT_EQ(string_at(record->data, "remedy"), kUnjudgedRemedy);
  }
}

TEST_F(Steps, AChangedCheckoutIsNotJudged) {
  records_.push_back(note("source.state", "state", tree_state(run_.source())));
  EXPECT_EQ(execute(run_control, "control"), "passed");
  std::ofstream(run_.source() / "predict.py", std::ios::app) << "raise SystemExit(3)";
  EXPECT_EQ(execute(run_control, "control"), "failed");
  EXPECT_EQ(found(), "source.changed@cpu/doubt ");
  EXPECT_EQ(lab_.requests.size(), 1u);
}

TEST_F(Steps, ACommandHasItsFolderVariablesAndExitCode) {
  fs::create_directories(run_.source() / "tools");
  protocol_.commands[0].directory = "tools";
  protocol_.commands[0].environment = {{"RESULTS", "{out}/x"}, {"SPLIT", "test"}};
  protocol_.commands[0].exit_code = 3;
  lab_.command = [](const ProcessRequest& request, ProcessResult& result) {
    write(request, 4);
    result.exit_code = 3;
  };
  EXPECT_EQ(execute(run_control, "control"), "passed");
  EXPECT_EQ(lab_.requests[0].directory.filename(), "tools");
  EXPECT_EQ(lab_.requests[0].environment.at("SPLIT"), "test");
  EXPECT_TRUE(lab_.requests[0].environment.at("RESULTS").ends_with("/out/x"));
  lab_.command = [](const ProcessRequest& request, ProcessResult&) { write(request, 4); };
  EXPECT_EQ(execute(run_control, "control"), "failed") << "0 is no success of this command";
  EXPECT_EQ(found(), "crash.exit@cpu/stop ");
  protocol_.commands[0].directory = "nowhere";
  EXPECT_EQ(execute(run_control, "control"), "failed");
  EXPECT_EQ(lab_.requests.size(), 2u);
}

TEST_F(Steps, AnOutputThatClaimsMoreThanTheDiskHasIsNeverCopied) {
  lab_.command = [](const ProcessRequest& request, ProcessResult&) {
    const fs::path path = fs::path(request.argv.back()) / "scores.csv";
    std::ofstream(path) << "1";
    fs::resize_file(path, 1ull << 40);
  };
  EXPECT_EQ(execute(run_control, "control"), "failed");
  EXPECT_EQ(found(), "result.too-large@cpu/gap ");
  EXPECT_FALSE(fs::exists(run_.outputs("cpu", "control") / "infer" / "scores.csv"));
}

TEST_F(Steps, ADifferenceOnMpsIsMeasuredThere) {
  mps_value = 4.5;
  execute(run_control, "control");
  execute(run_strict, "strict");
  EXPECT_EQ(execute(run_parity, "parity"), "failed");
  EXPECT_EQ(found(), "numerics.tolerance@mps/stop ");
}

TEST_F(Steps, AReferenceThatTheCpuContradictsIsSuspectedFirst) {
  protocol_.references["linux-cpu"] = folder_.path() / "bundle";
  fs::create_directories(folder_.path() / "bundle/outputs/infer");
  std::ofstream(folder_.path() / "bundle/outputs/infer/scores.csv") << "1,2\n3,5\n";
  execute(run_control, "control", "cpu");
  EXPECT_EQ(execute(run_parity, "parity", "cpu"), "failed");
  EXPECT_EQ(found(), "reference.no-provenance@/note reference.disagrees@cpu/doubt ");
  EXPECT_EQ(last_of(records_, Kind::table, "parity")->data["rows"].size(), 2u) << "a row a column";
}

TEST_F(Steps, AnAgreeingReferenceDecidesAndTheCpuIsContext) {
  protocol_.references["linux-cpu"] = folder_.path() / "bundle";
  fs::create_directories(folder_.path() / "bundle/outputs/infer");
  std::ofstream(folder_.path() / "bundle/outputs/infer/scores.csv") << "1,2\n3,4\n";
  mps_value = 4.002;  // within 1e-3 of neither
  cpu_value = 4;
  mps_value = 4.5;
  execute(run_control, "control");
  execute(run_strict, "strict");
  EXPECT_EQ(execute(run_parity, "parity"), "failed");
  EXPECT_EQ(found(),
            "reference.no-provenance@/note numerics.tolerance@mps/stop numerics.tolerance@mps/note ");
}

TEST_F(Steps, AMissingReferenceIsAGap) {
  protocol_.references["linux-cpu"] = folder_.path() / "nowhere";
  execute(run_control, "control", "cpu");
  EXPECT_EQ(execute(run_parity, "parity", "cpu"), "failed");
  EXPECT_EQ(found(), "reference.missing@/gap ");
}

TEST_F(Steps, PassesThatDifferOnTheCpuAreNotBlamedOnMps) {
  int calls = 0;
  lab_.command = [&](const ProcessRequest& request, ProcessResult&) { write(request, 4 + calls++); };
  execute(run_control, "control", "cpu");
  EXPECT_EQ(execute(run_repeat, "repeat", "cpu"), "failed");
  EXPECT_EQ(found(), "repeat.differs@cpu/gap ");
}

TEST_F(Steps, AHiddenErrorIsContextUnlessWorkIsLost) {
  const std::string traceback =
      "Traceback (most recent call last):\n  File \"predict.py\", line 3, in <module>\nRuntimeError: "
      "truncated\n";
  lab_.command = [&](const ProcessRequest& request, ProcessResult& result) {
    write(request, 4);
    result.err.head = traceback;
    result.err.bytes = traceback.size();
  };
  EXPECT_EQ(execute(run_control, "control", "cpu"), "passed");
  EXPECT_EQ(found(), "crash.swallowed@cpu/note ");
  records_.resize(1);
  lab_.command = [&](const ProcessRequest&, ProcessResult& result) { result.err.head = traceback; };
  EXPECT_EQ(execute(run_control, "control", "cpu"), "failed");
  EXPECT_EQ(found(), "crash.swallowed@cpu/note result.absent@cpu/stop ");
  EXPECT_EQ(last_of(records_, Kind::finding, "result.absent")->data["evidence"][0],
            "hidden error: RuntimeError: truncated");
}

TEST_F(Steps, AFailedPassLeavesALineThatReproducesIt) {
  lab_.command = [](const ProcessRequest&, ProcessResult& result) {
    result.exit_code = 3;
    result.err.head = "one\ntwo\n";
    result.err.bytes = 8;
  };
  EXPECT_EQ(execute(run_control, "control", "cpu"), "failed");
  const Json& end = records_.back().data;
  EXPECT_EQ(end["tail"], Json::array({"one", "two"}));
  const std::string script = read_file(run_.log("control.infer.sh")).value();
  EXPECT_NE(end["reproduce"].get<std::string>().find("control.infer.sh"), std::string::npos);
  EXPECT_NE(script.find("exec env -i"), std::string::npos);
  EXPECT_NE(script.find("python predict.py --device cpu --out ''\"$work\"'/out'"), std::string::npos)
      << script;
}

TEST_F(Steps, ExportIsReadBackByTheLabsOwnCheck) {
  protocol_.commands.push_back(command("check", {"python", "check.py", "{exported}/scores.csv"}));
  protocol_.steps.export_command = "infer";
  protocol_.steps.export_check = "check";
  lab_.command = [&](const ProcessRequest& request, ProcessResult& result) {
    if (request.argv[1] == "check.py") {
      result.exit_code = fs::exists(request.argv[2]) ? 1 : 2;
    } else {
      write(request, 4);
    }
  };
  execute(run_control, "control", "cpu");
  EXPECT_EQ(execute(run_export, "export", "cpu"), "failed");
  EXPECT_EQ(found(), "crash.exit@cpu/gap export.failed@cpu/gap ");
  EXPECT_NE(string_at(records_.back().data, "reason").find("exit code 1"), std::string::npos);
}

TEST_F(Steps, CleanupDeletesAndLooksAfterwards) {
  protocol_.cleanup = {"outputs", "source"};
  execute(run_control, "control", "cpu");
  ASSERT_TRUE(fs::exists(run_.outputs()));
  EXPECT_EQ(execute(run_cleanup, "cleanup", "cpu"), "passed");
  EXPECT_FALSE(fs::exists(run_.outputs()));
  EXPECT_FALSE(fs::exists(run_.source()));
  EXPECT_TRUE(fs::exists(run_.logs()));
}

}  // namespace
}  // namespace mpsgate
