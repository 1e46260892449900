// Whole reports of whole journals. `mpsgate report RUN` must give these bytes on any machine.
#include "golden.h"

#include "reports/annotations.h"
#include "reports/write.h"

#include <clocale>

namespace mpsgate {
namespace {

using test::expect_golden;
using test::golden_folder;

const std::vector<std::string> kFiles = {"report.json", "junit.xml",   "junit-strict.xml",
                                         "report.md",   "verdict.txt", "annotations.txt"};

class Golden : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Golden, IsReproduced) {
  const auto& [name, file] = GetParam();
  TemporaryFolder folder;
  const Records records = test::golden_records(name);
  ASSERT_TRUE(write_reports(records, folder.path()));
  ASSERT_TRUE(write_file(folder.path() / "annotations.txt", write_annotations(build_report(records))));
  const auto written = read_file(folder.path() / file);
  ASSERT_TRUE(written);
  expect_golden(golden_folder() / (name + "." + file), *written);
}

INSTANTIATE_TEST_SUITE_P(Journals, Golden,
                         testing::Combine(testing::ValuesIn(test::golden_names()), testing::ValuesIn(kFiles)),
                         [](const auto& row) {
                           std::string name = std::get<0>(row.param) + "_" + std::get<1>(row.param);
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(Golden, EveryKeptFileBelongsToAJournal) {
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder())) {
    const std::string file = entry.path().filename().string();
    const bool ours = std::any_of(kFiles.begin(), kFiles.end(),
                                  [&](const auto& kind) { return file.ends_with("." + kind); });
    if (!ours) continue;
    EXPECT_TRUE(std::filesystem::exists(golden_folder() / (file.substr(0, file.find('.')) + ".jsonl")))
        << file;
  }
}

}  // namespace
}  // namespace mpsgate
