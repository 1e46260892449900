#include "base/files.h"
#include "base/text.h"
#include "protocol/protocol.h"

#include <array>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const Registry& registry() {
  static constexpr std::array rows = {CriterionRow{"memory.growth", Cause::memory, Route::remote_mac,
                                                   Effort::hours, CriterionRow::Rule::over, 26, "%", ""},
                                      CriterionRow{"fallback.operators", Cause::operators, Route::adapt,
                                                   Effort::hours, CriterionRow::Rule::any, 0, "", ""},
                                      CriterionRow{"crash.exit", Cause::crash, Route::adapt, Effort::hours,
                                                   CriterionRow::Rule::any, 0, "", ""},
                                      CriterionRow{"numerics.bitwise-cuda", Cause::numerics, Route::linux_gpu,
                                                   Effort::hours, CriterionRow::Rule::asked, 0, "", ""}};
  static const Registry all = [] {
    Registry collected;
    collected.add(std::span<const CriterionRow>(rows));
    return collected;
  }();
  return all;
}

const std::string kGood = R"(mpsgate: 1
name: tones
purpose: {why: a partner asks, macos-required: true, workload: inference}
repository:
  url: https://github.com/lab/tones
  commit: 1234567890123456789012345678901234567890
environment:
  python: 3.11
  files: [requirements.txt]
  packages: [numpy==2.2.6]
  install: .
  replace: {Torch_X: {with: torch==2.13.0, because: pins CUDA}}
  drop: {flash-attn: training only}
commands:
  infer: python predict.py {device_args} --out {out} --title 'two words'
  train: [python, train.py, --device, "{device}", "{{x}}"]
  save: python save.py
  check: python check.py {exported}/m.npz
devices: {cpu: --device cpu, mps: [--device, mps]}
outputs:
  scores: {of: infer, file: scores.npy, tolerance: float32}
  maps: {file: maps, tolerance: {rtol: 1e-4, nan: equal}}
  beside: {of: save, checkout: results/m.npz}
tolerances:
  float32: {rtol: 1e-3, atol: 1e-5}
references: {linux-cpu: references/linux-cpu}
steps:
  repeat: {command: infer, passes: 5, bitwise: true}
  export: {command: save, check: check}
gating: {add: [export], drop: {probe: no torch}}
stop:
  memory.growth: {over: 30 %}
  crash.exit: {off: true, because: known}
  numerics.bitwise-cuda: {ask: true}
limits: {command: 90 s, silence: 2 min, processes: 64, log: 1 MiB}
cleanup: {delete: [outputs, source]}
)";

class Reader : public ::testing::Test {
 protected:
  Reading read(const std::string& text) const {
    return read_protocol(text, folder_.path() / "p.yaml", folder_.path(), registry());
  }
  /// kGood with one text replaced, which must be there.
  std::string with(const std::string& from, const std::string& to) const {
    EXPECT_NE(kGood.find(from), std::string::npos) << from;
    return replace_all(kGood, from, to);
  }
  /// All faults as "line:column: path: message; hint".
  std::vector<std::string> faults(const std::string& text) const {
    std::vector<std::string> found;
    for (const auto& d : read(text).diagnostics) {
      found.push_back(std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + ": " + d.path +
                      ": " + d.message + (d.hint.empty() ? "" : "; " + d.hint));
    }
    return found;
  }
  TemporaryFolder folder_;
};

TEST_F(Reader, ReadsEveryKey) {
  const auto reading = read(kGood);
  for (const auto& diagnostic : reading.diagnostics)
    ADD_FAILURE() << text_of(diagnostic);
  ASSERT_TRUE(reading.protocol);
  const Protocol& p = *reading.protocol;
  EXPECT_EQ(p.name, "tones");
  EXPECT_TRUE(p.purpose.macos_required);
  EXPECT_EQ(p.repository.commit, "1234567890123456789012345678901234567890") << "digits only are text";
  EXPECT_EQ(p.environment.python, "3.11");
  EXPECT_EQ(p.environment.replace.at("torch-x").with, "torch==2.13.0");
  EXPECT_EQ(p.environment.drop.at("flash-attn"), "training only");
  ASSERT_EQ(p.commands.size(), 4u);
  EXPECT_EQ(p.commands[0].argv.back(), "two words");
  EXPECT_EQ(p.outputs[0].tolerance.rtol, 1e-3);
  EXPECT_EQ(p.outputs[0].tolerance.name, "float32");
  EXPECT_EQ(p.outputs[1].of, "infer");
  EXPECT_TRUE(p.outputs[1].tolerance.nan_equal);
  EXPECT_TRUE(p.outputs[2].in_checkout);
  EXPECT_EQ(p.outputs[2].tolerance.name, "default");
  EXPECT_EQ(p.steps.control, "infer");
  EXPECT_EQ(p.steps.repeat_passes, 5);
  EXPECT_EQ(p.steps.export_check, "check");
  EXPECT_EQ(p.gating_drop.at("probe"), "no torch");
  EXPECT_EQ(p.stop.at("memory.growth").value, 30);
  EXPECT_EQ(p.limits.silence_seconds, 120);
  EXPECT_EQ(p.limits.log_bytes, 1u << 20);
  EXPECT_EQ(p.references.at("linux-cpu"), folder_.path() / "references/linux-cpu");
  EXPECT_EQ(p.place_of("steps.repeat.passes").line, 28);
  EXPECT_EQ(p.place_of("steps.strict").line, 27) << "the nearest parent that is written";
  EXPECT_EQ(p.sha256.size(), 64u);
}

TEST_F(Reader, TheResolvedProtocolWritesDefaultsOut) {
  const Json json = to_json(*read(kGood).protocol);
  EXPECT_EQ(json["limits"]["environment"], 3600.0);
  EXPECT_EQ(json["steps"]["strict"], "infer");
  EXPECT_EQ(json["outputs"]["beside"]["tolerance"]["atol"], 1e-5);
  EXPECT_EQ(json["references"]["linux-cpu"], "references/linux-cpu");
}

struct Broken {
  const char* from;
  const char* to;
  const char* fault;  ///< its beginning
};

const Broken kBroken[] = {
    {"mpsgate: 1\n", "mpsgate: 2\n",
     "1:10: mpsgate: expected version 1, found \"2\"; a later version needs a newer mpsgate"},
    {"mpsgate: 1\n", "", "1:1: mpsgate: the key \"mpsgate\" is missing"},
    {"name: tones", "name: Tones!", "2:7: name: expected lower-case letters"},
    {"name: tones\n", "", "1:1: : the key \"name\" is missing"},
    {"commands:\n", "comands:\n", "14:1: comands: expected one of the keys"},
    {"limits: {command: 90 s", "limits: {command: 90",
     "35:19: limits.command: expected a duration with its unit"},
    {"processes: 64", "processes: 064",
     "35:52: limits.processes: expected a whole number from 1 to 100000, found \"064\"; a number does not "
     "begin with 0"},
    {"macos-required: true", "macos-required: yes",
     "3:48: purpose.macos-required: expected true or false, found \"yes\""},
    {"workload: inference", "workload: inferense",
     "3:64: purpose.workload: expected a workload (inference, training, llm, preprocessing), found "
     "\"inferense\"; did you mean \"inference\"?"},
    {"1234567890123456789012345678901234567890", "main",
     "6:11: repository.commit: expected the 40 lower-case hexadecimal digits"},
    {"https://github.com/lab/tones", "https://me:t0ken@github.com/lab/tones",
     "5:8: repository.url: a user name or token stands in the url"},
    {"https://github.com/lab/tones", "http://github.com/lab/tones",
     "5:8: repository.url: expected https, ssh or file"},
    {"https://github.com/lab/tones", "../elsewhere", "5:8: repository.url: \"../elsewhere\" lies outside"},
    {"python: 3.11", "python: three", "8:11: environment.python: expected a version"},
    {"files: [requirements.txt]", "files: requirements.txt",
     "9:10: environment.files: expected a list, found \"requirements.txt\"; write [requirements.txt]"},
    {"files: [requirements.txt]", "files: [../r.txt]",
     "9:11: environment.files[0]: expected a relative path without \"..\""},
    {"--title 'two words'", "--title 'two words", "15:62: commands.infer: a quote is left open"},
    {"--out {out}", "--out {outt}",
     "15:10: commands.infer: expected one of {device}, {device_args}, {out}, {exported}, {actual}, "
     "{expected}, {batch}, "
     "{epochs}, found {outt}; did "
     "you mean {out}?"},
    {"--out {out}", "--out {batch}",
     "15:10: commands.infer: {batch} has no value: neither steps.sweep nor steps.soak names command infer"},
    {"--out {out}", "--out {out", "15:10: commands.infer: a brace is left open in \"{out\""},
    {"{device_args}", "x{device_args}", "15:10: commands.infer: {device_args} must be a word of its own"},
    {"--device, \"{device}\", \"{{x}}\"]", "--device, {device}]",
     "16:39: commands.train[3]: YAML reads {device} as a mapping here; quote it: \"{device}\""},
    {"save: python save.py", "save: {run: python save.py, exit: 256}",
     "17:37: commands.save.exit: expected a whole number from 0 to 255"},
    {"save: python save.py", "save: {directory: x}",
     "17:3: commands.save: expected exactly one of run, notebook; found none"},
    {"save: python save.py", "save: {run: python save.py, environment: {HOME: /x}}",
     "17:45: commands.save.environment.HOME: mpsgate sets HOME itself"},
    {"save: python save.py", "save: {run: python save.py, environment: {A-B: x}}",
     "17:45: commands.save.environment.A-B: expected the name of a variable"},
    {"save: python save.py", "save: {run: python save.py, environment: {A: \"{nope}\"}}",
     "17:48: commands.save.environment.A: expected one of {device}"},
    {"{file: maps,", "{printed: 'a(', ", "22:19: outputs.maps.printed: not a regular expression"},
    {"{file: maps,", "{printed: 'a', ",
     "22:19: outputs.maps.printed: expected a regular expression with one group"},
    {"{file: maps,", "{file: maps, change: {at-most: 1},",
     "22:3: outputs.maps: expected one of tolerance, change and compare, found tolerance and "
     "change"},
    {"{file: maps,", "{file: maps, change: {},",
     "22:30: outputs.maps.change: the key \"at-most\" is missing"},
    {"save: python save.py", "save: python save.py {exported}",
     "17:9: commands.save: {exported} is known to the command of steps.export.check only"},
    {"devices: {cpu:", "devices: {gpu:", "19:11: devices.gpu: expected cpu or mps or cuda"},
    {"{of: infer, file", "{of: infr, file",
     "21:16: outputs.scores.of: expected a command (infer, train, save, check), found \"infr\"; did you mean "
     "\"infer\"?"},
    {"tolerance: float32}", "tolerance: float23}",
     "21:52: outputs.scores.tolerance: expected the name of a tolerance (float32), found \"float23\"; did "
     "you mean"},
    {"{file: maps,", "{file: maps, checkout: maps,",
     "22:3: outputs.maps: expected exactly one of file, checkout, printed; found file, checkout"},
    {"rtol: 1e-3", "rtol: -1e-3", "25:19: tolerances.float32.rtol: expected at least 0"},
    {"rtol: 1e-3", "rtol: \"1e-3\"", "25:19: tolerances.float32.rtol: expected a number"},
    {"linux-cpu: references/linux-cpu", "linux-cpu: ../../x",
     "26:25: references.linux-cpu: \"../../x\" lies outside"},
    {"passes: 5", "passes: 1", "28:36: steps.repeat.passes: expected a whole number from 2 to 50"},
    {"  export: {command: save", "  sweep: train\n  export: {command: save",
     "29:10: steps.sweep: expected a mapping, found \"train\""},
    {"  export: {command: save", "  parity: train\n  export: {command: save",
     "29:3: steps.parity: this version of mpsgate does not have this key yet"},
    {"drop: {probe: no torch}", "drop: {control: x}",
     "30:32: gating.drop.control: the step control cannot be dropped"},
    {"drop: {probe: no torch}", "drop: {prob: x}", "30:32: gating.drop.prob: expected a gating step"},
    {"memory.growth: {over: 30 %}", "memory.grow: {over: 30 %}",
     "32:3: stop.memory.grow: there is no stop criterion \"memory.grow\"; did you mean \"memory.growth\"?"},
    {"over: 30 %", "over: 30", "32:25: stop.memory.growth.over: expected a number with its unit (%)"},
    {"{off: true, because: known}", "{off: true}",
     "33:3: stop.crash.exit: a criterion is turned off with a reason only"},
    {"{off: true, because: known}", "{over: 3}", "33:22: stop.crash.exit.over: crash.exit has no limit"},
    {"delete: [outputs, source]", "delete: [weights]",
     "36:20: cleanup.delete: the protocol names no weights"},
    {"delete: [outputs, source]", "delete: [model]",
     "36:20: cleanup.delete[0]: expected what can be deleted (outputs, source, environment, weights, data), "
     "found \"model\""},
    {"name: tones\n", "name: tones\nname: again\n",
     "3:1: : the key \"name\" is here a second time; the first is in line 2"},
    {"why: a partner asks", "why: &a x", "3:16: purpose.why: anchors are not part of a protocol"},
    {"why: a partner asks", "why: *a", "3:16: "},
    {"why: a partner asks", "why: !!python/object:os.system x", "3:16: purpose.why: the tag"},
    {"  url: https", "\turl: https", "5:1: : a tab indents this line"},
    {"cleanup:", "---\ncleanup:", "37:1: : a second document begins here"},
    {"name: tones\n", "name: tones\ncapture: {}\n",
     "3:1: capture: this version of mpsgate does not have this key yet"},
    {"name: tones", "name: [tones", "3:8: "},
};

TEST_F(Reader, EveryFaultHasItsPlaceAndAdvice) {
  for (const auto& broken : kBroken) {
    const auto found = faults(with(broken.from, broken.to));
    ASSERT_FALSE(found.empty()) << broken.to;
    bool matched = false;
    for (const auto& fault : found)
      matched = matched || fault.starts_with(broken.fault);
    EXPECT_TRUE(matched) << "expected: " << broken.fault << "\nfound:    " << join(found, "\n          ");
  }
}

TEST_F(Reader, ACommandMayHaveMoreToSay) {
  const auto reading =
      read(with("save: python save.py",
                "save: {run: [python, save.py], directory: a/b, environment: {N: \"{out}\"}, exit: 3}"));
  ASSERT_TRUE(reading.protocol);
  const Command& command = *reading.protocol->command("save");
  EXPECT_EQ(command.argv.size(), 2u);
  EXPECT_EQ(command.directory, "a/b");
  EXPECT_EQ(command.environment.at("N"), "{out}");
  EXPECT_EQ(command.exit_code, 3);
}

TEST_F(Reader, ASlashAtTheEndOfAFolderMeansNothing) {
  const auto reading = read(with("{of: save, checkout: results/m.npz}", "{of: save, checkout: results//}"));
  ASSERT_TRUE(reading.protocol);
  EXPECT_EQ(reading.protocol->outputs[2].path, "results");
}

TEST_F(Reader, AMetricIsPrinted) {
  const auto reading = read(with("{file: maps, tolerance: {rtol: 1e-4, nan: equal}}",
                                 "{printed: 'WER ([0-9.]+)', change: {at-most: 0.5}}"));
  ASSERT_TRUE(reading.protocol);
  EXPECT_EQ(reading.protocol->outputs[1].printed, "WER ([0-9.]+)");
  EXPECT_EQ(reading.protocol->outputs[1].tolerance.atol, 0.5);
  EXPECT_EQ(reading.protocol->outputs[1].tolerance.rtol, 0);
}

/// kGood with weights, data, a notebook, a sweep and the lab's own comparison.
const std::string kArtefacts = R"(weights:
  model: {url: 'https://zenodo.org/record/1/files/m.pt?download=1', sha256: )" +
                               std::string(64, 'a') + R"(, size: 48 MiB, credential: TOKEN}
  tiny: {checkout: assets/tiny.pt, sha256: )" +
                               std::string(64, 'b') + R"(}
data:
  clips: {path: clips/, sha256: )" +
                               std::string(64, 'c') + R"(, confidentiality: restricted}
  scan: {url-from: SCAN_URL, sha256: )" +
                               std::string(64, 'd') + R"(, file: scan.nii.gz}
confidentiality: {class: internal, machines: [lab-*, runner3], allowed-by: the dean, retention: 30 d}
)";

std::string with_artefacts() {
  return replace_all(
      replace_all(
          replace_all(
              replace_all(
                  kGood, "commands:\n",
                  kArtefacts +
                      "commands:\n  fit: python fit.py --batch {batch} --epochs {epochs} {weights.model}\n"
                      "  judge: python judge.py {actual} {expected}\n"
                      "  book: {notebook: a/b.ipynb, parameters: {device: \"{device}\", x: 1}}\n"),
              "--title 'two words'", "--clips {data.clips} --model {weights.tiny}"),
          "steps:\n", "steps:\n  sweep: {command: fit, batch: [4, 8]}\n  soak: {command: fit, epochs: 20}\n"),
      "{of: infer, file: scores.npy, tolerance: float32}",
      "{of: infer, file: scores-*.npy, compare: {command: judge, printed: 'd=(.*)', at-most: 2}}\n"
      "  loss: {of: fit, file: m.json, json: '$.val[0].loss', change: {at-most: 2 %}}\n"
      "  share: {of: fit, file: n.json, change: {at-most: 0.5 points}}");
}

TEST_F(Reader, WeightsAndDataAreNamed) {
  const auto reading = read(replace_all(with_artefacts(), "  infer: python", "  infer: python"));
  ASSERT_TRUE(reading.protocol) << join(faults(with_artefacts()), "\n");
  const Protocol& protocol = *reading.protocol;
  ASSERT_EQ(protocol.artefacts.size(), 4u);
  const Artefact& model = protocol.artefacts[0];
  EXPECT_EQ(model.id(), "weights.model");
  EXPECT_EQ(model.file, "m.pt");
  EXPECT_EQ(model.level, "internal");
  EXPECT_EQ(model.credential, "TOKEN");
  EXPECT_TRUE(model.size->holds(48u << 20) && model.size->holds((48u << 20) + 400'000));
  EXPECT_FALSE(model.size->holds(49u << 20));
  EXPECT_EQ(protocol.artefact("weights.tiny")->file, "tiny.pt");
  EXPECT_EQ(protocol.artefact("data.clips")->level, "restricted");
  EXPECT_EQ(protocol.artefact("data.clips")->local, folder_.path() / "clips");
  EXPECT_EQ(protocol.artefact("data.clips")->file, "clips");
  EXPECT_EQ(protocol.artefact("data.scan")->url_from, "SCAN_URL");
  EXPECT_EQ(protocol.confidentiality.retention_seconds, 30 * 86400);
  const std::string resolved = dump_json(to_json(protocol));
  EXPECT_NE(resolved.find("zenodo.org/record/1/files/m.pt"), std::string::npos);
  EXPECT_EQ(resolved.find("download=1"), std::string::npos) << "the query of a URL may be a secret";
}

TEST_F(Reader, StepsAndOutputsSayMore) {
  const auto reading = read(with_artefacts());
  ASSERT_TRUE(reading.protocol);
  const Protocol& protocol = *reading.protocol;
  EXPECT_EQ(protocol.steps.sweep, "fit");
  EXPECT_EQ(protocol.steps.sweep_batch, (std::vector<int>{4, 8}));
  EXPECT_EQ(protocol.steps.soak_epochs, 20);
  EXPECT_EQ(protocol.steps.soak_batch, 4) << "the first of the sweep";
  EXPECT_EQ(protocol.steps.speed, protocol.commands.front().name);
  const auto& outputs = protocol.outputs;
  EXPECT_EQ(outputs[0].script.command, "judge");
  EXPECT_EQ(outputs[0].script.at_most, 2);
  EXPECT_EQ(outputs[1].json, "$.val[0].loss");
  EXPECT_EQ(outputs[1].tolerance.rtol, 0.02);
  EXPECT_EQ(outputs[1].tolerance.atol, 0);
  EXPECT_EQ(outputs[2].tolerance.atol, 0.5);
  EXPECT_EQ(protocol.command("book")->notebook, "a/b.ipynb");
  EXPECT_EQ(protocol.command("book")->parameters.at("device"), "{device}");
}

TEST_F(Reader, FaultsOfArtefactsAndSteps) {
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {"{weights.tiny}", {"{weights.tinny}", "did you mean {weights.tiny}?"}},
      {"machines: [lab-*, runner3], ", {"", "needs confidentiality.machines"}},
      {"allowed-by: the dean, ", {"", "needs confidentiality.allowed-by"}},
      {"https://zenodo", {"http://zenodo", "write https://"}},
      {"https://zenodo", {"https://me:secret@zenodo", "a user name or token stands in the url"}},
      {"path: clips/", {"path: ../../clips", "data.clips.path"}},
      {"{checkout: assets/tiny.pt", {"{checkout: assets/tiny.pt, file: x", "has its own name"}},
      {"file: scan.nii.gz", {"file: a/b", "expected the name of a file"}},
      {"--batch {batch}", {"--batch 4", "command fit has no {batch}"}},
      {"--epochs {epochs}", {"", "command fit has no {epochs}"}},
      {"batch: [4, 8]", {"batch: []", "at least one batch size"}},
      {"judge.py {actual} {expected}", {"judge.py {actual}", "command judge has no {expected}"}},
      {"judge.py {actual} {expected}", {"judge.py {actual} {expected} {batch}", "{batch} has no value"}},
      {"--clips {data.clips}",
       {"--clips {actual}", "{actual} is known to commands of outputs.*.compare only"}},
      {"printed: 'd=(.*)', ", {"", "printed does not say which"}},
      {"command: judge", {"command: judg", "did you mean \"judge\"?"}},
      {"$.val[0].loss", {"val.loss", "does not begin with $"}},
      {"scores-*.npy", {"scores-*.npy, tolerance: float32", "found tolerance and compare"}},
      {"file: m.json", {"file: m*.json", "the name is a pattern"}},
      {"{notebook: a/b.ipynb", {"{run: x", "only a notebook has parameters"}},
      {"{notebook: a/b.ipynb", {"{notebook: a/b.ipynb, directory: a", "in the folder where it lies"}},
      {"delete: [outputs, source]", {"delete: [outputs, models]", "cleanup.delete"}},
      {"  share: {of: fit", {"  Loss: {of: fit", "differs from \"loss\" in case only"}},
      {"  judge: python", {"  FIT: x\n  judge: python", "differs from \"fit\" in case only"}},
      {"drop: {probe: no torch}", {"drop: {artefacts: later}", "the step artefacts cannot be dropped"}},
  };
  for (const auto& [from, what] : cases) {
    const std::string text = with_artefacts();
    ASSERT_NE(text.find(from), std::string::npos) << from;
    const std::string all = join(faults(replace_all(text, from, what.first)), "\n");
    EXPECT_NE(all.find(what.second), std::string::npos) << what.first << "\nfound: " << all;
  }
  EXPECT_TRUE(read(replace_all(with_artefacts(), "[outputs, source]", "[weights, data]")).protocol);
}

TEST_F(Reader, OperatorsMayBeAllowedForATime) {
  const std::string allow =
      "stop:\n  fallback.operators: {allow: {'aten::cumsum.out': {because: once a file, until: "
      "2027-03-01}}}\n";
  const auto reading = read(with("stop:\n", allow));
  ASSERT_TRUE(reading.protocol);
  EXPECT_EQ(reading.protocol->stop.at("fallback.operators").allow.at("aten::cumsum.out").until, "2027-03-01");
  for (const auto& [from, to, fault] :
       {std::tuple{"2027-03-01", "2027-02-30", "expected a date"},
        {"because: once a file, ", "", "the key \"because\" is missing"},
        {"aten::cumsum.out", "cumsum", "expected the name of an operator"},
        {"fallback.operators", "crash.signal", "there is no stop criterion"}}) {
    const std::string all = join(faults(with("stop:\n", replace_all(allow, from, to))), "\n");
    EXPECT_NE(all.find(fault), std::string::npos) << all;
  }
  const std::string elsewhere =
      with("{off: true, because: known}", "{allow: {'aten::x': {because: y, until: 2027-03-01}}}");
  EXPECT_NE(join(faults(elsewhere), "\n").find("only fallback.operators has exceptions"), std::string::npos);
}

TEST_F(Reader, AllFaultsInOnePass) {
  EXPECT_EQ(faults(replace_all(with("name: tones", "name: Tones"), "passes: 5", "passes: 1")).size(), 2u);
}

TEST_F(Reader, ShowsTheLineAndACaret) {
  const auto reading = read(with("workload: inference", "workload: x"));
  ASSERT_EQ(reading.diagnostics.size(), 1u);
  const auto lines = lines_of(text_of(reading.diagnostics[0]));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].substr(4), "purpose: {why: a partner asks, macos-required: true, workload: x}");
  EXPECT_EQ(lines[2].find('^'), lines[1].find(": x}") + 2);
}

TEST_F(Reader, ACommandThatIsJudgedNeedsAnOutput) {
  const auto found =
      faults("mpsgate: 1\nname: x\nrepository: {url: https://h/x, commit: " + std::string(40, 'a') +
             "}\ncommands: {a: x, b: y}\noutputs: {o: {of: b, file: f}}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("5:1: outputs: command a is judged by its outputs, and none is declared"))
      << found[0];
}

TEST_F(Reader, DriversMustExistInside) {
  const std::string base = with("cleanup: {delete: [outputs, source]}", "files: [drive.py]");
  EXPECT_TRUE(faults(base)[0].starts_with("36:9: files[0]: there is no file")) << faults(base)[0];
  std::ofstream(folder_.path() / "drive.py") << "x";
  EXPECT_EQ(read(base).protocol->files, (std::vector<std::string>{"drive.py"}));
}

TEST_F(Reader, ALocalRepositoryStartsAtTheRoot) {
  const auto reading = read(with("https://github.com/lab/tones", "labs/tones"));
  ASSERT_TRUE(reading.protocol);
  EXPECT_EQ(reading.protocol->repository.local, folder_.path() / "labs/tones");
}

TEST_F(Reader, HostileInputIsRefused) {
  EXPECT_EQ(faults(std::string("mpsgate: 1\nname: a\0b\n", 21)),
            (std::vector<std::string>{"2:8: : a NUL byte is not text"}));
  EXPECT_EQ(faults(std::string("\xff\xfem\0p\0", 6)),
            (std::vector<std::string>{"1:1: : the file is UTF-16; save it as UTF-8"}));
  EXPECT_TRUE(faults("mpsgate: 1\nname: \xff\n")[0].starts_with("2:1: : the line is not valid UTF-8"));
  EXPECT_TRUE(faults(std::string(2 << 20, '#'))[0].find("larger than 1 MiB") != std::string::npos);
  EXPECT_TRUE(faults(std::string(300, '['))[0].find("nested too deeply") != std::string::npos);
  EXPECT_TRUE(faults(std::string(200'000, '['))[0].find("nested too deeply") != std::string::npos);
  std::string many = "mpsgate: 1\nfiles: [";
  for (int i = 0; i < 60'000; ++i)
    many += "a, ";
  EXPECT_TRUE(faults(many + "a]\n")[0].find("too many values") != std::string::npos);
  EXPECT_FALSE(faults("").empty());
  EXPECT_FALSE(faults("just text").empty());
  EXPECT_FALSE(faults("- a\n- b\n").empty());
}

TEST_F(Reader, MutationsNeverCrash) {
  std::mt19937 random(11);
  const std::string pieces[] = {"{",   "}",  "[",   "]", ":", "\n", "  ", "- ", "'",    "\"",
                                "&a ", "*a", "!x ", "|", ">", "#",  "? ", "\t", "\xC3", "0"};
  int good = 0, bad = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::string text = kGood;
    for (int i = 0; i < 2; ++i) {
      const std::size_t at = random() % text.size();
      if (random() % 2) {
        text.erase(at, 1 + random() % 8);
      } else {
        text.insert(at, pieces[random() % std::size(pieces)]);
      }
    }
    const auto reading = read(text);
    ASSERT_NE(reading.protocol.has_value(), !reading.diagnostics.empty()) << text;
    ++(reading.protocol ? good : bad);
    for (const auto& diagnostic : reading.diagnostics)
      ASSERT_FALSE(diagnostic.message.empty());
  }
  EXPECT_GT(good, 20);
  EXPECT_GT(bad, 200);
}

}  // namespace
}  // namespace mpsgate
