#include "analyzer/graph/capture.h"

#include "analyzer/graph/given_optionals.h"
#include "tests/analyzer/graph/graphs.h"
#include "tests/analyzer/graph/runner_stand_in.h"

namespace kadvise::graph {
namespace {

using torch::jit::Module;
using Inputs = std::vector<c10::IValue>;

const TracedValues kNothingTraced;

struct Wrapped {
  Module module;  // with runners
  std::size_t pieces = 0, launches = 0;
  std::vector<std::string> reasons;
};

// The module taken apart as for a GPU; parts of any size.
Wrapped wrap(const Module& original, const TracedValues& traced = kNothingTraced, std::size_t fewest = 1) {
  Wrapped out;
  auto module = original.clone(kSharedTensors);
  auto graph = test::graphOf(module);
  settleGivenOptionals(*graph, traced);
  auto aliases = aliasesOf(graph, &module);
  Target target{"cuda", 90};
  Analysis analysis{*graph, &module, traced, target, *aliases};
  auto plan = planCapture(analysis, blockersOf(analysis, {}), fewest);
  out.pieces = plan.pieces.size();
  for (auto& p : plan.pieces) out.launches += p.launches;
  for (auto& b : plan.blockers) out.reasons.push_back(b.reason);
  auto carved = carve(module, plan, test::kStandInClass);
  addRunners(carved);
  std::stringstream file;
  carved.module.save(file);
  out.module = torch::jit::load(file);
  return out;
}

Inputs copied(const Inputs& inputs) {
  Inputs out;
  for (auto& v : inputs) out.push_back(v.isTensor() ? c10::IValue(v.toTensor().clone()) : v);
  return out;
}

void expectEqual(const c10::IValue& want, const c10::IValue& have, const std::string& at) {
  if (want.isTensor()) {
    ASSERT_TRUE(have.isTensor()) << at;
    EXPECT_TRUE(torch::equal(want.toTensor(), have.toTensor())) << at;
    EXPECT_EQ(want.toTensor().strides(), have.toTensor().strides()) << at;
  } else if (want.isTuple()) {
    auto &a = want.toTupleRef().elements(), &b = have.toTupleRef().elements();
    ASSERT_EQ(a.size(), b.size()) << at;
    for (std::size_t i = 0; i < a.size(); ++i) expectEqual(a[i], b[i], at + "." + std::to_string(i));
  } else if (want.isList()) {
    auto a = want.toListRef(), b = have.toListRef();
    ASSERT_EQ(a.size(), b.size()) << at;
    for (std::size_t i = 0; i < a.size(); ++i) expectEqual(a[i], b[i], at + "." + std::to_string(i));
  } else if (want.isGenericDict()) {
    ASSERT_EQ(want.toGenericDict().size(), have.toGenericDict().size()) << at;
    for (auto& entry : want.toGenericDict())
      expectEqual(entry.value(), have.toGenericDict().at(entry.key()), at + "." + entry.key().toStringRef());
  } else {
    EXPECT_EQ(want, have) << at;
  }
}

// Results, and what becomes of the inputs.
void expectSame(const Module& original, const Module& wrapped, const Inputs& inputs) {
  Module a = original, b = wrapped;
  for (int call = 0; call < 2; ++call) {
    auto forA = copied(inputs), forB = copied(inputs);
    expectEqual(a.forward(forA), b.forward(forB), "output");
    for (std::size_t i = 0; i < forA.size(); ++i) expectEqual(forA[i], forB[i], "input " + std::to_string(i));
  }
}

int count(const Module& m, const std::string& kind) {
  int found = 0;
  forEachNode(test::graphOf(m)->block(),
              [&](torch::jit::Node* n) { found += n->kind().toQualString() == kind; });
  return found;
}

bool isSaid(const Wrapped& w, const std::string& words) {
  return std::any_of(w.reasons.begin(), w.reasons.end(),
                     [&](auto& r) { return r.find(words) != std::string::npos; });
}

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

TEST(Capture, BranchesOnShapesAndNestedModulesGoInside) {
  Module inner("__torch__.Inner");
  inner.register_parameter("w", torch::randn({4}), false);
  Module m("__torch__.Outer");
  m.register_module("inner", inner);
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

}  // namespace
}  // namespace kadvise::graph
