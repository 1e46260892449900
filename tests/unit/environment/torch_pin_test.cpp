#include "environment/torch_pin.h"

#include <gmock/gmock.h>

namespace mpsgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Pinned {
  std::vector<Requirement> requirements;
  std::vector<Rewrite> rewrites;
  TorchPin pin;
};

Pinned pinned(const std::vector<std::string>& lines, bool linux_cpu_build, bool first_is_constraint = false) {
  Pinned result;
  for (const auto& line : lines)
    result.requirements.push_back(parse_requirement(line, {}));
  if (first_is_constraint) result.requirements.front().constraint = true;
  result.pin = pin_torch(result.requirements, result.rewrites, linux_cpu_build);
  return result;
}

TEST(TorchPin, IsTakenInItsCpuBuildOnLinux) {
  for (const char* line : {"torch==2.13.0", "torch==2.13.0+cu121"}) {
    const auto result = pinned({"numpy", line}, true);
    EXPECT_EQ(result.requirements[1].text, "torch==2.13.0+cpu");
    ASSERT_EQ(result.rewrites.size(), 1u);
    EXPECT_EQ(result.rewrites[0].from, line);
    EXPECT_EQ(result.rewrites[0].to, "torch==2.13.0+cpu");
    EXPECT_THAT(result.pin.pinned, ElementsAre("2.13.0+cpu"));
    EXPECT_FALSE(result.pin.unpinned);
  }
  EXPECT_THAT(pinned({"torch==2.13.0+cpu"}, true).rewrites, IsEmpty());
}

TEST(TorchPin, LosesACudaBuildOnAMac) {
  const auto result = pinned({"torch==2.1.0+cu118"}, false);
  EXPECT_EQ(result.requirements[0].text, "torch==2.1.0");
  EXPECT_EQ(result.rewrites.size(), 1u);
  EXPECT_THAT(pinned({"torch==2.1.0"}, false).rewrites, IsEmpty());
}

TEST(TorchPin, NeedsNoConstraintWhereARequirementHoldsItEverywhere) {
  EXPECT_THAT(pinned({"torch==2.1.0"}, true).pin.constraints, IsEmpty());
  EXPECT_THAT(pinned({"torch==2.1.0; sys_platform == 'linux'"}, true).pin.constraints,
              ElementsAre("torch==2.1.0+cpu"));
}

TEST(TorchPin, OfAConstraintHoldsTheOpenRequirementToo) {
  const auto result = pinned({"torch==2.1.0", "torch>=2"}, true, true);
  EXPECT_FALSE(result.pin.unpinned);
  EXPECT_EQ(result.requirements[0].text, "torch==2.1.0+cpu");
  EXPECT_EQ(result.requirements[1].text, "torch==2.1.0+cpu");
}

TEST(TorchPin, KeepsMarkersOfSeveralReleases) {
  const auto result =
      pinned({"torch==2.1.0; python_version < '3.12'", "torch==2.4.0; python_version >= '3.12'"}, true);
  EXPECT_THAT(result.pin.constraints, ElementsAre("torch==2.1.0+cpu; python_version < '3.12'",
                                                  "torch==2.4.0+cpu; python_version >= '3.12'"));
  EXPECT_EQ(result.requirements[0].text, "torch==2.1.0+cpu; python_version < '3.12'");
}

TEST(TorchPin, LeftOpenIsSaid) {
  for (const char* line :
       {"torch", "torch>=2.0", "torch==2.*", "torch @ https://h/torch-2.0.0%2Bcu118.whl"}) {
    const auto result = pinned({line}, true);
    ASSERT_TRUE(result.pin.unpinned) << line;
    EXPECT_EQ(*result.pin.unpinned, line);
  }
  EXPECT_TRUE(pinned({"torch==2.0.0", "torch @ https://h/torch-2.0.0.whl"}, true).pin.unpinned);
}

TEST(TorchPin, OfNobodyIsHeldByTheStandIn) {
  const auto result = pinned({"timm"}, true);
  EXPECT_FALSE(result.pin.unpinned);
  EXPECT_THAT(result.pin.constraints, ElementsAre(std::string("torch==") + kTorchStandIn));
  EXPECT_THAT(result.pin.pinned, IsEmpty());
}

TEST(TorchPin, TwiceIsTheSame) {
  auto result = pinned({"torch==2.1.0", "torchvision==0.16.0"}, true);
  const auto again = pin_torch(result.requirements, result.rewrites, true);
  EXPECT_EQ(result.rewrites.size(), 1u);
  EXPECT_EQ(again.pinned, result.pin.pinned);
}

TEST(TorchPin, KnowsWhosePinItIs) {
  std::vector<Requirement> requirements = {parse_requirement("torch==2.1.0", {})};
  std::vector<Rewrite> rewrites;
  EXPECT_TRUE(pin_torch(requirements, rewrites, true).of_lab);
  requirements[0].of_lab = false;
  EXPECT_FALSE(pin_torch(requirements, rewrites, true).of_lab);
}

}  // namespace
}  // namespace mpsgate
