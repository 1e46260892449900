// Weights and data: the policy before the first byte, what is verified, kept, given instead, changed later.
#include "sequence/artefacts.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "fetch/store.h"
#include "record/draft.h"
#include "sequence/findings.h"

#include <fstream>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

class SteppingClock : public Clock {
 public:
  std::int64_t now_ms() const override { return now; }
  double seconds() const override { return 0; }
  std::int64_t now = 1'000'000'000;
};

class Lines : public Progress {
 public:
  void run_began(const Record&) override {}
  void step_began(const std::string&, const std::string&) override {}
  void say(const std::string& line) override { said += line + "\n"; }
  void step_ended(const Record&, const Records&) override {}
  std::string said;
};

/// Plays mpsgate-fetch: hashes what lies on the disk, and "downloads" `served`.
class FakeFetch : public ProcessRunner {
 public:
  ProcessResult run(const ProcessRequest& process) override {
    const Json request = parse_json(process.input, "request").value();
    requests.push_back(request);
    environments.push_back(process.environment);
    ProcessResult result;
    result.ending = Ending::exited;
    result.exit_code = 0;
    Json answer;
    if (string_at(request, "operation") == "digest") {
      const fs::path path = string_at(request, "path");
      if (!fs::exists(path)) {
        answer["error"] = {{"code", "file.absent"}, {"message", "absent"}};
      } else {
        const bool folder = fs::is_directory(path);
        answer["result"] = {{"sha256", folder ? *sha256_of_folder(path) : *sha256_of_file(path)},
                            {"bytes", folder ? 0 : fs::file_size(path)}};
      }
    } else if (!error.is_null()) {
      answer["error"] = error;
    } else {
      std::ofstream(string_at(request, "file")) << served;
      answer["result"] = {{"bytes", served.size()}, {"resumed_from", 0}, {"attempts", 1}};
    }
    result.out.head = dump_json(answer) + "\n";
    result.out.bytes = result.out.head.size();
    return result;
  }
  int downloads() const {
    return static_cast<int>(std::count_if(requests.begin(), requests.end(), [](const Json& request) {
      return string_at(request, "operation") == "download";
    }));
  }
  std::vector<Json> requests;
  std::vector<Variables> environments;
  std::string served = "weights";
  Json error;
};

class ArtefactsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    registry_.add(sequence_findings());
    fs::create_directories(run_.source());
  }
  Artefact& add(const std::string& name, const std::string& text) {
    Artefact artefact;
    artefact.kind = "weights";
    artefact.name = name;
    artefact.file = name + ".pt";
    artefact.level = "public";
    artefact.sha256 = sha256_of(text);
    protocol_.artefacts.push_back(artefact);
    return protocol_.artefacts.back();
  }
  Artefact& add_url(const std::string& text = "weights") {
    Artefact& artefact = add("model", text);
    artefact.url = "https://host/m.pt?X-Signature=secret";
    return artefact;
  }
  Context context() {
    return {protocol_,
            options_,
            run_,
            registry_,
            fetch_,
            clock_,
            progress_,
            own_,
            folder_.path() / "cache",
            "cpu",
            "Lab-Mac-3.local"};
  }
  /// The status of the step and the ids of its findings.
  std::string execute() {
    records_ = run_artefacts(context(), {});
    std::string text = string_at(records_.back().data, "status");
    for (const auto* record : of_kind(records_, Kind::finding))
      text += " " + record->id;
    return text;
  }
  std::string seen(const std::string& id = "weights.model") {
    return read_file(artefact_path(context(), *protocol_.artefact(id), run_.source())).value_or("(absent)");
  }
  std::string reason() const { return string_at(records_.back().data, "reason"); }

  TemporaryFolder folder_;
  RunFolder run_{folder_.path() / "run"};
  Protocol protocol_;
  RunOptions options_;
  Registry registry_;
  FakeFetch fetch_;
  SteppingClock clock_;
  Lines progress_;
  Variables own_;
  Records records_;
};

TEST_F(ArtefactsTest, IsFetchedOnceAndLinkedUnderItsName) {
  add_url();
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(seen(), "weights");
  EXPECT_EQ(artefact_path(context(), protocol_.artefacts[0], "").filename(), "model.pt");
  ASSERT_TRUE(remove_tree(run_.root()));
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(seen(), "weights");
  EXPECT_EQ(fetch_.downloads(), 1) << "the second run takes the kept copy";
  const auto artefacts = of_kind(records_, Kind::artefact);
  ASSERT_EQ(artefacts.size(), 1u);
  EXPECT_EQ(string_at(artefacts[0]->data, "path"), "artefacts/weights/model/model.pt");
  EXPECT_EQ(string_at(artefacts[0]->data, "sha256"), sha256_of("weights"));
}

TEST_F(ArtefactsTest, TheQueryOfAUrlIsShownNowhere) {
  add_url();
  EXPECT_EQ(execute(), "passed");
  std::string all = progress_.said;
  for (const auto& record : records_)
    all += dump_json(to_json(record));
  all += read_file(*std::next(fs::directory_iterator(folder_.path() / "cache/artefacts"), 0), 1 << 20)
             .value_or("");
  for (const auto& stored : Store(folder_.path() / "cache/artefacts").list())
    all += stored.origin;
  EXPECT_NE(all.find("https://host/m.pt"), std::string::npos);
  EXPECT_EQ(all.find("secret"), std::string::npos);
}

TEST_F(ArtefactsTest, TheUrlMayComeFromAVariable) {
  add("model", "weights").url_from = "MODEL_URL";
  EXPECT_EQ(execute(), "failed artefact.credential");
  EXPECT_NE(reason().find("MODEL_URL is not set"), std::string::npos) << reason();
  own_["MODEL_URL"] = "ftp://x";
  EXPECT_EQ(execute(), "failed artefact.credential");
  own_["MODEL_URL"] = "https://host/x?sig=1";
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(string_at(fetch_.requests.back(), "url"), "https://host/x?sig=1");
}

TEST_F(ArtefactsTest, OnlyTheNamedCredentialReachesTheWorker) {
  add_url().credential = "TOKEN";
  own_ = {{"TOKEN", "t"}, {"OTHER_TOKEN", "o"}, {"PATH", "/bin"}};
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(fetch_.environments.back().count("TOKEN"), 1u);
  EXPECT_EQ(fetch_.environments.back().count("OTHER_TOKEN"), 0u);
}

TEST_F(ArtefactsTest, WhatLiesBesideTheProtocolIsUsedWhereItLies) {
  Artefact& artefact = add("clips", "");
  artefact.local = folder_.path() / "clips";
  fs::create_directories(artefact.local);
  std::ofstream(artefact.local / "a.wav") << "a";
  artefact.sha256 = sha256_of_folder(artefact.local).value();
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(fs::weakly_canonical(artefact_path(context(), artefact, "")),
            fs::weakly_canonical(artefact.local));
  std::ofstream(artefact.local / "b.wav") << "b";
  EXPECT_EQ(execute(), "failed artefact.wrong-hash");
  EXPECT_NE(reason().find(artefact.sha256), std::string::npos);
  EXPECT_NE(reason().find(sha256_of_folder(artefact.local).value()), std::string::npos) << "both values";
  ASSERT_TRUE(remove_tree(artefact.local));
  EXPECT_EQ(execute(), "failed artefact.absent");
}

TEST_F(ArtefactsTest, AFileOfTheRepositoryIsEachPassesOwn) {
  Artefact& artefact = add("tiny", "tiny");
  artefact.checkout = "assets/tiny.pt";
  EXPECT_EQ(execute(), "failed artefact.absent");
  fs::create_directories(run_.source() / "assets");
  std::ofstream(run_.source() / "assets/tiny.pt") << "tiny";
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(artefact_path(context(), artefact, "/pass/checkout"), "/pass/checkout/assets/tiny.pt");
  std::ofstream(run_.source() / "assets/tiny.pt")
      << "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5\n";
  EXPECT_EQ(execute(), "failed artefact.lfs-pointer");
}

TEST_F(ArtefactsTest, SizesAreHeldToo) {
  Artefact& artefact = add("model", "weights");
  artefact.local = folder_.path() / "m.pt";
  std::ofstream(artefact.local) << "weights";
  artefact.size = parse_size_band("7 B");
  EXPECT_EQ(execute(), "passed");
  artefact.size = parse_size_band("8 B");
  EXPECT_EQ(execute(), "failed artefact.wrong-size");
}

TEST_F(ArtefactsTest, ACopyMayStandIn) {
  add_url();
  std::ofstream(folder_.path() / "copy.pt") << "weights";
  options_.artefacts["weights.model"] = folder_.path() / "copy.pt";
  EXPECT_EQ(execute(), "passed artefact.substituted");
  EXPECT_EQ(seen(), "weights");
  EXPECT_EQ(fetch_.downloads(), 0);
  std::ofstream(folder_.path() / "copy.pt") << "another";
  EXPECT_EQ(execute(), "failed artefact.substituted artefact.wrong-hash") << "the same hash is wanted";
}

TEST_F(ArtefactsTest, ThePolicyComesBeforeTheFirstByte) {
  add_url().level = "restricted";
  add("open", "open").local = folder_.path() / "open";
  protocol_.confidentiality.machines = {"cluster-*", "lab-mini"};
  EXPECT_EQ(execute(), "failed policy.transfer");
  EXPECT_TRUE(fetch_.requests.empty()) << "not even what is public";
  EXPECT_FALSE(fs::exists(run_.root() / "artefacts"));
  options_.artefacts["weights.model"] = folder_.path() / "copy.pt";
  EXPECT_EQ(execute(), "failed policy.transfer") << "a copy at hand changes nothing";
  EXPECT_TRUE(fetch_.requests.empty());
}

TEST_F(ArtefactsTest, MachinesAreNamedByPatterns) {
  add_url().level = "internal";
  for (const auto& [machine, allowed] : {std::pair{"lab-mac-*", true},
                                         {"LAB-MAC-3", true},
                                         {"lab-mac-3.local", true},
                                         {"lab", false},
                                         {"*.org", false}}) {
    protocol_.confidentiality.machines = {"other", machine};
    EXPECT_EQ(forbidden_artefacts(protocol_, "Lab-Mac-3.local").empty(), allowed) << machine;
  }
  protocol_.confidentiality.machines.clear();
  EXPECT_TRUE(forbidden_artefacts(protocol_, "any").empty());
  protocol_.confidentiality.machines = {"other"};
  protocol_.artefacts[0].level = "public";
  EXPECT_TRUE(forbidden_artefacts(protocol_, "any").empty());
}

TEST_F(ArtefactsTest, EachFaultHasItsFinding) {
  add_url();
  for (const auto& [code, id] : {std::pair{"artefact.unreachable", "artefact.unreachable"},
                                 {"artefact.refused", "artefact.refused"},
                                 {"artefact.wrong-hash", "artefact.wrong-hash"},
                                 {"disk.full", "machine.disk-full"},
                                 {"worker.crashed", "artefact.failed"},
                                 {"what.else", "artefact.failed"}}) {
    fetch_.error = {{"code", code}, {"message", "weights.model: so"}, {"advice", "do this"}};
    EXPECT_EQ(execute(), std::string("failed ") + id);
  }
}

TEST_F(ArtefactsTest, AChangeDuringTheRunIsSeen) {
  add_url();
  EXPECT_EQ(execute(), "passed");
  EXPECT_TRUE(check_artefacts(context(), records_));
  const fs::path file = fs::weakly_canonical(artefact_path(context(), protocol_.artefacts[0], ""));
  fs::permissions(file, fs::perms(0644));
  std::ofstream(file) << "trained!";
  const auto changed = check_artefacts(context(), records_);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, "artefact.changed");
  EXPECT_EQ(execute(), "passed artefact.damaged") << "the next run fetches it again, and says so";
  EXPECT_EQ(seen(), "weights");
}

TEST_F(ArtefactsTest, RetentionEnds) {
  add_url();
  protocol_.confidentiality.retention_seconds = 60;
  EXPECT_EQ(execute(), "passed");
  clock_.now += 59'000;
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(fetch_.downloads(), 1);
  clock_.now += 2'000;
  EXPECT_EQ(execute(), "passed");
  EXPECT_EQ(fetch_.downloads(), 2) << "what was kept too long is not used";
}

TEST_F(ArtefactsTest, CleanupForgetsWhatWasFetchedAlone) {
  add_url();
  Artefact& own = add("own", "own");
  own.local = folder_.path() / "own.pt";
  std::ofstream(own.local) << "own";
  EXPECT_EQ(execute(), "passed");
  protocol_.cleanup = {"weights"};
  const Records records = run_cleanup(context(), records_);
  EXPECT_EQ(string_at(records.back().data, "status"), "passed");
  EXPECT_FALSE(fs::exists(run_.root() / "artefacts/weights"));
  EXPECT_TRUE(Store(folder_.path() / "cache/artefacts").list().empty());
  EXPECT_TRUE(fs::exists(own.local)) << "the lab's own file stays";
  EXPECT_TRUE(last_of(records, Kind::note, "cleanup.kept"));
}

}  // namespace
}  // namespace mpsgate
