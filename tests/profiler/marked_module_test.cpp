#include "profiler/marked_module.h"

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/codegen/fuser/interface.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/jit/tensorexpr/kernel.h>

#include <algorithm>
#include <map>

#include "analyzer/core/error.h"
#include "modules.h"
#include "profiler/memory_timeline.h"
#include "profiler/operator_arguments.h"
#include "profiler/operators.h"
#include "profiler/source_place.h"

namespace kadvise {
namespace {

// net.layers.0 and net.layers.1 of one type, called by net.
torch::jit::Module twoLayers() {
  static int number = 0;
  std::string name = "__torch__.Marked" + std::to_string(number++);
  torch::jit::Module layer0(name + "Layer"), list(name + "List"), top(name);
  layer0.register_parameter("weight", at::randn({4, 4}), false);
  layer0.define("def forward(self, x):\n  return torch.relu(torch.linear(x, self.weight))\n");
  torch::jit::Module layer1 = layer0.deepcopy();
  list.register_module("0", layer0);
  list.register_module("1", layer1);
  top.register_module("layers", list);
  top.define(R"(
def twice(self, x):
  return x + x
def forward(self, x):
  for i in range(2):
    x = self.twice(x)
  return torch.tanh(getattr(self.layers, "1").forward(getattr(self.layers, "0").forward(x)))
)");
  top.eval();
  return top;
}

std::vector<Place> placesOf(MarkedModule& m, const at::Tensor& x) {
  c10::InferenceMode inference;
  for (int i = 0; i < 3; ++i) m.module.forward({x});  // the executor optimises meanwhile
  OperatorSites sites(m.marks);
  auto watching = sites.watch();
  m.module.forward({x});
  watching.reset();
  std::vector<Place> out;
  for (auto& s : sites.seen()) out.push_back(*s.place);
  return out;
}

class Marked : public testing::TestWithParam<Freezing> {};

TEST_P(Marked, EveryOperatorKnowsItsWholeModulePath) {
  auto original = twoLayers();
  at::Tensor x = at::randn({2, 4});
  auto expected = original.forward({x}).toTensor();
  MarkedModule m = marked(original, GetParam());
  EXPECT_TRUE(at::equal(m.module.forward({x}).toTensor(), expected));
  std::vector<std::string> seen;
  for (auto& s : placesOf(m, x)) {
    EXPECT_TRUE(s.isKnown) << s.op;
    seen.push_back(s.op + " in " + s.where.scope);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"aten::add in ", "aten::add in ", "aten::linear in layers.0",
                                            "aten::relu in layers.0", "aten::linear in layers.1",
                                            "aten::relu in layers.1", "aten::tanh in "}));
}

TEST_P(Marked, TheOriginalStaysAsItWas) {
  auto original = twoLayers();
  auto before = original.get_method("forward").graph()->toString();
  marked(original, GetParam());
  EXPECT_EQ(original.get_method("forward").graph()->toString(), before);
}

INSTANTIATE_TEST_SUITE_P(Forms, Marked, testing::Values(Freezing::AsLoaded, Freezing::Frozen),
                         [](const auto& form) {
                           return form.param == Freezing::Frozen ? "Frozen" : "AsLoaded";
                         });

TEST(Marked, WhatFreezingFoldsBelongsToWhoUsesIt) {
  torch::jit::Module conv("__torch__.MarkedConv"), norm("__torch__.MarkedNorm"), top("__torch__.MarkedFold");
  conv.register_parameter("weight", at::randn({3, 3, 1, 1}), false);
  conv.define("def forward(self, x):\n  return torch.conv2d(x, self.weight, None)\n");
  for (const char* name : {"weight", "bias", "mean", "variance"})
    norm.register_parameter(name, at::rand({3}) + 0.5, false);
  norm.define(
      "def forward(self, x):\n  return torch.batch_norm(x, self.weight, self.bias, self.mean, self.variance, "
      "False, 0.1, 1e-5, False)\n");
  top.register_module("conv", conv);
  top.register_module("norm", norm);
  top.define("def forward(self, x):\n  return self.norm.forward(self.conv.forward(x))\n");
  top.eval();
  MarkedModule m = marked(top, Freezing::Frozen);
  auto sites = placesOf(m, at::randn({1, 3, 4, 4}));
  ASSERT_FALSE(sites.empty());
  EXPECT_EQ(sites[0].op, "aten::conv2d");
  EXPECT_EQ(sites[0].where.scope, "conv");
  for (auto& s : sites) EXPECT_TRUE(s.isKnown) << s.op;
}

// On a CPU only for this test, with the fuser's own interpreter in place of a compiler.
class FuserOnCpu {
 public:
  FuserOnCpu() {
    torch::jit::overrideCanFuseOnCPU(true);
    torch::jit::tensorexpr::getTEMustUseLLVMOnCPU() = false;
  }
  ~FuserOnCpu() {
    torch::jit::overrideCanFuseOnCPU(canFuse_);
    torch::jit::tensorexpr::getTEMustUseLLVMOnCPU() = mustUseLlvm_;
  }

 private:
  bool canFuse_ = torch::jit::canFuseOnCPU();
  bool mustUseLlvm_ = torch::jit::tensorexpr::getTEMustUseLLVMOnCPU();
};

TEST(Marked, AGroupThatTheExecutorFusesKnowsTheModuleOfItsOperators) {
  FuserOnCpu fuser;
  torch::jit::Module child("__torch__.MarkedPointwise"), top("__torch__.MarkedFused");
  child.define("def forward(self, x):\n  return torch.tanh(x * x + x)\n");
  top.register_module("act", child);
  top.define("def forward(self, x):\n  return self.act.forward(x)\n");
  top.eval();
  MarkedModule m = marked(top, Freezing::AsLoaded);
  at::Tensor x = at::randn({8, 8});
  for (int i = 0; i < 5; ++i) m.module.forward({x});
  noteFused(m);
  ASSERT_EQ(m.marks.fused.size(), 1u) << "the fuser has made no group, or several";
  OperatorSites sites(m.marks);
  {
    auto watching = sites.watch();
    m.module.forward({x});
  }
  ASSERT_FALSE(sites.seen().empty());
  auto& place = *sites.seen()[0].place;
  EXPECT_EQ(place.op.rfind("fused_", 0), 0u) << place.op;
  EXPECT_TRUE(place.isKnown);
  EXPECT_EQ(place.where.scope, "act");
}

TEST(SourcePlace, OfATraceIsTheInnermostLineOfTheUsers) {
  auto place = usersFrameIn(
      "/env/lib/torch/nn/modules/linear.py(134): forward\n/env/lib/torch/nn/modules/module.py(1769): "
      "_call_impl\n"
      "/home/me/project/model/net.py(12): forward\n/home/me/project/train.py(90): <module>\n");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->file, "project/model/net.py");
  EXPECT_EQ(place->line, 12);
  for (const char* none : {"", "(7): f", "/env/torch/nn/a.py(1): f", "net.py(12", "net.py(x): f",
                           "net.py(-4): f", "<string>(3): f"})
    EXPECT_FALSE(usersFrameIn(none)) << none;
}

TEST(Marked, AFlatModuleKeepsThePathsOfItsParameters) {
  auto original = twoLayers();
  torch::jit::Inline(*original.get_method("forward").graph());
  at::Tensor x = at::randn({2, 4});
  MarkedModule m = marked(original, Freezing::AsLoaded);
  std::vector<std::string> linears;
  for (auto& place : placesOf(m, x))
    if (place.op == "aten::linear") linears.push_back(place.where.scope);
  EXPECT_EQ(linears, (std::vector<std::string>{"layers.0", "layers.1"}));
}

TEST(Sites, HooksSurroundTheModulesOwnOperators) {
  auto module = twoLayers();
  OperatorSites sites;
  std::vector<int> entered, left;
  c10::InferenceMode inference;
  {
    auto watching = sites.watch({[&](std::uint32_t s) { entered.push_back(int(s)); },
                                 [&](std::uint32_t s) { left.push_back(int(s)); }});
    module.forward({at::randn({2, 4})});
  }
  EXPECT_EQ(entered, left);
  EXPECT_EQ(entered.size(), sites.seen().size());
  for (std::size_t i = 1; i < sites.seen().size(); ++i)
    EXPECT_GE(sites.seen()[i].startUs, sites.seen()[i - 1].endUs);
}

TEST(Sites, APlaceIsKeptOnceHoweverOftenItRuns) {
  auto module = moduleFrom("def forward(self, x):\n  for i in range(1000):\n    x = x + 1\n  return x\n");
  MarkedModule m = marked(module, Freezing::AsLoaded);
  c10::InferenceMode inference;
  OperatorSites sites(m.marks);
  {
    auto watching = sites.watch();
    m.module.forward({at::zeros({1})});
  }
  std::map<const Place*, int> calls;
  for (auto& s : sites.seen()) ++calls[s.place];
  ASSERT_GE(sites.seen().size(), 1000u);
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(), [](auto& c) { return c.second == 1000; }), 1);
}

TEST(Memory, ThePeakIsWhatWasHeldAtOnce) {
  int a = 0, b = 0, c = 0;
  Holding h = holdingOf({{1, &a, 100, 1}, {2, &b, 50, 2}, {3, &a, -100, 2}, {4, &c, 40, 3}, {5, &b, -50, 0}});
  EXPECT_EQ(h.timeline.peakBytes, 150);
  EXPECT_EQ(h.timeline.peakUs, 2);
  EXPECT_EQ(h.timeline.allocations, 3);
  EXPECT_EQ(h.timeline.allocatedBytes, 190);
  ASSERT_EQ(h.atPeak.size(), 2u);
  EXPECT_EQ(h.atPeak[0].site, 1u);
  EXPECT_EQ(h.timeline.points.size(), 5u);
}

TEST(Memory, AThinnedTimelineKeepsItsPeak) {
  std::vector<AllocatorEvent> events;
  std::vector<char> blocks(5000);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    double bytes = i == 3333 ? 1e6 : 10;
    events.push_back({double(2 * i), &blocks[i], bytes, 0});
    events.push_back({double(2 * i + 1), &blocks[i], -bytes, 0});
  }
  Holding h = holdingOf(events);
  EXPECT_LE(h.timeline.points.size(), 200u);
  double highest = 0;
  for (auto& p : h.timeline.points) highest = std::max(highest, p.bytes);
  EXPECT_EQ(highest, 1e6);
}

TEST(Memory, ACallsTemporariesAreSeenWithTheirOperator) {
  auto module = moduleFrom("def forward(self, x):\n  return torch.relu(x + 1).sum()\n");
  c10::InferenceMode inference;
  at::Tensor x = at::randn({1000, 100});
  OperatorSites sites;
  MemoryTimeline t = memoryTimelineOf(cpuDevice(), sites, [&] { module.forward({x}); });
  EXPECT_GE(t.peakBytes, 400000);
  ASSERT_FALSE(t.atPeak.empty());
  EXPECT_EQ(t.atPeak[0].op, "aten::add");
}

std::string madeFor(const char* op, const std::vector<std::int64_t>& shape) {
  for (auto& o : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(op)))
    if (o->schema().overload_name().find("out") == std::string::npos)
      return argumentWords(argumentsFor(o->schema(), {shape, c10::ScalarType::Float, c10::kCPU}));
  return "";
}

TEST(OperatorArguments, FollowFromTheSchemaAndOneShape) {
  EXPECT_EQ(madeFor("aten::mm", {8, 4}), "float32[8,4], float32[4,8]");
  EXPECT_EQ(madeFor("aten::gelu", {8, 4}), "float32[8,4]");
  EXPECT_EQ(madeFor("aten::linear", {8, 4}), "float32[8,4], float32[4,4], float32[4]");
  EXPECT_EQ(madeFor("aten::layer_norm", {8, 4}).substr(0, 12), "float32[8,4]");
  EXPECT_EQ(madeFor("aten::index_select", {8, 4}).substr(0, 12), "float32[8,4]");
  EXPECT_THROW(madeFor("aten::view", {8, 4}), Error);
}

TEST(OperatorArguments, ShapesAreNumbersBetweenCrosses) {
  EXPECT_EQ(shapeFrom("2x3x4"), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(shapeFrom("7"), (std::vector<std::int64_t>{7}));
  for (const char* wrong : {"", "x", "2x", "2xx3", "-1x2", "0", "2y3", "99999999999999999999"})
    EXPECT_THROW(shapeFrom(wrong), Error) << wrong;
}

}  // namespace
}  // namespace kadvise
