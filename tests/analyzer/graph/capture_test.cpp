#include "tests/analyzer/graph/captures.h"

namespace kadvise::graph {
namespace {

using namespace test;
using torch::jit::Module;

TEST(Capture, AModuleWithoutObstaclesBecomesOneCallOfItsRunner) {
  auto m =
      test::moduleOf("def forward(self, x):\n  h = torch.tanh(x @ self.w)\n  return torch.exp(h) + self.b",
                     {{"w", torch::randn({4, 4})}, {"b", torch::randn({4})}});
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 1u);
  EXPECT_EQ(count(w.module, "prim::CallMethod"), 1);
  EXPECT_EQ(count(w.module, "aten::tanh"), 0);
  EXPECT_EQ(w.module.buffers().size(), 0u) << "the weights are the runner's";
  int before = test::runnerCalls();
  expectSame(m, w.module, {torch::randn({3, 4})});
  EXPECT_EQ(test::runnerCalls(), before + 2);
  expectSame(m, w.module, {torch::randn({7, 2, 4})});
}

TEST(Capture, TuplesListsAndDictionariesArePutTogetherOutside) {
  for (auto* body : {"return (h, (h + 1, x.size(0)))", "return [h, h * 2]", "return {\"a\": h, \"b\": h - 1}",
                     "out = [x]\n  out.append(h)\n  out.append(h.exp())\n  return out"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  h = torch.tanh(x) * 2\n  ") + body);
    auto w = wrap(m);
    EXPECT_EQ(w.pieces, 1u) << body;
    expectSame(m, w.module, {torch::randn({3, 4})});
  }
}

TEST(Capture, TheSchemaStays) {
  auto m = test::moduleOf(
      "def forward(self, x, scale: float = 2.0, mask: Optional[Tensor] = None):\n  h = torch.tanh(x)\n  "
      "return h "
      "* h * scale");
  auto w = wrap(m);
  auto &was = m.get_method("forward").function().getSchema(),
       &is = w.module.get_method("forward").function().getSchema();
  ASSERT_EQ(was.arguments().size(), is.arguments().size());
  for (std::size_t i = 1; i < was.arguments().size(); ++i) EXPECT_EQ(was.arguments()[i], is.arguments()[i]);
  expectSame(m, w.module, {torch::randn({3})});
  expectSame(m, w.module, {torch::randn({3}), 3.5});
}

TEST(Capture, ANumberOfTheCallerIsNotBakedIn) {
  auto m = test::moduleOf(
      "def forward(self, x, n: int):\n  h = torch.tanh(torch.exp(x))\n  return torch.relu(h[:n] * n)");
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 2u) << "around what the number decides";
  for (int n : {1, 2, 3}) expectSame(m, w.module, {torch::randn({5}), n});
}

TEST(Capture, NumbersFromShapesAreComputedAgainInside) {
  auto m = test::moduleOf(
      "def forward(self, x, y):\n  n = x.size(0) * 2\n  k = torch.nonzero(y)\n  h = "
      "torch.tanh(x).reshape([n, -1])\n"
      "  return torch.exp(h) * n, k, h.size(1)");
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 1u);
  EXPECT_EQ(count(w.module, "aten::nonzero"), 1);
  for (int rows : {1, 3}) expectSame(m, w.module, {torch::randn({rows, 4}), torch::randn({3})});
}

TEST(Capture, ANumberThatATensorOfASizeHoldsIsOne) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  h = torch.tanh(x)\n  n = "
      "int(torch.floor(torch.sqrt(torch.tensor(x.size(0)))))\n"
      "  return torch.exp(h[n:]) * n");
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 1u);
  for (int rows : {4, 9}) expectSame(m, w.module, {torch::randn({rows, 4})});
}

TEST(Capture, WhatWaitsForDataIsLeftOutAndTheRestIsCaptured) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  h = torch.tanh(x)\n  k = torch.nonzero(h.exp() > 1)\n  g = torch.relu(h) * "
      "2\n  if "
      "bool(h.sum() > 0):\n    g = g + 1\n  return torch.exp(g) - h, k");
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 3u);
  EXPECT_TRUE(isSaid(w, "aten::nonzero makes a result whose size depends on data"));
  EXPECT_TRUE(isSaid(w, "this branch is decided by the data of a tensor"));
  expectSame(m, w.module, {torch::full({4}, 0.5)});
  expectSame(m, w.module, {torch::full({4}, -0.5)});
}

struct Obstacle {
  const char *body, *reason;
};
constexpr Obstacle kObstacles[] = {
    {"torch.dropout(x, 0.5, True)", "random numbers"},
    {"torch.rand_like(x)", "random numbers"},
    {"x * x.sum().item()", "on the host"},
    {"self.b.add_(1) + x", "changes a parameter or buffer"},
    {"torch.batch_norm(x, None, None, self.m, self.v, True, 0.1, 1e-5, False)", "running statistics"},
    {"x.cpu() + 1", "memory of the host"},
    {"torch.arange(3) + x.to(\"cpu\")", "memory of the host"},
    {"torch.zeros([int(x.sum())])", "by the data of a tensor"},
};

// Beside what cannot be captured few launches are none; those of a sequence are many.
TEST(Capture, ARecurrentOperatorIsAPartOfItsOwn) {
  const std::string random = "def forward(self, x):\n  h = torch.randn([1, 2, 3])\n  ";
  const std::string
      sum = "return torch.relu(x + h)",
      lstm = "return torch.lstm(x, [h, h], [self.w, self.w], False, 1, 0.0, False, False, False)[0]";
  for (auto& [body, pieces] : {std::pair(sum, 0u), std::pair(lstm, 1u)}) {
    const auto m = test::moduleOf(random + body, {{"w", torch::randn({12, 3})}});
    EXPECT_EQ(test::wrap(m, kNothingTraced, kFewestLaunches).pieces, pieces) << body;
  }
}

TEST(Capture, EveryObstacleIsNamed) {
  for (auto& o : kObstacles) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  return ") + o.body,
                            {{"b", torch::zeros({3})}, {"m", torch::zeros({3})}, {"v", torch::ones({3})}});
    auto aliases = aliasesOf(test::graphOf(m), &m);
    Target target{"cuda", 90};
    auto blockers = blockersOf({*test::graphOf(m), &m, kNothingTraced, target, *aliases}, {});
    ASSERT_FALSE(blockers.empty()) << o.body;
    bool said = std::any_of(blockers.begin(), blockers.end(),
                            [&](auto& b) { return b.reason.find(o.reason) != std::string::npos; });
    EXPECT_TRUE(said) << o.body << ": " << blockers[0].reason;
  }
}

TEST(Capture, WhatDoesNotStandInTheWayIsNoObstacle) {
  for (auto* body : {"torch.dropout(x, 0.5, False)", "torch.scaled_dot_product_attention(x, x, x)",
                     "x[:, :x.size(0)] * x.dim()", "x * 2 if torch.is_autocast_enabled() else x",
                     "x + torch.arange(x.size(1), device=x.device)"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  return ") + body);
    auto aliases = aliasesOf(test::graphOf(m), &m);
    Target target{"cuda", 90};
    auto blockers = blockersOf({*test::graphOf(m), &m, kNothingTraced, target, *aliases}, {});
    EXPECT_TRUE(blockers.empty()) << body << ": " << blockers[0].reason;
  }
}

}  // namespace
}  // namespace kadvise::graph
