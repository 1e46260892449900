#include "environment/dist_info.h"

#include "base/files.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

class DistInfo : public testing::Test {
 protected:
  void add(const std::string& folder, const std::string& metadata, const std::string& wheel) {
    const fs::path info = folder_.path() / "lib/python3.11/site-packages" / folder;
    ASSERT_TRUE(write_file(info / "METADATA", metadata));
    if (wheel.empty()) return;
    ASSERT_TRUE(write_file(info / "WHEEL", wheel));
  }
  TemporaryFolder folder_;
};

TEST_F(DistInfo, NamesWhatIsInstalledInOrder) {
  add("torch-2.13.0+cpu.dist-info",
      "Metadata-Version: 2.1\r\nName: torch\r\nVersion: 2.13.0+cpu\r\n\r\nVersion: 9\n",
      "Tag: cp311-cp311-manylinux_2_28_x86_64\n");
  add("My_Package-1.0.dist-info", "Name: My_Package\nVersion: 1.0\n\nbody",
      "Tag: py2-none-any\nTag: py3-none-any\n");
  add("six.egg-info", "Name: six\nVersion: 1\n", "");
  ASSERT_TRUE(write_file(folder_.path() / "lib/python3.11/site-packages/loose.py", ""));
  const auto packages = installed_packages(folder_.path());
  ASSERT_EQ(packages.size(), 2u);
  EXPECT_EQ(packages[0].name, "my-package");
  EXPECT_EQ(packages[0].version, "1.0");
  EXPECT_EQ(packages[0].wheel_tag, "py3-none-any");
  EXPECT_EQ(packages[1].name, "torch");
  EXPECT_EQ(packages[1].version, "2.13.0+cpu");
  EXPECT_EQ(packages[1].wheel_tag, "cp311-cp311-manylinux_2_28_x86_64");
}

TEST_F(DistInfo, WithoutANameOrAFolderIsNothing) {
  EXPECT_TRUE(installed_packages(folder_.path()).empty());
  EXPECT_TRUE(installed_packages("/nowhere/at/all").empty());
  add("broken-1.0.dist-info", "\n\nName: late\n", "");
  add("empty-1.0.dist-info", "", "");
  EXPECT_TRUE(installed_packages(folder_.path()).empty());
}

TEST_F(DistInfo, IsHarmlessWhateverItSays) {
  add("evil-1.0.dist-info", "Name: evil\x1b[31m\xFF\nVersion: 1\x07.0\n", "Tag: \x1b]0;x\x07\n");
  for (const auto& package : installed_packages(folder_.path())) {
    for (const auto& text : {package.name, package.version, package.wheel_tag})
      EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos);
  }
}

}  // namespace
}  // namespace mpsgate
