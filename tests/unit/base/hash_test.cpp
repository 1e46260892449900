#include "base/hash.h"

#include "base/files.h"

#include <fstream>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

// FIPS 180-2, appendix B.
constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Hash, AgreesWithTheStandard) {
  EXPECT_EQ(sha256_of("abc"), kOfAbc);
  EXPECT_EQ(sha256_of(""), kOfNothing);
}

TEST(Hash, PiecesMakeTheWhole) {
  Sha256 hash;
  hash.add("a");
  hash.add("");
  hash.add("bc");
  EXPECT_EQ(hash.hex(), kOfAbc);
}

TEST(Hash, ReadsFiles) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "f") << "abc";
  EXPECT_EQ(sha256_of_file(folder.path() / "f").value(), kOfAbc);
  const auto missing = sha256_of_file(folder.path() / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "file.unreadable");
}

}  // namespace
}  // namespace mpsgate
