// Numbers and constants of the host that meet a GPU: no CUDA graph ends at them, and the values are the same.
#include "analyzer/graph/numbers_on_device.h"

#include "tests/analyzer/graph/captures.h"

namespace kadvise::graph {
namespace {

using torch::jit::Module;

const Target kGpu{"cuda", 90};

Module brought(const Module& original) {
  auto m = original.clone(kSharedTensors);
  numbersOnDevice(m, test::kNothingTraced, Target{"cpu", 0});
  test::graphOf(m)->lint();
  return m;
}

// Constants become buffers, so those are not compared.
void expectSameResults(Module& plain, Module& changed, const at::Tensor& x) {
  std::vector<at::Tensor> want, have;
  test::flatten(plain.forward({x}), want);
  test::flatten(changed.forward({x}), have);
  ASSERT_EQ(want.size(), have.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(test::isSame(want[i], have[i])) << i;
}

TEST(NumbersOnDevice, AreTheSameNumbers) {
  for (std::string made :
       {"torch.tensor(3, device=x.device)", "torch.tensor(x.size(0), dtype=x.dtype, device=x.device)",
        "torch.tensor(0.1, dtype=7, device=x.device)", "torch.tensor(16777217.0, dtype=4, device=x.device)",
        "torch.tensor(True, device=x.device)", "torch.tensor(0.1 * x.size(0), device=x.device)",
        "torch.tensor([x.size(0), x.size(1), 2], device=x.device)",
        "torch.tensor([0.1, 0.5 * x.size(1)], dtype=7, device=x.device)",
        "torch.tensor([True, x.size(0) > 2], device=x.device)",
        "torch.tensor([[0.1], [0.2]], device=x.device)", "torch.tensor(127).type_as(x)",
        "torch.tensor(0.1).to(x.device)", "torch.tensor(x.size(1)).to(x)",
        "torch.tensor([[1, 2], [3, 4]]).to(x.device)"}) {
    auto m = test::moduleOf("def forward(self, x):\n    k = " + made + "\n    return k, x.sum() + k.sum()");
    auto out = brought(m);
    EXPECT_EQ(test::count(out, "aten::tensor"), 0) << made;
    for (auto dtype : {at::kFloat, at::kBFloat16, at::kDouble, at::kLong}) {
      auto x = torch::ones({3, 5}).to(dtype);
      expectSameResults(m, out, x);
    }
  }
}

TEST(NumbersOnDevice, WhatStaysOnTheHostIsLeftAlone) {
  for (std::string body :
       {"return x / torch.tensor(x.size(0))", "return torch.tensor([x.size(0), 2]).sum(), x",
        "return torch.tensor(x.size(0), device=x.device, requires_grad=True) * x"}) {
    auto m = test::moduleOf("def forward(self, x):\n    " + body);
    EXPECT_EQ(test::count(brought(m), "aten::tensor"), 1) << body;
  }
}

TEST(NumbersOnDevice, AConstantThatIndexesTheGpuIsABuffer) {
  auto m = test::moduleOf("def forward(self, x):\n    return torch.relu(x)[:, torch.tensor([2, 0])]");
  auto out = brought(m);
  EXPECT_EQ(out.buffers().size(), 1u);
  expectSameResults(m, out, torch::randn({3, 4}));
}

TEST(NumbersOnDevice, AConstantThatIndexesTheHostStaysThere) {
  auto m = test::moduleOf("def forward(self, x):\n    return torch.relu(x).cpu()[:, torch.tensor([2, 0])]");
  EXPECT_EQ(brought(m).buffers().size(), 0u);
}

TEST(NumbersOnDevice, EndNoCapture) {
  for (std::string body : {"y = torch.relu(x)\n    y[0] = 1.0\n    return y.exp()",
                           "return x * torch.tensor(x.size(0), device=x.device)",
                           "return torch.where(x > 0, torch.tensor(x.size(1)).type_as(x), x)"}) {
    auto m = test::moduleOf("def forward(self, x):\n    " + body);
    auto blockers = [&](const Module& of) {
      auto aliases = aliasesOf(test::graphOf(of), &of);
      return blockersOf({*test::graphOf(of), &of, test::kNothingTraced, kGpu, *aliases}, {});
    };
    EXPECT_TRUE(blockers(brought(m)).empty()) << body;
  }
}

}  // namespace
}  // namespace kadvise::graph
