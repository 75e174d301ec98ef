// Products of odd widths with padded weights: the same results, and only where nobody could tell.
#include "analyzer/graph/odd_widths.h"

#include "analyzer/graph/fold.h"
#include "analyzer/graph/rewrite.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

constexpr auto k16Bits = at::kBFloat16;

struct Widths {
  const char* name;
  std::int64_t results, features;
  std::int64_t paddedResults, paddedFeatures;
  bool biased = false;
};

std::vector<std::pair<std::string, at::Tensor>> weights(const Widths& w) {
  return {{"w", at::randn({w.results, w.features}).to(k16Bits)}, {"b", at::randn({w.results}).to(k16Bits)}};
}

Shaped productOf(const Widths& w, const std::string& after = "y") {
  std::string call = w.biased ? "torch.linear(x, self.w, self.b)" : "torch.linear(x, self.w)";
  return Shaped("def forward(self, x):\n    y = " + call + "\n    return " + after,
                {meta({2, 3, w.features}, k16Bits)}, weights(w));
}

CodedResult found(const Shaped& s, const char* device = "cuda") {
  return findOddWidths(RulePage(), {*s.graph, &s.module, s.traced, {device, 90}, *aliasesOf(s.graph)});
}

std::optional<Mismatch> apply(const Shaped& s, const CodedFinding& f) {
  NearMiss near;
  auto match = matchAt(*f.rewrite->pattern, f.rewrite->roots, s.traced, near);
  if (!match) return near.mismatch;
  auto aliases = aliasesOf(s.graph);
  if (auto why = whyUnsafe(*f.rewrite->pattern, *match, *aliases, memoryOfResults(*f.rewrite->replacement)))
    return why;
  return rewrite(*s.graph, *f.rewrite->pattern, *f.rewrite->replacement, *match, *aliases).refused;
}

class OddWidths : public testing::TestWithParam<Widths> {};

TEST_P(OddWidths, GiveTheOriginalsResultWithWeightsThatArePaddedOnce) {
  at::manual_seed(1);
  const auto& w = GetParam();
  auto s = productOf(w);
  auto x = at::randn({5, 2, w.features}).to(k16Bits), want = s.module.forward({x}).toTensor();
  auto result = found(s);
  ASSERT_EQ(result.findings.size(), 1u) << result.whyNothing;
  auto why = apply(s, result.findings[0]);
  ASSERT_FALSE(why) << why->at << " " << why->reason;
  EXPECT_EQ(foldWeights(s.module, HandedTo::Caller), w.biased && w.paddedResults != w.results ? 2 : 1);
  finishFolding(s.module);
  auto weight = s.module.attr("kadvise_folded_0").toTensor();
  if (weight.dim() == 1) weight = s.module.attr("kadvise_folded_1").toTensor();
  EXPECT_EQ(weight.sizes(), (std::vector<std::int64_t>{w.paddedResults, w.paddedFeatures}));
  auto have = s.module.forward({x}).toTensor();
  ASSERT_EQ(want.sizes(), have.sizes());
  EXPECT_TRUE(at::allclose(want, have, 0.02, 0.05)) << (want - have).abs().max();
}

INSTANTIATE_TEST_SUITE_P(Products, OddWidths,
                         testing::Values(Widths{"results", 97, 80, 104, 80},
                                         Widths{"features", 96, 79, 96, 80}, Widths{"both", 97, 79, 104, 80},
                                         Widths{"results_with_bias", 97, 80, 104, 80, true},
                                         Widths{"features_with_bias", 96, 79, 96, 80, true}),
                         [](const auto& info) { return info.param.name; });

constexpr Widths kOdd = {"", 97, 80, 104, 80};

TEST(OddWidth, OnACpuThePlaceIsNamedAndNothingProposed) {
  auto s = productOf(kOdd);
  auto result = found(s, "cpu");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_FALSE(result.findings[0].rewrite);
}

TEST(OddWidth, AResultWhoseStridesAreLookedAtIsLeftAlone) {
  for (auto* after : {"y.transpose(1, 2).is_contiguous()", "torch.as_strided(y, [2, 3], [3, 1])"}) {
    auto s = productOf(kOdd, after);
    auto result = found(s);
    ASSERT_EQ(result.findings.size(), 1u) << after;
    auto why = apply(s, result.findings[0]);
    ASSERT_TRUE(why) << after;
    EXPECT_NE(why->reason.find("strides that are observed"), std::string::npos) << why->reason;
  }
}

// Written to, and seen in other shapes, which copies where there are gaps between rows.
TEST(OddWidth, WhatIsDoneWithTheResultIsRight) {
  for (auto* after : {"y.mul_(2.0)", "y.view(-1)", "y.view([-1, 97])", "torch.relu_(y[:, :2])"}) {
    at::manual_seed(1);
    auto s = productOf(kOdd, after);
    auto x = at::randn({2, 3, 80}).to(k16Bits), want = s.module.forward({x}).toTensor();
    auto result = found(s);
    ASSERT_EQ(result.findings.size(), 1u) << after;
    if (apply(s, result.findings[0])) continue;  // leaving it alone is right, too
    auto have = s.module.forward({x}).toTensor();
    ASSERT_EQ(want.sizes(), have.sizes()) << after;
    EXPECT_TRUE(at::allclose(want, have, 0.02, 0.05)) << after;
  }
}

TEST(OddWidth, SmallAndEvenWidthsAndOtherDtypesAreNotNamed) {
  for (const Widths& w : {Widths{"", 96, 80, 0, 0}, Widths{"", 61, 80, 0, 0}, Widths{"", 97, 61, 0, 0}})
    EXPECT_TRUE(found(productOf(w)).findings.empty()) << w.results << " " << w.features;
  Shaped wide("def forward(self, x):\n    return torch.linear(x, self.w)", {meta({2, 79})},
              {{"w", at::randn({97, 79})}});
  EXPECT_TRUE(found(wide).findings.empty());
}

TEST(OddWidth, AComputedWeightIsRefusedWithItsName) {
  Shaped s("def forward(self, x):\n    return torch.linear(x, torch.tanh(self.w))", {meta({2, 80}, k16Bits)},
           {{"w", at::randn({97, 80}).to(k16Bits)}});
  auto result = found(s);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_FALSE(result.findings[0].rewrite);
  ASSERT_EQ(result.refused.size(), 1u);
  EXPECT_NE(result.refused[0].why.reason.find("cannot be padded once"), std::string::npos);
}

}  // namespace
}  // namespace kadvise::graph
