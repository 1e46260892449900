#include "environment/index.h"

#include "fake_machine.h"

#include <random>

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(IndexPage, IsReadAsJsonAndAsHtml) {
  EXPECT_THAT(index_files(R"({"files": [{"filename": "six-1.0.tar.gz"}, {"other": 1}, {"filename": 3}, 4]})",
                          "application/vnd.pypi.simple.v1+json"),
              ElementsAre("six-1.0.tar.gz"));
  EXPECT_THAT(
      index_files("<html><a href=\"x#sha256=1\">six-1.0.tar.gz</a><br/>\n<a\nhref='y' data-requires-python="
                  "\"&gt;=3\">six-1.0-py3-none-any.whl </a><a href=z>torch-2.0&amp;x</a>",
                  "text/html"),
      ElementsAre("six-1.0.tar.gz", "torch-2.0&x"));
}

TEST(IndexPage, InAnyShapeIsReadOrEmpty) {
  for (const char* page : {"", "{", "[]", "3", "{\"files\": 3}", "{\"files\": {\"a\": 1}}", "null"})
    EXPECT_THAT(index_files(page, "application/json"), IsEmpty()) << page;
  for (const char* page : {"", "<a ", "<a href", "<a>", "</a>", "<a><a><a>"})
    EXPECT_THAT(index_files(page, "text/html"), IsEmpty()) << page;
}

struct OfferCase {
  const char* file;
  bool known, wheel, other_python, source;
};

TEST(MacOffer, OfEachKindOfFile) {
  for (const auto& test : {
           OfferCase{"torch-2.0.0-cp311-none-macosx_11_0_arm64.whl", true, true, false, false},
           OfferCase{"torch-2.0-cp311-none-macosx_11_0_arm64.whl", true, true, false, false},
           OfferCase{"torch-2.0.0-cp311-cp311-macosx_10_9_universal2.whl", true, true, false, false},
           OfferCase{"torch-2.0.0-cp310-none-macosx_11_0_arm64.whl", true, false, true, false},
           OfferCase{"torch-2.0.0-cp38-abi3-macosx_11_0_arm64.whl", true, true, false, false},
           OfferCase{"torch-2.0.0-cp312-abi3-macosx_11_0_arm64.whl", true, false, true, false},
           OfferCase{"torch-2.0.0-cp311-cp311t-macosx_11_0_arm64.whl", true, false, true, false},
           OfferCase{"torch-2.0.0-cp311-none-macosx_10_9_x86_64.whl", true, false, false, false},
           OfferCase{"torch-2.0.0-cp311-cp311-manylinux1_x86_64.whl", true, false, false, false},
           OfferCase{"torch-2.0.0-cp311-cp311-macosx_10_9_x86_64.macosx_11_0_arm64.whl", true, true, false,
                     false},
           OfferCase{"torch-2.0.0-py2.py3-none-any.whl", true, true, false, false},
           OfferCase{"torch-2.0.0-py3-none-any.whl", true, true, false, false},
           OfferCase{"torch-2.0.0-py2-none-any.whl", true, false, true, false},
           OfferCase{"torch-2.0.0-py37-none-any.whl", true, true, false, false},
           OfferCase{"torch-2.0.0-1-py3-none-any.whl", true, true, false, false},
           OfferCase{"torch-2.0.0.tar.gz", true, false, false, true},
           OfferCase{"Torch-2.0.zip", true, false, false, true},
           OfferCase{"torch-2.0.1.tar.gz", false, false, false, false},
           OfferCase{"torch-extra-2.0.0.tar.gz", false, false, false, false},
           OfferCase{"torch_extra-2.0.0-py3-none-any.whl", false, false, false, false},
           OfferCase{"torch-2.0.0.exe", false, false, false, false},
           OfferCase{"torch-2.0.0.whl", false, false, false, false},
           OfferCase{"-", false, false, false, false},
           OfferCase{"", false, false, false, false},
       }) {
    const auto offer = mac_offer({test.file}, "torch", "2.0.0", "cp311");
    EXPECT_EQ(offer.version_known, test.known) << test.file;
    EXPECT_EQ(offer.wheel, test.wheel) << test.file;
    EXPECT_EQ(offer.other_python, test.other_python) << test.file;
    EXPECT_EQ(offer.source, test.source) << test.file;
  }
}

TEST(MacOffer, OfAnyNames) {
  std::mt19937 random(9);
  const std::string alphabet = "torch-2.0_cpy3anyarm64.whl.tar.gz";
  for (int round = 0; round < 5000; ++round) {
    std::string name = "torch-2.0.0-";
    for (auto length = random() % 30; length > 0; --length)
      name += alphabet[random() % alphabet.size()];
    (void)mac_offer({name, name + ".whl", name + ".zip"}, "torch", "2.0.0", "cp311");
  }
}

TEST(IndexSettings, ComeFromVariablesBeforeFiles) {
  const auto settings = read_index_settings(
      ":env:.extra-index-url='https://u:p@a/simple\\n https://b/simple'\n"
      "global.index-url='https://files/simple'\n"
      ":env:.index-url='https://variable/simple'\n"
      "global.find-links='/wheels /more'\n"
      "freeze.index-url='https://no/simple'\n"
      "noise\n");
  EXPECT_THAT(settings.urls,
              ElementsAre("https://variable/simple", "https://u:p@a/simple", "https://b/simple"));
  EXPECT_THAT(settings.links, ElementsAre("/wheels", "/more"));
  EXPECT_FALSE(settings.default_index);
  EXPECT_EQ(settings.text(),
            "https://variable/simple, https://***@a/simple, https://b/simple, links /wheels, links /more");
}

TEST(IndexSettings, KnowNoIndexAndNoSettings) {
  const auto none = read_index_settings(":env:.no-index='1'\nglobal.index-url='https://h/simple'\n");
  EXPECT_TRUE(none.no_index);
  EXPECT_THAT(none.urls, IsEmpty());
  EXPECT_EQ(none.text(), "none");
  EXPECT_TRUE(read_index_settings("").default_index);
}

TEST(IndexSettings, AskPipForItsDefault) {
  FakeMachine machine;
  machine.default_index = "https://index.example/simple";
  machine.pip_config = "global.extra-index-url='https://extra.example/simple'\n";
  EXPECT_THAT(index_settings(machine, machine.python(), {}).urls,
              ElementsAre("https://index.example/simple", "https://extra.example/simple"));
  machine.pip_config = "global.index-url='https://own.example/simple'\n";
  EXPECT_THAT(index_settings(machine, machine.python(), {}).urls, ElementsAre("https://own.example/simple"));
}

PackageIndex index_of(FakeMachine& machine, std::vector<std::string> urls) {
  IndexSettings settings;
  settings.urls = std::move(urls);
  return PackageIndex(machine, {}, settings, "/x/mpsgate-fetch");
}

TEST(PackageIndex, CollectsFromAllIndexes) {
  FakeMachine machine;
  machine.pages["https://a/simple/six/"] = {200, "<a href=x>six-1.0.tar.gz</a>", "text/html"};
  machine.pages["file:///b/six/index.html"] = {200, "<a href=x>six-2.0.tar.gz</a>", ""};
  const auto files = index_of(machine, {"https://a/simple/", "file:///b", "https://a/other"}).files_of("six");
  ASSERT_TRUE(files);
  EXPECT_THAT(*files, ElementsAre("six-1.0.tar.gz", "six-2.0.tar.gz"));
  const auto unknown = index_of(machine, {"https://a/simple"}).files_of("nobody");
  ASSERT_TRUE(unknown);
  EXPECT_THAT(*unknown, IsEmpty());
}

TEST(PackageIndex, OneSilentIndexMakesTheAnswerUnknown) {
  FakeMachine machine;
  machine.pages["https://a/simple/six/"] = {200, "<a href=x>six-1.0.tar.gz</a>", "text/html"};
  machine.unreachable.insert("https://u:p@b/simple/six/");
  const auto files = index_of(machine, {"https://a/simple", "https://u:p@b/simple"}).files_of("six");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, "index.unreachable");
  machine.pages["https://u:p@c/simple/six/"] = {503, "", ""};
  const auto refused = index_of(machine, {"https://u:p@c/simple"}).files_of("six");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("https://***@c/simple/six/ answered with status 503"));
}

TEST(PackageIndex, NoneIsNotAsked) {
  FakeMachine machine;
  const auto files = index_of(machine, {}).files_of("six");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, "index.none");
  EXPECT_TRUE(machine.requests.empty());
}

}  // namespace
}  // namespace mpsgate
