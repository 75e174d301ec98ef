#include "tests/analyzer/graph/captures.h"

namespace kadvise::graph {
namespace {

using namespace test;
using torch::jit::Module;

TEST(Capture, ViewsOfOneMemoryStayViewsOfOneMemory) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  h = torch.tanh(x)\n  a, b = h.chunk(2)\n  return h, h.t(), a, b, x.view(-1)");
  auto w = wrap(m);
  ASSERT_EQ(w.pieces, 1u);
  auto x = torch::randn({4, 4});
  expectSame(m, w.module, {x});
  auto out = w.module.forward({x}).toTupleRef().elements();
  auto storage = [](const c10::IValue& v) { return v.toTensor().storage().data(); };
  for (std::size_t i : {1, 2, 3}) EXPECT_EQ(storage(out[0]), storage(out[i])) << i;
  EXPECT_EQ(storage(out[4]), x.storage().data()) << "a view of the caller's tensor";
}

// As generated kernels give their results.
TORCH_LIBRARY_FRAGMENT(kadvise, m) {
  m.def("two_results(Tensor x) -> Tensor[]",
        [](const at::Tensor& x) { return std::vector<at::Tensor>{torch::tanh(x), torch::exp(x)}; });
}

struct TwoResults : torch::jit::Resolver {
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string&, torch::jit::GraphFunction&,
                                                         const torch::jit::SourceRange&) override {
    auto name = c10::Symbol::fromQualString("kadvise::two_results");
    return std::make_shared<torch::jit::BuiltinFunction>(name, std::nullopt);
  }
};

TEST(Capture, AViewOfWhatAnOperatorOfOursGaveInAListIsMadeAgain) {
  Module m("__torch__.Test");
  m.define("def forward(self, x):\n  a, b = two_results(x)\n  return a, a[:, 0], b * 2\n",
           std::make_shared<TwoResults>());
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 1u);
  EXPECT_TRUE(w.reasons.empty()) << w.reasons.front();
  auto x = torch::randn({3, 4});
  expectSame(m, w.module, {x});
  auto out = w.module.forward({x}).toTupleRef().elements();
  EXPECT_EQ(out[0].toTensor().storage().data(), out[1].toTensor().storage().data());
}

TEST(Capture, WritesToItsOwnMemoryStayInsideAndOthersStayOutside) {
  auto own = test::moduleOf(
      "def forward(self, x):\n  h = torch.zeros_like(x)\n  h[0].copy_(torch.tanh(x[0]))\n  h[1].add_(x[1])\n "
      " return h * 2");
  EXPECT_EQ(wrap(own).pieces, 1u);
  expectSame(own, wrap(own).module, {torch::randn({2, 3})});
  auto inputs = test::moduleOf(
      "def forward(self, x):\n  h = torch.tanh(x)\n  x.add_(h)\n  y = x.view(-1)\n  y.mul_(2)\n  return "
      "torch.exp(x)");
  auto w = wrap(inputs);
  EXPECT_EQ(w.pieces, 2u);
  expectSame(inputs, w.module, {torch::randn({2, 3})});
}

TEST(Capture, WhatForwardChangesInTheModuleIsHandedOver) {
  for (auto* body : {"h = torch.tanh(x) * self.w\n  self.w.add_(1)\n  return torch.exp(h) + self.w",
                     "self.w.t_()\n  h = x * 2\n  if x.size(0) > 2:\n    h = h * self.w\n  return h"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  ") + body, {{"w", torch::randn({4, 4})}});
    auto w = wrap(m);
    ASSERT_TRUE(w.module.hasattr("w")) << body;
    expectSame(m, w.module, {torch::randn({4, 4})});
  }
}

TEST(Capture, AWriteOutsideReachesEveryViewThatThePartHandedOut) {
  auto m = test::moduleOf(
      "def forward(self, x, n: int):\n  h = torch.tanh(x)\n  a = h[0]\n  h[n].add_(1)\n  return h, a, "
      "torch.exp(a)");
  auto w = wrap(m);
  for (int n : {0, 1}) expectSame(m, w.module, {torch::randn({2, 3}), n});
}

TEST(Capture, WhatMayBeACopyIsNotMadeAgainBehindAWrite) {
  for (auto* copy : {"h.t().ravel()", "h.t().reshape_as(x.view([2, -1]))", "h.t().reshape(-1)",
                     "torch.sum_to_size(h, [1, 3])", "torch.einsum(\"ij->j\", [h])"}) {
    auto m = test::moduleOf("def forward(self, x):\n  h = torch.tanh(x)\n  a = " + std::string(copy) +
                            "\n  b = torch.exp(a)\n  h.mul_(2)\n  return h, a, b");
    expectSame(m, wrap(m).module, {torch::randn({2, 3})});
  }
}

TEST(Capture, ViewsMadeBeforeAChangeOfShapeAreNotMadeAgainBehindIt) {
  for (auto* body :
       {"v = x.detach()\n  h = torch.tanh(y)\n  x.transpose_(0, 1)\n  g = torch.exp(h)\n  v[0] = 1.0\n  "
        "return g, v, [v, g][0]",
        "v = x.chunk(2, 1)[0]\n  h = torch.tanh(v)\n  x.t_()\n  a = v.chunk(2, 1)[0]\n  g = torch.cat([a, "
        "a], "
        "0)\n  a.mul_(0.5)\n  return h, g, x",
        "v = x[1:]\n  x.unsqueeze_(0)\n  a = v[0]\n  g = torch.exp(a) * 2\n  return a, g, v"}) {
    auto m = test::moduleOf(std::string("def forward(self, x, y):\n  ") + body);
    auto w = wrap(m);
    EXPECT_GT(w.pieces, 0u) << body;
    expectSame(m, w.module, {torch::randn({2, 4}), torch::randn({3})});
  }
}

TEST(Capture, NumbersReadBeforeAChangeAreNotReadAgainBehindIt) {
  for (auto* body : {"n: List[float] = x.tolist()\n  x.relu_()\n  return x.exp() * n[0]",
                     "n = x.sum().item()\n  x.relu_()\n  h = x.exp()\n  return h * n, h + n",
                     "n = x.size(0)\n  x.resize_([1, 2])\n  return torch.exp(x) * n",
                     "n = x.stride()\n  x.unsqueeze_(0)\n  h = torch.exp(x)\n  return h * n[0], h + n[0]"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  ") + body);
    auto w = wrap(m);
    EXPECT_GT(w.pieces, 0u) << body;
    expectSame(m, w.module, {torch::tensor({-3.0f, 2.0f, 0.5f})});
  }
}

TEST(Capture, AViewThatTakesTheSizesOfACastOfTheSameMemoryIsMadeAgain) {
  for (auto* body : {"c = x.to(5)\n  return x.expand_as(c), torch.stack([c, c])",
                     "c = x.to(5)\n  v = x.expand_as(c)\n  return v, v.to(c.dtype), x * 2",
                     "h = x > 0.0\n  v = h.reshape([-1])\n  z = torch.zeros_like(y)\n  c = h.to(z.dtype)\n  "
                     "return v.expand_as(z), z, c"}) {
    auto m = test::moduleOf(std::string("def forward(self, x, y):\n  ") + body);
    auto w = wrap(m);
    EXPECT_GT(w.pieces, 0u) << body;
    expectSame(m, w.module, {torch::randn({8}), torch::randn({2, 8})});
  }
}

TEST(Capture, AFewLaunchesAreNoPart) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.tanh(torch.exp(x))");
  auto w = wrap(m, {}, 3);
  EXPECT_EQ(w.pieces, 0u);
  expectSame(m, w.module, {torch::randn({3})});
}

TEST(Capture, FlagsOfTheModuleStay) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.tanh(x)");
  m.register_attribute("training", c10::BoolType::get(), false);
  m.register_attribute("origin", c10::StringType::get(), std::string("a.pt"));
  auto w = wrap(m);
  EXPECT_FALSE(w.module.attr("training").toBool());
  EXPECT_EQ(w.module.attr("origin").toStringRef(), "a.pt");
}

TEST(Capture, AnOptionalTensorThatIsGivenIsPartOfIt) {
  auto m = test::moduleOf(
      "def forward(self, x, mask: Optional[Tensor] = None):\n  h = torch.tanh(x)\n  if mask is not None:\n   "
      " h = h + "
      "mask\n  return torch.exp(h)");
  TracedValues traced;
  TracedValue given;
  given.kind = "tensor", given.dtype = at::kFloat, given.shape = {3}, given.strides = {1};
  given.device = "cuda:0";
  traced.put("in.1", given);
  auto w = wrap(m, traced);
  EXPECT_EQ(w.pieces, 1u);
  EXPECT_EQ(w.launches, 3u);
  expectSame(m, w.module, {torch::randn({3}), torch::randn({3})});
  try {
    w.module.forward({torch::randn({3})});
    FAIL() << "it was settled on a mask";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("kadvise specialised this module to mask: given"),
              std::string::npos);
  }
}

Module outerWithInner() {
  Module inner("__torch__.Inner");
  inner.register_parameter("w", torch::randn({4}), false);
  Module m("__torch__.Outer");
  m.register_module("inner", inner);
  return m;
}

TEST(Capture, BranchesOnShapesAndNestedModulesGoInside) {
  Module m = outerWithInner();
  m.define(
      "def forward(self, x):\n  if x.size(0) > 2:\n    x = x * self.inner.w\n  for i in range(3):\n    x = "
      "torch.tanh(x) + self.inner.w\n  return x\n");
  auto graph = test::graphOf(m);
  normalise(graph);
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 1u);
  EXPECT_FALSE(w.module.hasattr("inner"));
  for (int rows : {1, 5}) expectSame(m, w.module, {torch::randn({rows, 4})});
}

// As a layer is left whose every weight was folded.
TEST(Capture, AModuleOfWhichNothingIsReadStaysOutside) {
  Module m = outerWithInner();
  m.define(
      "def forward(self, x):\n  if x.size(0) > 2:\n    x = torch.exp(torch.tanh(x))\n  return "
      "torch.exp(x)\n");
  auto graph = test::graphOf(m);
  for (auto* n : graph->nodes()) {
    if (n->kind() != torch::jit::prim::If) continue;
    torch::jit::WithInsertPoint inside(n->blocks()[0]);
    graph->insertNode(graph->createGetAttr(graph->inputs()[0], "inner"));
  }
  auto w = wrap(m);
  EXPECT_EQ(w.pieces, 1u);
  expectSame(m, w.module, {torch::randn({4})});
}

}  // namespace
}  // namespace kadvise::graph
