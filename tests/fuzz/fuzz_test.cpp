// Every parser of what a lab, a tool or a damaged disk may hand over, fed with damaged texts. Under the
// sanitizers a parser that reads past its input, or never ends, fails here. MPSGATE_FUZZ_ROUNDS makes it
// thorough, MPSGATE_FUZZ_SECONDS long; MPSGATE_FUZZ_SEED gives other texts.
#include "base/files.h"
#include "base/glob.h"
#include "base/json_path.h"
#include "base/text.h"
#include "compare/compare.h"
#include "environment/index.h"
#include "environment/requirements.h"
#include "environment/version.h"
#include "host/parse.h"
#include "mutator.h"
#include "record/journal.h"
#include "sequence/bundle.h"
#include "sequence/failure.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const fs::path kSource = MPSGATE_SOURCE_DIR;

std::string seed(const fs::path& path) {
  return read_file(kSource / path).value();
}

/// Whether a text that goes into a report is one harmless line.
bool is_line(const std::string& text) {
  return is_utf8(text) && text.find_first_of("\n\r\x1b") == std::string::npos;
}

TEST(Fuzz, Journal) {
  Mutator mutator({seed("tests/golden/proceed.jsonl"), seed("tests/golden/hostile-lab.jsonl")});
  int good = 0, refused = 0;
  for (FuzzRounds rounds(1.0 / 4); rounds.next();) {
    const auto records = parse_journal(mutator.next(), "journal.jsonl");
    ++(records ? good : refused);
    if (!records) {
      ASSERT_EQ(records.error().code, "journal.damaged");
      ASSERT_TRUE(is_line(records.error().message)) << records.error().message;
    }
  }
  EXPECT_GT(good, 0);
  EXPECT_GT(refused, 0);
}

/// Files that a command wrote, as compare's worker reads them.
class FuzzOutput : public ::testing::Test {
 protected:
  void read(const std::string& name, std::vector<std::string> seeds) {
    const fs::path honest = folder_.path() / ("honest" + name);
    ASSERT_TRUE(write_file(honest, seeds.front()));
    ASSERT_TRUE(describe_path(honest)) << describe_path(honest).error().text();
    Mutator mutator(std::move(seeds));
    const fs::path path = folder_.path() / ("damaged" + name);
    for (FuzzRounds rounds; rounds.next();) {
      ASSERT_TRUE(write_file(path, mutator.next()));
      const auto description = describe_path(path);
      const auto compared = compare_paths("x", path, honest, Tolerance{});
      ASSERT_FALSE(compared.empty());
      for (const auto& comparison : compared) {
        ASSERT_TRUE(is_line(comparison.message)) << comparison.message;
        ASSERT_NE(comparison.within(), !comparison.message.empty());
      }
      if (description) continue;
      ASSERT_TRUE(description.error().code == "result.unreadable" ||
                  description.error().code == "result.unsupported");
      ASSERT_TRUE(is_line(description.error().message)) << description.error().message;
      for (const auto& comparison : compared)
        ASSERT_FALSE(comparison.within()) << "unreadable, and yet within: " << description.error().message;
    }
  }
  TemporaryFolder folder_;
};

TEST_F(FuzzOutput, Csv) {
  read(".csv", {"clip,score,label\na.wav,0.25,1\nb.wav,-3e-4,0\n", "x,y\r\n1,2\r\n\"a,\"\"b\",nan\r\n"});
}

TEST_F(FuzzOutput, Tsv) {
  read(".tsv", {"clip\tscore\na\t0.5\n"});
}

TEST_F(FuzzOutput, Json) {
  read(".json", {R"({"scores": [1.5, null, true, "a"], "n": {"m": -2e3}})", "[[1, 2], [3, 4]]"});
}

TEST(Fuzz, Requirements) {
  Mutator mutator({"torch==2.6.0+cu124 ; python_version < '3.13' --hash=sha256:ab",
                   "foo[bar,baz] @ git+https://user:secret@host.example/x.git@main#egg=foo",
                   "-e ./ops[train]", "--extra-index-url https://host.example/simple",
                   "numpy>=1.20,<2 # why"});
  for (FuzzRounds rounds(4); rounds.next();) {
    const std::string text = mutator.next();
    const Requirement requirement = parse_requirement(text, Place{"requirements.txt", 1, 0});
    ASSERT_EQ(requirement.name, normalised_name(requirement.name)) << text;
    (void)allows(text, "2.13.0");
    ASSERT_EQ(canonical_version(canonical_version(text)), canonical_version(text)) << text;
  }
}

TEST(Fuzz, IndexPages) {
  Mutator mutator({R"(<a href="../x/torch-2.6.0-cp311-none-macosx_11_0_arm64.whl#sha256=1">torch</a><br/>)",
                   R"({"files": [{"filename": "torch-2.6.0.tar.gz", "url": "x"}], "name": "torch"})"});
  for (FuzzRounds rounds(2); rounds.next();) {
    const std::string text = mutator.next();
    for (const char* type : {"text/html", "application/vnd.pypi.simple.v1+json"})
      (void)mac_offer(index_files(text, type), "torch", "2.6.0", "cp311");
    (void)read_index_settings(text).text();
  }
}

TEST(Fuzz, HostTools) {
  using Parser = void (*)(std::string_view, HostFacts&);
  const std::pair<Parser, const char*> parsers[] = {{read_sysctl, "macbook/sysctl.txt"},
                                                    {read_sw_vers, "macbook/sw_vers.txt"},
                                                    {read_pmset, "macbook/pmset.txt"},
                                                    {read_pmset_batt, "macbook/pmset-batt.txt"},
                                                    {read_pmset_therm, "macbook/pmset-therm.txt"},
                                                    {read_ioreg, "macbook/ioreg.txt"},
                                                    {read_vm_stat, "macbook/vm_stat.txt"},
                                                    {read_ps, "macbook/ps.txt"},
                                                    {read_cpuinfo, "linux/cpuinfo.txt"},
                                                    {read_meminfo, "linux/meminfo.txt"},
                                                    {read_os_release, "linux/os-release.txt"}};
  for (const auto& [parser, recording] : parsers) {
    Mutator mutator({seed(fs::path("fixtures/host") / recording)});
    for (FuzzRounds rounds(1.0 / 4); rounds.next();) {
      HostFacts facts;
      const std::string text = mutator.next();
      parser(text, facts);
      read_cgroup_memory(text, facts);
      read_cgroup_cpu(text, facts);
      read_virtualisation(text, text, facts);
      for (const auto& [name, value] : logbook(facts))
        ASSERT_TRUE(!value.is_string() || is_line(value.get<std::string>())) << recording << ": " << name;
    }
  }
}

TEST(Fuzz, ProvenanceOfAReference) {
  Mutator mutator(
      {seed("protocols/references/quickstart-linux-cpu/provenance.json"),
       R"({"commit": "a", "outputs": {"infer": {"x": {"file": "outputs/infer/x", "sha256": "0"}}}})"});
  TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "outputs/infer/x", "x"));
  int good = 0, refused = 0;
  for (FuzzRounds rounds(1.0 / 2); rounds.next();) {
    ASSERT_TRUE(write_file(folder.path() / "provenance.json", mutator.next()));
    const auto provenance = read_provenance(folder.path());
    ++(provenance ? good : refused);
    if (!provenance) {
      ASSERT_EQ(provenance.error().code, "reference.damaged");
      continue;
    }
    ASSERT_TRUE(is_line(provenance->commit + provenance->python + provenance->system));
    ASSERT_TRUE(is_line(damage_of(*provenance, folder.path())));
  }
  EXPECT_GT(good, 0);
  EXPECT_GT(refused, 0);
}

TEST(Fuzz, Patterns) {
  Mutator mutator({"runs/*/pred.csv", "**/*.npy", "a?b*"}), texts({"runs/7/pred.csv", "x/y/z.npy"});
  for (FuzzRounds rounds; rounds.next();)
    (void)glob_matches(mutator.next(), texts.next());
}

TEST(Fuzz, JsonPaths) {
  const Json json = parse_json(R"({"val": [{"loss": 1}], "a.b": {"x": [1, 2]}})", "json").value();
  Mutator mutator({"$.val[0].loss", "$[\"a.b\"]['x'][1]", "$.val"});
  int good = 0;
  for (FuzzRounds rounds; rounds.next();) {
    const auto path = JsonPath::parse(mutator.next());
    if (path) (void)path->find(json);
    good += path ? 1 : 0;
    ASSERT_TRUE(path || is_line(path.error().message));
  }
  EXPECT_GT(good, 0);
}

TEST(Fuzz, Protocols) {
  Registry registry;
  Mutator mutator({seed("protocols/quickstart.yaml"), seed("fixtures/protocols/prints.yaml"),
                   seed("fixtures/protocols/measures.yaml"), seed("fixtures/protocols/notebook.yaml"),
                   seed("protocols/examples/makemore.yaml")});
  for (FuzzRounds rounds; rounds.next();) {
    const auto reading = read_protocol(mutator.next(), "/p/p.yaml", "/p", registry);
    ASSERT_NE(reading.protocol.has_value(), !reading.diagnostics.empty());
    for (const auto& diagnostic : reading.diagnostics)
      ASSERT_TRUE(is_line(diagnostic.path + diagnostic.message + diagnostic.hint)) << diagnostic.message;
    for (const auto& diagnostic : reading.diagnostics)
      ASSERT_EQ(text_of(diagnostic).find('\x1b'), std::string::npos);
  }
}

TEST(Fuzz, WhatCommandsPrint) {
  Mutator mutator(
      {"Traceback (most recent call last):\n  File \"/lab/checkout/predict.py\", line 12, in <module>\n    "
       "main()\n"
       "  File \"/lab/checkout/a/b.py\", line 3, in main\n    raise ValueError('x')\nValueError: x\n",
       "NotImplementedError: The operator 'aten::foo.out' is not currently implemented for the MPS device. "
       "If you\n",
       "RuntimeError: MPS backend out of memory (MPS allocated: 1.00 GiB, other allocations: 1 MiB)\n"});
  int round = 0;
  for (FuzzRounds rounds(2); rounds.next(); ++round) {
    ProcessResult process;
    process.ending = Ending::exited;
    process.exit_code = 1;
    process.err.head = mutator.next();
    process.err.bytes = process.err.head.size();
    const auto finding = classify_failure(process, round % 2 ? "mps" : "cpu", "/lab/checkout");
    ASSERT_TRUE(finding);
    ASSERT_TRUE(is_line(finding->message)) << finding->message;
    for (const auto& line : finding->evidence)
      ASSERT_TRUE(is_line(line)) << line;
  }
}

}  // namespace
}  // namespace mpsgate
