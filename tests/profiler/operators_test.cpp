#include "profiler/operators.h"

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include "modules.h"

namespace kadvise {
namespace {

TEST(Scope, IsThePathBelowTheTop) {
  EXPECT_EQ(scopeFromHierarchy({"TOP(Model)::forward", "encoder(Encoder)::forward", "0(Block)::forward"}),
            "encoder.0");
  EXPECT_EQ(scopeFromHierarchy({"TOP(Model)::forward"}), "");
  EXPECT_EQ(scopeFromHierarchy({}), "");
}

TEST(Operators, AreTheModulesOwnWithTheirPlace) {
  torch::jit::Module child("__torch__.Child"), top("__torch__.Top");
  child.register_parameter("weight", at::randn({4, 4}), false);
  child.define("def forward(self, x):\n  return torch.relu(torch.linear(x, self.weight))\n");
  top.register_module("fc", child);
  top.define("def forward(self, x):\n  return torch.tanh(self.fc.forward(x))\n");
  top.eval();
  at::Tensor x = at::randn({2, 4});
  c10::InferenceMode inference;
  OperatorSites sites;
  {
    auto watching = sites.watch();
    top.forward({x});
  }
  top.forward({x});  // not watched
  std::vector<std::string> ops;
  for (const auto& s : sites.seen()) ops.push_back(s.place->op);
  EXPECT_EQ(ops, (std::vector<std::string>{"aten::linear", "aten::relu", "aten::tanh"}));
  EXPECT_EQ(sites.seen()[0].place->where.scope, "fc");
  EXPECT_EQ(sites.seen()[2].place->where.scope, "");
  KernelRecord kernel;
  sites.describe(2, kernel);
  EXPECT_EQ(kernel.op, "aten::relu");
  sites.describe(0, kernel);
  sites.describe(99, kernel);
}

}  // namespace
}  // namespace kadvise
