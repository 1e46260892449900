#include "sequence/selection.h"

#include "base/text.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const PlannedStep& find(const std::vector<PlannedStep>& plan, std::string_view id) {
  for (const auto& step : plan) {
    if (step.row->id == id) return step;
  }
  throw std::logic_error("no such step");
}

std::vector<PlannedStep> plan(const Protocol& protocol, const RunOptions& options,
                              const std::string& scope = "cpu") {
  return plan_steps(protocol, options, scope).value();
}

TEST(Selection, EveryRowStaysInTheSequence) {
  const auto steps = plan({}, {});
  ASSERT_EQ(steps.size(), 17u);
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(steps[i].row->number, static_cast<int>(i) + 1);
}

TEST(Selection, GatingFollowsTheScope) {
  std::string cpu, mps;
  for (const auto& step : plan({}, {})) {
    if (step.gating) cpu += std::string(step.row->id) + " ";
  }
  for (const auto& step : plan({}, {}, "mps")) {
    if (step.gating) mps += std::string(step.row->id) + " ";
  }
  EXPECT_EQ(cpu, "source environment probe control repeat relaunch ");
  EXPECT_EQ(mps, "source environment probe control strict census repeat parity relaunch ");
}

TEST(Selection, AReferenceMakesParityGateOnTheCpu) {
  Protocol protocol;
  EXPECT_FALSE(find(plan(protocol, {}), "parity").gating);
  EXPECT_NE(find(plan(protocol, {}), "parity").why, "");
  protocol.references["linux-cpu"] = "/bundle";
  EXPECT_TRUE(find(plan(protocol, {}), "parity").gating);
  EXPECT_EQ(find(plan(protocol, {}), "parity").why, "");
}

TEST(Selection, WeightsGateAndComeBeforeTheFirstCommand) {
  Protocol protocol;
  EXPECT_NE(find(plan(protocol, {}), "artefacts").why.find("names no weights"), std::string::npos);
  protocol.artefacts.emplace_back();
  for (const char* scope : {"cpu", "mps"}) {
    EXPECT_TRUE(find(plan(protocol, {}, scope), "artefacts").gating);
    EXPECT_EQ(find(plan(protocol, {}, scope), "artefacts").why, "");
  }
  RunOptions options;
  options.only = {"repeat"};
  EXPECT_TRUE(find(plan(protocol, options), "artefacts").selected);
  options.only = {"environment"};
  EXPECT_FALSE(find(plan(protocol, options), "artefacts").selected);
}

TEST(Selection, WhatNeedsMpsIsSkippedWithThatReason) {
  EXPECT_NE(find(plan({}, {}), "strict").why.find("needs MPS"), std::string::npos);
  EXPECT_EQ(find(plan({}, {}, "mps"), "strict").why, "");
  EXPECT_NE(find(plan({}, {}, "mps"), "soak").why.find("does not have this step yet"), std::string::npos);
}

TEST(Selection, TheProtocolAddsAndDrops) {
  Protocol protocol;
  protocol.gating_drop["probe"] = "no torch";
  protocol.gating_add = {"export"};
  const auto steps = plan(protocol, {});
  EXPECT_FALSE(find(steps, "probe").gating);
  EXPECT_EQ(find(steps, "probe").dropped, "no torch");
  EXPECT_TRUE(find(steps, "probe").selected) << "it is skipped with its reason, never left out";
  EXPECT_TRUE(find(steps, "export").gating);
}

/// The protocol reader stands below this room and has the names of the steps itself.
TEST(Selection, TheProtocolReaderKnowsEveryStep) {
  for (const auto& row : step_table()) {
    const std::string text = "mpsgate: 1\nname: x\nrepository: {url: lab, commit: " + std::string(40, 'a') +
                             "}\ncommands: {infer: python x.py}\noutputs: {y: {file: y.npy}}\n"
                             "gating: {add: [" +
                             row.id + "]}\n";
    const auto reading = read_protocol(text, "/p/p.yaml", "/p", {});
    ASSERT_TRUE(reading.protocol) << row.id;
    EXPECT_TRUE(find(plan(*reading.protocol, {}), row.id).gating);
    const bool gates = row.gates_run || row.gates_cpu || std::string_view(row.id) == "artefacts";
    const std::string_view id = row.id;
    const bool kept = id == "source" || id == "environment" || id == "control";
    const auto dropping = read_protocol(replace_all(text, "add: [" + std::string(row.id) + "]",
                                                    "drop: {" + std::string(row.id) + ": a reason}"),
                                        "/p/p.yaml", "/p", {});
    EXPECT_EQ(dropping.protocol.has_value(), gates && !kept) << row.id;
  }
}

TEST(Selection, OnlyBringsWhatItNeeds) {
  RunOptions options;
  options.only = {"control"};
  std::string selected;
  for (const auto& step : plan({}, options)) {
    if (step.selected) selected += std::string(step.row->id) + " ";
  }
  EXPECT_EQ(selected, "source environment control cleanup ");
}

TEST(Selection, SkippedGatingStepsStillGate) {
  RunOptions options;
  options.skip = {"repeat"};
  const auto steps = plan({}, options);
  EXPECT_FALSE(find(steps, "repeat").selected);
  EXPECT_TRUE(find(steps, "repeat").gating);
}

TEST(Selection, UnknownStepsAreRefused) {
  RunOptions options;
  options.skip = {"controll"};
  const auto steps = plan_steps({}, options, "cpu");
  ASSERT_FALSE(steps);
  EXPECT_EQ(steps.error().code, "usage.step");
  EXPECT_NE(steps.error().advice.find("\"control\""), std::string::npos);
}

TEST(Selection, NothingIsNothing) {
  RunOptions options;
  EXPECT_TRUE(anything_selected(plan({}, options)));
  for (const auto& row : step_table())
    options.skip.emplace_back(row.id);
  EXPECT_FALSE(anything_selected(plan({}, options)));
  options.skip.clear();
  options.only = {"cleanup"};
  EXPECT_FALSE(anything_selected(plan({}, options)));
  options.only = {"host"};
  EXPECT_TRUE(anything_selected(plan({}, options)));
  options.only = {"soak"};
  options.skip = {"source"};
  EXPECT_TRUE(anything_selected(plan({}, options))) << "control is left, though its need is not";
}

}  // namespace
}  // namespace mpsgate
