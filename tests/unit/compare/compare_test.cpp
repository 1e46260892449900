#include "compare/compare.h"

#include "base/files.h"
#include "npy_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const double kInfinity = std::numeric_limits<double>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

class Compare : public ::testing::Test {
 protected:
  template <class T>
  Comparison floats(const std::vector<T>& a, const std::vector<T>& b, Tolerance tolerance,
                    const std::string& descr = "<f4") {
    const std::string shape = "(" + std::to_string(a.size()) + ",)";
    put(folder_.path() / "a.npy", npy_bytes(descr, shape, body_of(a)));
    put(folder_.path() / "b.npy", npy_bytes(descr, shape, body_of(b)));
    return only("a.npy", "b.npy", tolerance);
  }
  Comparison only(const std::string& a, const std::string& b, Tolerance tolerance) {
    const auto found = compare_paths("x", folder_.path() / a, folder_.path() / b, tolerance);
    EXPECT_EQ(found.size(), 1u);
    return found.front();
  }
  std::vector<Comparison> all(const std::string& a, const std::string& b, Tolerance tolerance = {}) {
    return compare_paths("x", folder_.path() / a, folder_.path() / b, tolerance);
  }
  TemporaryFolder folder_;
};

TEST_F(Compare, ComputedByHand) {
  const auto c = floats<float>({1, 2, 4, -8}, {1, 2.5f, 4, -10}, {0.1, 0.05, false, ""});
  EXPECT_EQ(c.status, "beyond");
  EXPECT_EQ(c.beyond, 2u);  // |2-2.5| = 0.5 > 0.3, |-8+10| = 2 > 1.05
  EXPECT_EQ(c.max_abs, 2);
  EXPECT_DOUBLE_EQ(c.max_rel, 0.2);
  EXPECT_EQ(c.worst_index, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(c.worst_actual, -8);
  EXPECT_EQ(c.worst_expected, -10);
  EXPECT_DOUBLE_EQ(c.needed_rtol, (2 - 0.05) / 10);
  EXPECT_DOUBLE_EQ(c.needed_atol, 2 - 1.0);
  EXPECT_FALSE(c.bit_equal);
  EXPECT_NE(c.message.find("2 of 4 elements"), std::string::npos);
}

TEST_F(Compare, EqualIsWithinAndBitEqual) {
  const auto c = floats<float>({1, 2}, {1, 2}, {});
  EXPECT_TRUE(c.within());
  EXPECT_TRUE(c.bit_equal);
  EXPECT_EQ(c.needed_rtol, 0);
  EXPECT_TRUE(floats<float>({0.0f}, {-0.0f}, {}).within());
  EXPECT_FALSE(floats<float>({0.0f}, {-0.0f}, {}).bit_equal);
}

TEST_F(Compare, AnExpectedZeroIsJudgedByAtolAlone) {
  EXPECT_FALSE(floats<float>({1e-6f}, {0}, {1, 0, false, ""}).within());
  EXPECT_EQ(floats<float>({1e-6f}, {0}, {1, 0, false, ""}).needed_rtol, kInfinity);
  EXPECT_TRUE(floats<float>({1e-6f}, {0}, {0, 1e-5, false, ""}).within());
}

TEST_F(Compare, NanFailsUnlessAskedFor) {
  const Tolerance wide{1e9, 1e9, false, ""}, equal{0, 0, true, ""};
  EXPECT_EQ(floats<float>({kNan, 1}, {kNan, 1}, wide).beyond, 1u);
  EXPECT_TRUE(floats<float>({kNan, 1}, {kNan, 1}, equal).within());
  EXPECT_FALSE(floats<float>({kNan, 1}, {1, 1}, equal).within());
  const auto c = floats<float>({1, 2, kNan}, {1, kNan, kNan}, equal);
  EXPECT_EQ(c.nan_actual, 1u);
  EXPECT_EQ(c.nan_expected, 2u);
  EXPECT_EQ(c.worst_index, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(c.needed_atol, kInfinity);
}

TEST_F(Compare, InfinityEqualsItselfOnly) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tolerance wide{1, 1e30, false, ""};
  EXPECT_TRUE(floats<float>({inf, -inf}, {inf, -inf}, {}).within());
  EXPECT_FALSE(floats<float>({inf}, {-inf}, wide).within());
  EXPECT_FALSE(floats<float>({1}, {inf}, wide).within());
  EXPECT_FALSE(floats<float>({inf}, {1}, wide).within());
}

TEST_F(Compare, DtypesOfEverySize) {
  EXPECT_TRUE(floats<double>({1e300, 2}, {1e300, 2}, {}, "<f8").within());
  EXPECT_TRUE(floats<std::uint16_t>({0x3C00, 0x7C00, 0x0001}, {0x3C00, 0x7C00, 0x0001}, {}, "<f2").within());
  EXPECT_EQ(floats<std::uint16_t>({0x3C00}, {0x4000}, {}, "<f2").max_abs, 1) << "halves of 1 and 2";
  EXPECT_EQ(floats<std::int64_t>({9007199254740993}, {9007199254740992}, {}, "<i8").beyond, 1u)
      << "beyond what a double tells apart";
  EXPECT_EQ(floats<std::uint64_t>({~0ull}, {0}, {}, "<u8").max_abs, 18446744073709551615.0);
  EXPECT_EQ(floats<std::int8_t>({-128}, {127}, {}, "|i1").max_abs, 255);
  EXPECT_FALSE(floats<std::uint8_t>({1}, {0}, {}, "|b1").within());
  EXPECT_EQ(floats<float>({3, 0}, {0, 4}, {}, "<f4").beyond, 2u);
}

TEST_F(Compare, ComplexByTheModulus) {
  put(folder_.path() / "a.npy", npy_bytes("<c8", "(1,)", body_of<float>({3, 4})));
  put(folder_.path() / "b.npy", npy_bytes("<c8", "(1,)", body_of<float>({0, 0})));
  EXPECT_EQ(only("a.npy", "b.npy", {}).max_abs, 5);
}

TEST_F(Compare, OrderAndByteOrderDoNotMatter) {
  put(folder_.path() / "c.npy", npy_bytes("<f4", "(2, 3)", body_of<float>({1, 2, 3, 4, 5, 6})));
  put(folder_.path() / "f.npy", npy_bytes("<f4", "(2, 3)", body_of<float>({1, 4, 2, 5, 3, 6}), true));
  std::string swapped = body_of<float>({1, 2, 3, 4, 5, 7});
  for (std::size_t i = 0; i < swapped.size(); i += 4)
    std::reverse(swapped.begin() + static_cast<long>(i), swapped.begin() + static_cast<long>(i) + 4);
  put(folder_.path() / "s.npy", npy_bytes(">f4", "(2, 3)", swapped, false, 2));
  EXPECT_TRUE(only("c.npy", "f.npy", {}).within());
  const auto c = only("s.npy", "c.npy", {});
  EXPECT_EQ(c.beyond, 1u);
  EXPECT_EQ(c.worst_index, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(Compare, ShapeDtypeAndEmptinessAreNeverAPass) {
  put(folder_.path() / "a.npy", npy_bytes("<f4", "(2,)", body_of<float>({1, 2})));
  put(folder_.path() / "b.npy", npy_bytes("<f4", "(2, 1)", body_of<float>({1, 2})));
  put(folder_.path() / "d.npy", npy_bytes("<f8", "(2,)", body_of<double>({1, 2})));
  put(folder_.path() / "e.npy", npy_bytes("<f4", "(0,)", ""));
  const Tolerance wide{1e9, 1e9, true, ""};
  EXPECT_EQ(only("a.npy", "b.npy", wide).status, "shape");
  EXPECT_EQ(only("a.npy", "d.npy", wide).status, "dtype");
  EXPECT_EQ(only("e.npy", "e.npy", wide).status, "empty");
  EXPECT_EQ(only("a.npy", "none.npy", wide).status, "missing");
  EXPECT_EQ(only("none.npy", "a.npy", wide).status, "missing");
  for (const char* other : {"b.npy", "d.npy", "none.npy"})
    EXPECT_NE(only("a.npy", other, wide).message, "");
}

TEST_F(Compare, TheSaidToleranceIsTheSmallestThatPasses) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> a, b;
    for (int i = 0; i < 20; ++i) {
      b.push_back(normal(random) * std::pow(10, normal(random) * 3));
      a.push_back(b.back() * (1 + normal(random) * 1e-4) + normal(random) * 1e-6);
    }
    const Tolerance start{1e-6, 1e-7, false, ""};
    const auto c = floats<double>(a, b, start, "<f8");
    ASSERT_FALSE(c.within());
    EXPECT_TRUE(floats<double>(a, b, {c.needed_rtol, start.atol, false, ""}, "<f8").within());
    EXPECT_FALSE(floats<double>(a, b, {c.needed_rtol * (1 - 1e-9), start.atol, false, ""}, "<f8").within());
    EXPECT_TRUE(floats<double>(a, b, {start.rtol, c.needed_atol, false, ""}, "<f8").within());
    EXPECT_FALSE(floats<double>(a, b, {start.rtol, c.needed_atol * (1 - 1e-9), false, ""}, "<f8").within());
  }
}

TEST_F(Compare, TablesByColumn) {
  put(folder_.path() / "a.csv", "name,score\n\"x, y\",0.5\nz,0.25\n");
  put(folder_.path() / "b.csv", "name,score\r\n\"x, y\",0.5000001\r\nz,0.25\r\n");
  const auto close = all("a.csv", "b.csv", {1e-5, 0, false, ""});
  ASSERT_EQ(close.size(), 2u);
  EXPECT_EQ(close[0].name, "x:name");
  EXPECT_TRUE(close[0].within());
  EXPECT_TRUE(close[1].within());
  EXPECT_FALSE(all("a.csv", "b.csv")[1].within());
  put(folder_.path() / "c.csv", "name,score\n\"x, y\",0.5\nw,0.25\n");
  EXPECT_EQ(all("c.csv", "a.csv")[0].status, "beyond");
  EXPECT_NE(all("c.csv", "a.csv")[0].message.find("\"w\", expected \"z\""), std::string::npos);
  put(folder_.path() / "ragged.csv", "1,2\n3\n");
  EXPECT_EQ(all("ragged.csv", "a.csv")[0].status, "unreadable");
  EXPECT_NE(all("ragged.csv", "a.csv")[0].message.find("row 2 has 1 cells"), std::string::npos);
  EXPECT_EQ(describe_path(folder_.path() / "ragged.csv").error().code, "result.unsupported")
      << "it may be meant so";
  put(folder_.path() / "cut.csv", "1,2\n3,4\n5");
  EXPECT_EQ(describe_path(folder_.path() / "cut.csv").error().code, "result.unreadable") << "it was cut off";
  put(folder_.path() / "nul.csv", std::string("1,2\n3,\0\n", 8));
  EXPECT_EQ(describe_path(folder_.path() / "nul.csv").error().code, "result.unsupported");
  put(folder_.path() / "n.csv", "nan\n1\n");
  EXPECT_FALSE(all("n.csv", "n.csv")[0].within()) << "NaN in a table is NaN";
}

TEST_F(Compare, TablesOfSpreadsheetsInOtherLanguages) {
  put(folder_.path() / "a.csv", "clip;score\nx;0,5\ny;1,25\n");
  put(folder_.path() / "b.csv", "clip;score\nx;0,5000001\ny;1,25\n");
  const auto close = all("a.csv", "b.csv", {1e-5, 0, false, ""});
  ASSERT_EQ(close.size(), 2u);
  EXPECT_EQ(close[1].name, "x:score");
  EXPECT_TRUE(close[1].within());
  EXPECT_FALSE(all("a.csv", "b.csv")[1].within());
  put(folder_.path() / "c.csv", "a;b,score\nx,1\n");
  EXPECT_EQ(all("c.csv", "c.csv").size(), 2u) << "a semicolon in a header alone parts nothing";
}

TEST_F(Compare, LongWholeNumbersOfTablesAreComparedByTheirDigits) {
  put(folder_.path() / "a.csv", "id,score\n9007199254740993,1\n");
  put(folder_.path() / "b.csv", "id,score\n9007199254740992,1\n");
  EXPECT_FALSE(all("a.csv", "b.csv", {0.1, 0.1, false, ""})[0].within());
  EXPECT_TRUE(all("a.csv", "a.csv")[0].within());
}

TEST_F(Compare, NoToleranceAppliesToBytes) {
  put(folder_.path() / "a.txt", "accuracy 0.2");
  put(folder_.path() / "b.txt", "accuracy 0.4");
  EXPECT_FALSE(only("a.txt", "b.txt", {0.5, 100, false, ""}).within());
  EXPECT_TRUE(only("a.txt", "a.txt", {0.5, 100, false, ""}).within());
}

TEST_F(Compare, ColumnsOfOneNameAreToldApart) {
  put(folder_.path() / "a.csv", "a,a,,\n1,2,3,4\n");
  put(folder_.path() / "b.csv", "a,a,,\n1,1,3,4\n");
  for (const auto& c : all("a.csv", "a.csv"))
    EXPECT_TRUE(c.within()) << c.name << c.message;
  EXPECT_EQ(all("a.csv", "a.csv").size(), 4u);
  int beyond = 0;
  for (const auto& c : all("a.csv", "b.csv", {1e-3, 0, false, ""}))
    beyond += !c.within();
  EXPECT_EQ(beyond, 1);
}

TEST_F(Compare, ExtensionsInCapitals) {
  put(folder_.path() / "a.CSV", "x\n1\n");
  put(folder_.path() / "b.CSV", "x\n1.0001\n");
  EXPECT_TRUE(only("a.CSV", "b.CSV", {1e-3, 0, false, ""}).within());
}

TEST_F(Compare, JsonKeepsWholeNumbersAndEmptyValues) {
  put(folder_.path() / "a.json", R"({"n": 9007199254740993, "e": []})");
  put(folder_.path() / "b.json", R"({"n": 9007199254740992, "e": []})");
  put(folder_.path() / "c.json", R"({"n": 9007199254740993, "e": {}})");
  EXPECT_TRUE(all("a.json", "a.json").front().within());
  EXPECT_FALSE(all("a.json", "b.json").front().within());
  EXPECT_FALSE(all("a.json", "c.json").front().within());
}

TEST_F(Compare, TheOrderOfKeysIsNoResult) {
  put(folder_.path() / "a.json", R"({"a": 1, "b": 2})");
  put(folder_.path() / "b.json", R"({"b": 2, "a": 1})");
  for (const auto& c : all("a.json", "b.json"))
    EXPECT_TRUE(c.within()) << c.message;
}

TEST_F(Compare, JsonWithPythonsConstants) {
  put(folder_.path() / "a.json", R"({"loss": NaN, "best": -Infinity, "text": "NaN \"Infinity", "x": 1})");
  put(folder_.path() / "b.json", R"({"loss": 0.5, "best": -Infinity, "text": "NaN \"Infinity", "x": 1})");
  EXPECT_FALSE(all("a.json", "a.json").front().within()) << "NaN fails unless asked";
  for (const auto& c : all("a.json", "a.json", {1e-3, 0, true, ""}))
    EXPECT_TRUE(c.within()) << c.message;
  const auto found = all("a.json", "b.json", {1e-3, 0, true, ""});
  EXPECT_EQ(found.front().beyond, 1u);
  EXPECT_EQ(found.front().elements, 3u);
}

TEST_F(Compare, JsonByPath) {
  put(folder_.path() / "a.json", R"({"map": 0.5, "names": ["a"], "n": [1, 2]})");
  put(folder_.path() / "b.json", R"({"map": 0.50001, "names": ["a"], "n": [1, 2]})");
  for (const auto& c : all("a.json", "b.json", {1e-3, 0, false, ""}))
    EXPECT_TRUE(c.within()) << c.message;
  put(folder_.path() / "c.json", R"({"other": 0.5, "names": ["a"], "n": [1, 2]})");
  const auto found = all("a.json", "c.json");
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const auto& c) { return !c.within(); }))
      << "another key is no small difference";
}

TEST_F(Compare, OtherFilesByTheirBytes) {
  put(folder_.path() / "a.bin", "same");
  put(folder_.path() / "b.bin", "sane");
  EXPECT_TRUE(only("a.bin", "a.bin", {}).within());
  EXPECT_EQ(only("a.bin", "b.bin", {}).beyond, 1u);
}

TEST_F(Compare, FoldersFileByFile) {
  put(folder_.path() / "a/x.npy", npy_bytes("<f4", "(1,)", body_of<float>({1})));
  put(folder_.path() / "a/deep/y.csv", "1,2\n");
  put(folder_.path() / "b/x.npy", npy_bytes("<f4", "(1,)", body_of<float>({1})));
  put(folder_.path() / "b/z.csv", "1\n");
  std::string said;
  for (const auto& c : all("a", "b"))
    said += c.name + "=" + c.status + " ";
  EXPECT_EQ(said, "x/deep/y.csv=extra x/x.npy=within x/z.csv=missing ");
  fs::create_directories(folder_.path() / "e1");
  EXPECT_EQ(only("e1", "e1", {}).status, "empty");
  EXPECT_EQ(only("a", "a/x.npy", {}).status, "shape");
}

TEST_F(Compare, SurvivesTheWayThroughJson) {
  const auto c = floats<float>({1, kNan}, {2, 1}, {});
  const auto back = comparison_from_json(parse_json(dump_json(to_json(c)), "x").value());
  EXPECT_EQ(dump_json(to_json(back)), dump_json(to_json(c)));
  EXPECT_EQ(comparison_from_json(Json::array()).status, "unreadable")
      << "an answer that says nothing is no pass";
}

TEST_F(Compare, ServesBothQuestions) {
  put(folder_.path() / "a.npy", npy_bytes("<f4", "(2, 3)", body_of<float>({1, 2, 3, 4, 5, 6})));
  const std::string path = (folder_.path() / "a.npy").string();
  const auto described =
      serve_compare(
          {{"op", "describe"},
           {"files", Json::array({{{"name", "n"}, {"path", path}}, {{"name", "m"}, {"path", "/none"}}})}})
          .value();
  EXPECT_EQ(described["files"][0]["description"], "float32 2x3");
  EXPECT_NE(described["files"][1]["problem"], "");
  const auto compared =
      serve_compare(
          {{"op", "compare"},
           {"pairs",
            Json::array(
                {{{"name", "n"}, {"actual", path}, {"expected", path}, {"tolerance", {{"rtol", 0}}}}})}})
          .value();
  EXPECT_EQ(compared["comparisons"][0]["status"], "within");
  EXPECT_FALSE(serve_compare({{"op", "dance"}}));
}

}  // namespace
}  // namespace mpsgate
