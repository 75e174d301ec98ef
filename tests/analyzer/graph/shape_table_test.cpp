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

// The module with its first table in place and computed.
Table tableIn(const std::string& body) {
  auto w = torch::rand({4}) + 0.5;
  Shaped s("def forward(self, x):\n" + body, {meta({2, 5, 8})}, {{"w", w}});
  Target target{"cpu", 0};
  auto aliases = aliasesOf(s.graph);
  auto result = findShapeOnly(RulePage(), {*s.graph, &s.module, s.traced, target, *aliases});
  if (result.findings.empty()) return {result.whyNothing, s.module};
  auto& made = result.findings[0].rewrite;
  if (!made) return {result.refused.at(0).why.reason, s.module};
  NearMiss near;
  auto match = matchAt(*made->pattern, made->roots, s.traced, near);
  auto done = rewrite(*s.graph, *made->pattern, *made->replacement, *match, *aliases);
  if (done.refused) return {done.refused->reason, s.module};
  simplify(s.graph);
  int buffers = foldWeights(s.module);
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

TEST(ShapeTable, IsRefusedWithTheReason) {
  struct {
    const char *body, *reason;
  } cases[] = {
      {"    t = torch.arange(x.size(1)).to(6)\n    return x[0, :, :4] * torch.cos(torch.outer(t, "
       "self.w))",
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
       "loop or branch"},
  };
  for (auto& c : cases) {
    auto table = tableIn(c.body);
    EXPECT_NE(table.why.find(c.reason), std::string::npos) << c.body << "\n" << table.why;
  }
}

}  // namespace
}  // namespace kadvise::graph
