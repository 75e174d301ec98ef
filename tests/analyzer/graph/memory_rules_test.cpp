// What the pages' examples cannot show: equal layers, estimates, and silence without a run.
#include "analyzer/graph/memory_rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analyzer/graph/shape_only.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

const CodedRule kAll[] = {findCopiesBeforeUse, findCopyingReshapes, findConstantWork,
                          findNeedlessCats,    findGrowingCaches,   findDtypeRoundTrips,
                          findFloat64,         findNoEffect,        findKeptTooLong};

Shaped layers(const std::vector<std::string>& scopes) {
  std::string body = "def forward(self, x):\n";
  for (std::size_t i = 0; i < scopes.size(); ++i)
    body += "    x = torch.relu(x.transpose(0, 1).reshape([128, 512]).reshape([256, 256]))\n";
  Shaped s(body + "    return x", {meta({256, 256})});
  std::size_t i = 0;
  for (auto* n : s.graph->nodes())
    if (n->kind() == torch::jit::aten::reshape)
      n->setScope(c10::make_intrusive<torch::jit::Scope>()->push(c10::Symbol::scope(scopes[i++ / 2])));
  return s;
}

CodedResult run(CodedRule rule, const Shaped& s) {
  Target target{"cuda", 90};
  return rule(RulePage(), {*s.graph, &s.module, s.traced, target, *aliasesOf(s.graph)});
}

TEST(MemoryRules, JoinEqualLayers) {
  auto result =
      run(findCopyingReshapes, layers({"net.layer.0.a", "net.layer.1.a", "net.layer.2.a", "net.head"}));
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].related.size(), 2u);
  EXPECT_TRUE(result.findings[1].related.empty());
}

TEST(MemoryRules, KeepTwoPlacesOfOneModuleApart) {
  auto result = run(findCopyingReshapes, layers({"layer.0", "layer.0", "layer.1", "layer.1"}));
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].related.size(), 1u);
}

TEST(MemoryRules, EstimateWhatTheyFind) {
  auto result = run(findCopyingReshapes, layers({"a"}));
  ASSERT_EQ(result.findings.size(), 1u);
  auto& e = *result.findings[0].estimate;
  EXPECT_EQ(e.bytesSaved, 2.0 * 256 * 256 * 4);
  EXPECT_NEAR(e.savedUs, 2.0 * 256 * 256 * 4 / 3.35e6 + 5, 1e-3);
  EXPECT_NEAR(e.speedup, 2, 1e-6);  // relu moves as much as the copy before it
  EXPECT_EQ(e.basis, "roofline estimate for H100");
}

TEST(MemoryRules, ACacheBelowTheLimitIsToldTheLimit) {
  Shaped s(
      "def forward(self, x, past):\n"
      "    keys = torch.cat([past, x * 2.0], 2)\n"
      "    return torch.matmul(x, keys.transpose(-1, -2)), keys",
      {meta({1, 4, 1, 64}), meta({1, 4, 255, 64})});
  auto result = run(findGrowingCaches, s);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_NE(result.whyNothing.find("(float32[1,4,255,64]) is below the rule's limit of 1 MiB"),
            std::string::npos)
      << result.whyNothing;
}

TEST(MemoryRules, SayNothingWithoutARun) {
  Shaped s(
      "def forward(self, x):\n    y = x.double().float() * 1.0\n    return torch.cat([y.transpose(0, "
      "1).contiguous(), torch.exp(y.reshape([-1]))])",
      {});
  TracedValues notRun;
  Target target{"cuda", 90};
  for (auto rule : kAll) {
    auto result = rule(RulePage(), {*s.graph, &s.module, notRun, target, *aliasesOf(s.graph)});
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.whyNothing, "needs the shapes of a run");
  }
}

TEST(MemoryRules, SayNothingOfACleanBlock) {
  Shaped s(
      "def forward(self, x):\n    h = torch.gelu(torch.linear(torch.layer_norm(x, [768]), self.w))\n    "
      "return torch.linear(h, self.v) + x",
      {meta({2, 128, 768})}, {{"w", at::zeros({3072, 768})}, {"v", at::zeros({768, 3072})}});
  for (auto rule : kAll) {
    auto result = run(rule, s);
    EXPECT_TRUE(result.findings.empty()) << (result.findings.empty() ? "" : result.findings[0].message);
    EXPECT_NE(result.whyNothing, "");
  }
}

// What the module keeps in an attribute is a cache, too, where the longer tensor takes its place.
CodedResult keptCache(const std::string& stored) {
  Shaped s("def forward(self, x):\n    keys = torch.cat([self.keys, x * 2], 1)\n    " + stored +
               "\n    return torch.matmul(x, keys.transpose(1, 2))",
           {meta({2, 1, 64})}, {{"keys", at::zeros({2, 4096, 64})}, {"other", at::zeros({2, 4096, 64})}});
  return run(findGrowingCaches, s);
}

TEST(GrowingCaches, AreAlsoWhatTheModuleKeeps) {
  EXPECT_EQ(keptCache("self.keys = keys").findings.size(), 1u);
  EXPECT_EQ(keptCache("self.keys = keys\n    keys = self.keys").findings.size(), 1u) << "read again";
  EXPECT_TRUE(keptCache("self.other = keys").findings.empty());
  EXPECT_TRUE(keptCache("pass").findings.empty()) << "nothing comes back";
}

// A table leaves nothing of what its operators do.
TEST(MemoryRules, EstimateAllThatATableSaves) {
  Shaped s(
      "def forward(self, x):\n    t = torch.arange(x.size(1), device=self.w.device)\n"
      "    angle = torch.outer(t.to(6), self.w)\n    return x * torch.cat([torch.cos(angle), "
      "torch.sin(angle)], 1)",
      {meta({2, 5, 8})}, {{"w", torch::rand({4})}});
  static const Target cpu{"cpu", 0};
  auto aliases = aliasesOf(s.graph);
  auto found = findShapeOnly(RulePage(), {*s.graph, &s.module, s.traced, cpu, *aliases}).findings;
  ASSERT_EQ(found.size(), 1u);
  auto& e = found[0].estimate.value();
  constexpr double kFloat = 4, kAngles = 5 * 4 * kFloat;
  EXPECT_GE(e.bytesSaved, 4 * kAngles + 4 * kAngles) << "cos and sin, and what cat joins";
  EXPECT_GT(e.savedUs, 0);
  EXPECT_TRUE(std::isinf(e.speedup));
}

}  // namespace
}  // namespace kadvise::graph
