// What only shapes decide, kept as a table: the original's results for the sizes of the run and for others.
#include "analyzer/graph/shape_table.h"

#include "analyzer/graph/fold.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/shape_only.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

struct Table {
  std::string why;  // there is none
  torch::jit::Module module;
  int buffers = 0;
};

CodedResult tablesOf(const Shaped& s, const Aliases& aliases) {
  static const Target cpu{"cpu", 0};
  return findShapeOnly(RulePage(), {*s.graph, &s.module, s.traced, cpu, aliases});
}

// The module with its first table in place and computed.
Table tableIn(const std::string& body) {
  auto w = torch::rand({4}) + 0.5;
  Shaped s("def forward(self, x):\n" + body, {meta({2, 5, 8})}, {{"w", w}});
  auto aliases = aliasesOf(s.graph);
  auto result = tablesOf(s, *aliases);
  if (result.findings.empty()) return {result.whyNothing, s.module};
  auto& made = result.findings[0].rewrite;
  if (!made) return {result.refused.at(0).why.reason, s.module};
  NearMiss near;
  auto match = matchAt(*made->pattern, made->roots, s.traced, near);
  auto done = rewrite(*s.graph, *made->pattern, *made->replacement, *match, *aliases);
  if (done.refused) return {done.refused->reason, s.module};
  EXPECT_TRUE(tablesOf(s, *aliasesOf(s.graph)).findings.empty()) << "a table is no place for a table";
  simplify(s.graph);
  int buffers = foldWeights(s.module, HandedTo::Caller);
  finishFolding(s.module);
  return {"", s.module, buffers};
}

constexpr const char* kRotation =
    "    t = torch.arange(x.size(1), device=self.w.device)\n"
    "    angle = torch.outer(t.to(6), self.w)\n"
    "    angle = torch.cat([angle, angle], 1)\n"
    "    return x * torch.cos(angle) + x * torch.sin(angle)";

torch::jit::Module plain(const torch::jit::Module& like, const std::string& body) {
  torch::jit::Module m("__torch__.Plain");
  m.register_buffer("w", like.attr("w").toTensor());
  m.define("def forward(self, x):\n" + body + "\n");
  return m;
}

TEST(ShapeTable, IsReadForTheSizesOfTheRunAndNotForOthers) {
  auto table = tableIn(kRotation);
  ASSERT_EQ(table.why, "");
  EXPECT_EQ(table.buffers, 2) << "cos and sin";
  auto original = plain(table.module, kRotation);
  for (auto length : {5, 9, 1}) {
    auto x = torch::randn({3, length, 8});
    EXPECT_TRUE(torch::equal(table.module.forward({x}).toTensor(), original.forward({x}).toTensor()));
  }
  // That it is read: what it holds shows in the result.
  table.module.setattr("kadvise_folded_0", torch::zeros({5, 8}));
  table.module.setattr("kadvise_folded_1", torch::zeros({5, 8}));
  EXPECT_TRUE(table.module.forward({torch::ones({1, 5, 8})}).toTensor().eq(0).all().item<bool>());
  EXPECT_FALSE(table.module.forward({torch::ones({1, 6, 8})}).toTensor().eq(0).any().item<bool>());
}

TEST(ShapeTable, ACallerGetsACopy) {
  const std::string body =
      "    t = torch.arange(x.size(1), device=self.w.device).to(6)\n"
      "    return torch.cos(torch.outer(t, self.w))";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  auto x = torch::randn({2, 5, 8});
  auto want = plain(table.module, body).forward({x}).toTensor();
  table.module.forward({x}).toTensor().zero_();
  EXPECT_TRUE(torch::equal(table.module.forward({x}).toTensor(), want));
}

TEST(ShapeTable, NumbersThatItDecidesInsideAreItsOwn) {
  const std::string body =
      "    t = torch.arange(x.size(1), device=self.w.device).to(6)\n"
      "    m = torch.cos(torch.outer(t, self.w))\n"
      "    m = m.reshape([m.size(1), m.size(0)])\n"
      "    return x.sum() + torch.sin(m)";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  auto original = plain(table.module, body);
  for (auto length : {5, 7}) {
    auto x = torch::randn({2, length, 8});
    EXPECT_TRUE(torch::equal(table.module.forward({x}).toTensor(), original.forward({x}).toTensor()));
  }
}

void expectAsOriginal(const Table& table, const std::string& body,
                      const std::vector<std::int64_t>& lengths = {5, 9, 2}) {
  auto original = plain(table.module, body);
  auto m = table.module;
  for (auto length : lengths)
    for (auto dtype : {at::kFloat, at::kBFloat16}) {
      auto x = torch::randn({2, length, 8}).to(dtype);
      EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), original.forward({x}).toTensor())) << length;
    }
}

// The index is where the module is, though the host made it: in a script the position table comes out of an
// if.
TEST(ShapeTable, WhatIsIndexedDecidesWhereTheIndexIs) {
  const std::string body =
      "    far = torch.arange(x.size(1))[:, None] - torch.arange(x.size(1))[None, :] + 3\n"
      "    near = torch.relu(x)\n"
      "    if x.size(0) > 1:\n        near = near * 2.0\n"
      "    rows = far.clamp(0, 4).to(4)\n"
      "    return near[:, rows].sum(2) + x[:, rows].sum() + near[:, rows, rows % 2].sum()";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  expectAsOriginal(table, body, {5, 7});
  auto devices = table.module.get_method("forward").graph()->toString();
  EXPECT_NE(devices.find("prim::device"), std::string::npos) << "what is indexed is not asked where it is";
}

TEST(ShapeTable, StartsFromQuotientsOfSizes) {
  const std::string body =
      "    far = torch.arange(x.size(1), device=x.device) * max(x.size(2) / x.size(1), 1.0)\n"
      "    return x.sum() + torch.cos(far) + torch.sin(far)";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  expectAsOriginal(table, body);
}

TEST(ShapeTable, WhatIsReadElsewhereTooStaysWhereTheHostMadeIt) {
  const std::string rows =
      "    far = torch.arange(x.size(1))[:, None] - torch.arange(x.size(1))[None, :] + 3\n"
      "    rows = far.clamp(0, 4).to(4)\n";
  for (const char* end :
       {"    return x[:, rows].sum() + rows", "    return x[:, rows].sum() + (rows * x.sum()).sum()",
        "    y = x[:, rows].sum(0)\n    return y[rows]"})
    EXPECT_EQ(tableIn(rows + end).why, "would be made by an operator that leaves the device to a default")
        << end;
}

// What a write of a number becomes asks the tensor itself for its device.
TEST(ShapeTable, ADeviceThatIsAskedForInsideStaysInside) {
  const std::string body =
      "    t = torch.arange(x.size(1), device=self.w.device).to(6)\n"
      "    m = torch.cos(torch.outer(t, self.w))\n"
      "    m = m + torch.ones([4], device=m.device)\n"
      "    return x.sum() + torch.sin(m)";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  auto x = torch::randn({2, 5, 8});
  EXPECT_TRUE(
      torch::equal(table.module.forward({x}).toTensor(), plain(table.module, body).forward({x}).toTensor()));
}

// As a mask of windows is made, with nothing but the activations to tell the device and dtype.
constexpr const char* kRegions =
    "        m = x.new_zeros([x.size(1), 8])\n"
    "        m[:2, :3] = 1\n        m[2:, 3:] = 2\n        m[-1:] = 3\n"
    "        m = m.unsqueeze(1) - m.unsqueeze(0)\n"
    "        m = m.masked_fill(m != 0, -100.0)\n";

TEST(ShapeTable, HoldsWhatIsFilledPartByPart) {
  const std::string body = std::string("    if True:\n") + kRegions + "    return x.sum() + m";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  EXPECT_EQ(table.buffers, 2) << "the mask, and what tells where the module is";
  expectAsOriginal(table, body);
}

TEST(ShapeTable, StandsInABranch) {
  const std::string body = std::string("    y = x.sum() + x\n    if x.size(1) > 3:\n") + kRegions +
                           "        y = y.unsqueeze(2) + m.sum()\n    return y";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  EXPECT_EQ(table.buffers, 2);
  expectAsOriginal(table, body);
}

TEST(ShapeTable, OfTheDeviceOfAnInputGoesWithTheModule) {
  const std::string body =
      "    t = torch.arange(x.size(1), device=x.device).to(x.dtype)\n"
      "    return x.sum() + torch.cos(torch.outer(t, t))";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  expectAsOriginal(table, body);
  for (const auto& buffer : table.module.named_buffers())
    if (buffer.value.dim() == 2) table.module.setattr(buffer.name, torch::zeros({5, 5}));
  EXPECT_TRUE(table.module.forward({torch::zeros({1, 5, 8})}).toTensor().eq(0).all().item<bool>());
  // Where the module is, and not only the input, decides: its buffers are elsewhere now.
  table.module.setattr("kadvise_folded_0", table.module.attr("kadvise_folded_0").toTensor().to(at::kMeta));
  EXPECT_FALSE(table.module.forward({torch::zeros({1, 5, 8})}).toTensor().eq(0).all().item<bool>());
}

TEST(ShapeTable, HoldsWhatIsMadeOnTheHostAndMoved) {
  const std::string body =
      "    t = torch.arange(x.size(1)).to(6)\n"
      "    return x.sum() + torch.cos(torch.outer(t, t)).to(x.device)";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  expectAsOriginal(table, body);
}

// What is expanded to the size of an attention is cut off: the size waits for what the table is added to.
TEST(ShapeTable, EndsBeforeWhatWaitsForItsResults) {
  const std::string body =
      "    t = torch.arange(x.size(1), device=self.w.device).to(6)\n"
      "    m = torch.cos(torch.outer(t, self.w)).sum(1)\n"
      "    y = torch.relu(x.sum(2) + m)\n"
      "    k = torch.sin(m.expand([y.size(0), m.size(0)]))\n"
      "    return y * k";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  expectAsOriginal(table, body);
}

TEST(ShapeTable, HoldsResultsOfWhichOthersAreMade) {
  const std::string body =
      "    t = torch.arange(x.size(1), device=x.device).to(x.dtype)\n"
      "    m = torch.cos(torch.outer(t, t))\n"
      "    y = torch.relu(x.sum(2).unsqueeze(2) + m)\n"
      "    return y * torch.sin(m)";
  auto table = tableIn(body);
  ASSERT_EQ(table.why, "");
  EXPECT_EQ(table.buffers, 3) << "both, and what tells where the module is";
  expectAsOriginal(table, body);
}

TEST(ShapeTable, AsksNoOptionalWhereTheModuleIs) {
  Shaped s(
      "def forward(self, x):\n"
      "    b = self.bias\n"
      "    assert b is not None\n"
      "    t = torch.zeros([8], device=x.device) + b\n"
      "    return x * torch.cos(torch.exp(t))",
      {meta({2, 8, 8})}, {}, {{"bias", c10::OptionalType::ofTensor(), torch::rand({8})}});
  auto* cast = s.node("prim::unchecked_cast");  // alone, as the specialised normal form has it
  auto* question = cast->owningBlock()->owningNode();
  cast->moveBefore(question);
  question->output()->replaceAllUsesWith(cast->output());
  question->destroy();
  auto aliases = aliasesOf(s.graph);
  EXPECT_EQ(tablesOf(s, *aliases).findings.size(), 1u);
}

TEST(ShapeTable, LeavesToFoldingWhatReplacementsMakeOfWeights) {
  Shaped s(
      "def forward(self, x):\n"
      "    k = torch.cos(torch.eye(4, device=self.w.device) + self.w)\n"
      "    return x.sum() + torch.exp(k)",
      {meta({2, 5, 8})}, {{"w", torch::rand({4})}});
  auto aliases = aliasesOf(s.graph);
  ASSERT_EQ(tablesOf(s, *aliases).findings.size(), 1u);
  forEachNode(s.graph->block(), [](torch::jit::Node* n) { setNodeId(n, -1); });
  EXPECT_TRUE(tablesOf(s, *aliases).findings.empty());
}

TEST(ShapeTable, IsRefusedWithTheReason) {
  struct {
    const char *body, *reason;
  } cases[] = {
      {"    t = torch.arange(x.size(1)).to(6)\n    return torch.cos(torch.outer(t, t))",
       "leaves the device to a default"},
      {"    t = torch.arange(x.size(1), device=self.w.device).to(6)\n"
       "    m = torch.cos(torch.outer(t, self.w))\n    m[0].add_(1.0)\n    return x.sum() * torch.sin(m)",
       "written to in place"},
      {"    t = torch.arange(x.size(1) * 4000, device=self.w.device).to(6)\n"
       "    m = torch.cos(torch.outer(t, t))\n    return x.sum() + m.sum(0)[0] + m",
       "MiB"},
      {"    m = torch.cos(torch.zeros_like(x) + torch.arange(8, device=self.w.device)).exp()\n    return x * "
       "m",
       "a whole tensor for its size"},
      {"    y = x\n    for i in range(x.size(0)):\n"
       "        t = torch.arange(x.size(1), device=self.w.device).to(6)\n"
       "        y = y + torch.cos(torch.outer(t, self.w)).sum()\n    return y",
       "stands in a loop"},
      {"    y = x\n    if x.size(1) > 7:\n"
       "        t = torch.arange(x.size(1), device=self.w.device).to(6)\n"
       "        y = y + torch.cos(torch.outer(t, self.w)).sum()\n    return y",
       "was not run to this point"},
  };
  for (auto& c : cases) {
    auto table = tableIn(c.body);
    EXPECT_NE(table.why.find(c.reason), std::string::npos) << c.body << "\n" << table.why;
  }
}

}  // namespace
}  // namespace kadvise::graph
