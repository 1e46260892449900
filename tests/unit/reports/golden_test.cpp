// Whole reports of whole journals. `mpsgate report RUN` must give these bytes on any machine.
#include "golden.h"

#include "reports/annotations.h"
#include "reports/outputs.h"
#include "reports/write.h"

#include <clocale>

namespace mpsgate {
namespace {

using test::expect_golden;
using test::golden_folder;

const std::vector<std::string> kFiles = {"report.json", "junit.xml", "junit-strict.xml", "report.md",
                                         "verdict.txt"};

/// Not files of the run directory: `mpsgate report RUN --format github` prints them.
const std::vector<std::string> kPrinted = {"annotations.txt", "outputs.txt"};

std::vector<std::string> all_kinds() {
  std::vector<std::string> kinds = kFiles;
  kinds.insert(kinds.end(), kPrinted.begin(), kPrinted.end());
  return kinds;
}

class Golden : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Golden, IsReproduced) {
  const auto& [name, file] = GetParam();
  const auto kept = golden_folder() / (name + "." + file);
  const Report report = build_report(test::golden_records(name));
  if (file == "annotations.txt") return expect_golden(kept, write_annotations(annotations_of(report, "")));
  if (file == "outputs.txt") return expect_golden(kept, write_outputs(report));
  TemporaryFolder folder;
  const Records records = test::golden_records(name);
  ASSERT_TRUE(write_reports(records, folder.path()));
  const auto written = read_file(folder.path() / file);
  ASSERT_TRUE(written);
  expect_golden(kept, *written);
}

INSTANTIATE_TEST_SUITE_P(Journals, Golden,
                         testing::Combine(testing::ValuesIn(test::golden_names()),
                                          testing::ValuesIn(all_kinds())),
                         [](const auto& row) {
                           std::string name = std::get<0>(row.param) + "_" + std::get<1>(row.param);
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(Golden, EveryKeptFileBelongsToAJournal) {
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder())) {
    const std::string file = entry.path().filename().string();
    const auto kinds = all_kinds();
    const bool ours =
        std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) { return file.ends_with("." + kind); });
    if (!ours) continue;
    EXPECT_TRUE(std::filesystem::exists(golden_folder() / (file.substr(0, file.find('.')) + ".jsonl")))
        << file;
  }
}

}  // namespace
}  // namespace mpsgate
