// Files that lie. Each ends in a clear error; none may crash or take memory for what it only claims.
#include "base/files.h"
#include "compare/compare.h"
#include "npy_file.h"

#include <random>

#include <gtest/gtest.h>
#include <zip.h>

namespace mpsgate {
namespace {

class Hostile : public ::testing::Test {
 protected:
  std::string problem(const std::string& name, const std::string& bytes) {
    put(folder_.path() / name, bytes);
    const auto description = describe_path(folder_.path() / name);
    return description ? "" : description.error().message;
  }
  void make_zip(const std::string& name, const std::vector<std::pair<std::string, std::string>>& members) {
    fs::remove(folder_.path() / name);
    int error = 0;
    zip_t* archive = ::zip_open((folder_.path() / name).c_str(), ZIP_CREATE, &error);
    ASSERT_NE(archive, nullptr);
    for (const auto& [member, bytes] : members) {
      zip_source_t* source = ::zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
      ::zip_file_add(archive, member.c_str(), source, ZIP_FL_ENC_UTF_8);
    }
    ASSERT_EQ(::zip_close(archive), 0);
  }
  std::string zip_problem(const std::string& name) {
    const auto description = describe_path(folder_.path() / name);
    return description ? "" : description.error().message;
  }
  TemporaryFolder folder_;
};

TEST_F(Hostile, HeadersOfNpy) {
  const std::string body(16, '\0');
  EXPECT_NE(problem("a.npy", npy_bytes("<f4", "(1000000000, 1000000000, 1000000000)", body))
                .find("more elements than any file holds"),
            std::string::npos);
  EXPECT_NE(problem("a.npy", npy_bytes("<f4", "(1000000000000000000,)", body)), "");
  EXPECT_NE(problem("a.npy", npy_bytes("<f4", "(5,)", body)).find("cut short"), std::string::npos);
  EXPECT_NE(problem("a.npy", npy_bytes("<f4", "(-1,)", body)).find("shape"), std::string::npos);
  EXPECT_NE(problem("a.npy", npy_bytes("<f4", "(99999999999999999999,)", body)).find("shape"),
            std::string::npos);
  EXPECT_NE(problem("a.npy", npy_bytes("|O", "(1,)", body)).find("dtype"), std::string::npos);
  EXPECT_NE(problem("a.npy", npy_bytes("__import__(os).system(x)", "(1,)", body)).find("dtype"),
            std::string::npos);
  EXPECT_NE(problem("a.npy", npy_bytes("<U9", "(1,)", body)).find("dtype"), std::string::npos);
  EXPECT_NE(problem("a.npy", "\x93NUMPY"), "");
  EXPECT_NE(problem("a.npy", std::string("\x93NUMPY\x09\x00\x10\x00", 10)).find("version 9"),
            std::string::npos);
  EXPECT_NE(problem("a.npy", std::string("\x93NUMPY\x01\x00\xff\xff", 10)).find("cut short"),
            std::string::npos);
  EXPECT_NE(problem("a.npy", ""), "");
  EXPECT_NE(problem("a.npy", "PK\x03\x04"), "");
  EXPECT_EQ(problem("a.npy", npy_bytes("<f4", "(4,)", body)), "") << "the honest one";
}

TEST_F(Hostile, WhatCannotBeComparedIsNoFaultOfTheFile) {
  put(folder_.path() / "a.npy", npy_bytes("<U9", "(1,)", std::string(36, '\0')));
  EXPECT_EQ(describe_path(folder_.path() / "a.npy").error().code, "result.unsupported");
  put(folder_.path() / "b.csv", "caf\xe9\n");
  EXPECT_EQ(describe_path(folder_.path() / "b.csv").error().code, "result.unsupported");
  EXPECT_NE(problem("null.json", "null"), "");
}

TEST_F(Hostile, TablesWithoutRows) {
  EXPECT_NE(problem("a.csv", "clip,score\n").find("a header and no row"), std::string::npos);
  EXPECT_NE(problem("a.csv", "\n\n"), "");
  EXPECT_EQ(problem("a.csv", "cat\n"), "") << "one word may be the result";
  EXPECT_EQ(problem("a.csv", "1,2\n"), "");
}

TEST_F(Hostile, BytesOfNpyNeverCrash) {
  std::mt19937 random(1);
  const std::string good = npy_bytes("<f4", "(2, 2)", std::string(16, '\1'), true);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i)
      bad[random() % bad.size()] = static_cast<char>(random() % 256);
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    refused += !problem("f.npy", bad).empty();
  }
  EXPECT_GT(refused, 500);
}

TEST_F(Hostile, Archives) {
  const std::string array = npy_bytes("<f4", "(1,)", std::string(4, '\0'));
  make_zip("good.npz", {{"a.npy", array}, {"b.npy", array}});
  EXPECT_EQ(zip_problem("good.npz"), "");
  make_zip("up.npz", {{"../a.npy", array}});
  EXPECT_NE(zip_problem("up.npz").find("leaves the archive"), std::string::npos);
  make_zip("pickle.npz", {{"a.pkl", "x"}});
  EXPECT_NE(zip_problem("pickle.npz").find("no array"), std::string::npos);
  make_zip("broken.npz", {{"a.npy", "not an array"}});
  EXPECT_NE(zip_problem("broken.npz").find("member a.npy"), std::string::npos);
  put(folder_.path() / "text.npz", "no zip");
  EXPECT_NE(zip_problem("text.npz").find("no zip archive"), std::string::npos);
}

TEST_F(Hostile, ATruncatedArchive) {
  make_zip("cut.npz", {{"a.npy", npy_bytes("<f4", "(1000,)", std::string(4000, '\1'))}});
  const std::string whole = read_file(folder_.path() / "cut.npz").value();
  put(folder_.path() / "cut.npz", whole.substr(0, whole.size() / 2));
  EXPECT_NE(zip_problem("cut.npz"), "");
}

TEST_F(Hostile, TextThatIsNone) {
  EXPECT_NE(problem("a.csv", "\"open\n1\n").find("quote is left open"), std::string::npos);
  EXPECT_NE(problem("a.csv", "\xff\xfe").find("UTF-8"), std::string::npos);
  EXPECT_NE(problem("a.csv", "\n\n"), "");
  EXPECT_NE(problem("a.json", "{"), "");
  EXPECT_NE(problem("a.json", std::string(100'000, '[')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(problem("a.json", "{}").find("no value"), std::string::npos);
}

TEST_F(Hostile, LinksAreNotFollowed) {
  put(folder_.path() / "secret.csv", "1\n");
  fs::create_directories(folder_.path() / "a");
  fs::create_directories(folder_.path() / "b");
  fs::create_symlink(folder_.path() / "secret.csv", folder_.path() / "a/x.csv");
  fs::create_symlink(folder_.path() / "secret.csv", folder_.path() / "b/x.csv");
  const auto compared = [&] { return compare_paths("x", folder_.path() / "a", folder_.path() / "b", {}); };
  ASSERT_EQ(compared().size(), 1u);
  EXPECT_EQ(compared()[0].status, "empty") << "links of one target say nothing";
  put(folder_.path() / "a/y.csv", "1\n");
  put(folder_.path() / "b/y.csv", "1\n");
  ASSERT_EQ(compared().size(), 1u);
  EXPECT_TRUE(compared()[0].within());
  fs::remove(folder_.path() / "b/x.csv");
  fs::create_symlink("elsewhere", folder_.path() / "b/x.csv");
  EXPECT_EQ(compared()[0].status, "unreadable");
}

}  // namespace
}  // namespace mpsgate
