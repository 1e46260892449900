#include "fetch/store.h"

#include "base/files.h"
#include "base/hash.h"

#include <fstream>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  Stored put(const std::string& text, const std::string& level = "public", std::int64_t used_ms = 0) {
    Stored about;
    about.sha256 = sha256_of(text);
    about.level = level;
    about.bytes = text.size();
    about.fetched_ms = 5;
    about.used_ms = used_ms;
    fs::create_directories(store_.incoming(about.sha256).parent_path());
    std::ofstream(store_.incoming(about.sha256)) << text;
    return store_.add(about).value();
  }
  std::string found(const std::string& text) {
    const auto lookup = store_.find(sha256_of(text)).value();
    if (!lookup.stored) return lookup.damaged ? "damaged" : "absent";
    return read_file(lookup.stored->file).value();
  }

  TemporaryFolder folder_;
  Store store_{folder_.path() / "artefacts"};
};

TEST_F(StoreTest, GivesBackWhatWasPutIn) {
  EXPECT_EQ(found("weights"), "absent");
  const Stored stored = put("weights", "internal");
  EXPECT_EQ(found("weights"), "weights");
  EXPECT_FALSE(fs::exists(store_.incoming(stored.sha256)));
  EXPECT_EQ(fs::status(stored.file).permissions() & fs::perms(0777), fs::perms(0444))
      << "nobody writes to it";
  const auto lookup = store_.find(stored.sha256).value();
  EXPECT_EQ(lookup.stored->level, "internal");
  EXPECT_EQ(lookup.stored->bytes, 7u);
  EXPECT_EQ(lookup.stored->fetched_ms, 5);
}

TEST_F(StoreTest, AChangedFileIsSetAside) {
  const Stored stored = put("weights");
  fs::permissions(stored.file, fs::perms(0644));
  std::ofstream(stored.file) << "other!!";
  EXPECT_EQ(found("weights"), "damaged");
  EXPECT_EQ(found("weights"), "absent");
  EXPECT_EQ(read_file(stored.file.parent_path() / "damaged").value(), "other!!") << "kept for inspection";
  put("weights");
  EXPECT_EQ(found("weights"), "weights");
}

TEST_F(StoreTest, ATouchedFileIsReadAgain) {
  const Stored stored = put("weights");
  fs::last_write_time(stored.file, fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(found("weights"), "weights");
}

TEST_F(StoreTest, TheStricterClassAndTheEarlierEndCount) {
  Stored stored = put("weights", "internal");
  ASSERT_TRUE(store_.use(stored, "public", 7, 100));
  ASSERT_TRUE(store_.use(stored, "restricted", 8, 200));
  ASSERT_TRUE(store_.use(stored, "public", 9, 0));
  const Stored now = *store_.find(stored.sha256).value().stored;
  EXPECT_EQ(now.level, "restricted");
  EXPECT_EQ(now.used_ms, 9);
  EXPECT_EQ(now.keep_until_ms, 100);
}

TEST_F(StoreTest, ListsTheOldestFirstAndRemoves) {
  put("a", "public", 30);
  put("b", "public", 10);
  put("c", "public", 20);
  std::vector<std::uint64_t> used;
  for (const auto& stored : store_.list())
    used.push_back(static_cast<std::uint64_t>(stored.used_ms));
  EXPECT_EQ(used, (std::vector<std::uint64_t>{10, 20, 30}));
  ASSERT_TRUE(store_.remove(sha256_of("b")));
  EXPECT_EQ(found("b"), "absent");
  EXPECT_EQ(store_.list().size(), 2u);
  EXPECT_TRUE(store_.remove(sha256_of("never there")));
}

TEST_F(StoreTest, PartsHaveTheClassOfWhatTheyArePartsOf) {
  Stored about;
  about.sha256 = sha256_of("secret");
  about.level = "restricted";
  about.used_ms = about.fetched_ms = 7;
  about.keep_until_ms = 9;
  ASSERT_TRUE(store_.expect(about));
  std::ofstream(store_.incoming(about.sha256).string() + ".part") << "sec";
  ASSERT_TRUE(store_.abandon(about.sha256)) << "the part stays";
  about.level = "public";
  ASSERT_TRUE(store_.expect(about));
  EXPECT_EQ(found("secret"), "absent");
  const auto all = store_.list();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].level, "restricted") << "the stricter one stays";
  EXPECT_EQ(all[0].bytes, 3u);
  EXPECT_EQ(all[0].keep_until_ms, 9);
  ASSERT_TRUE(store_.remove(about.sha256));
  EXPECT_FALSE(fs::exists(store_.incoming(about.sha256).parent_path()));
  ASSERT_TRUE(store_.expect(about));
  ASSERT_TRUE(store_.abandon(about.sha256));
  EXPECT_TRUE(store_.list().empty()) << "nothing was received";
}

TEST_F(StoreTest, WhatNobodyDescribedIsAsStrictAsCanBe) {
  const fs::path entry = folder_.path() / "artefacts" / std::string(64, 'e');
  fs::create_directories(entry);
  std::ofstream(entry / "incoming.part") << "what?";
  const auto all = store_.list();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].level, "restricted");
  EXPECT_EQ(all[0].bytes, 5u);
  ASSERT_TRUE(store_.remove(all[0].sha256));
  EXPECT_TRUE(store_.list().empty());
}

TEST_F(StoreTest, ADamagedDescriptionIsAsStrictAsCanBe) {
  const Stored stored = put("weights");
  ASSERT_TRUE(write_file(stored.file.parent_path() / "about.json", "{}"));
  EXPECT_EQ(store_.list().at(0).level, "restricted");
  EXPECT_EQ(found("weights"), "weights") << "its hash tells";
  ASSERT_TRUE(write_file(stored.file.parent_path() / "about.json", "no json"));
  EXPECT_EQ(found("weights"), "absent");
}

TEST(Strictness, IsOrdered) {
  EXPECT_LT(strictness("public"), strictness("internal"));
  EXPECT_LT(strictness("internal"), strictness("restricted"));
  EXPECT_EQ(strictness("what"), strictness("restricted"));
}

}  // namespace
}  // namespace mpsgate
