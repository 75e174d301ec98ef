// Spellings of sizes and pads that must give the same graph.
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

std::string canonical(const std::string& body) {
  auto m = test::moduleOf("def forward(self, x, y):\n  " + body);
  return torch::jit::Canonicalize(test::graphOf(m), /*keep_unique_names=*/false)->toString(false);
}

TEST(LocalForms, ASizeThatATraceComputesIsOneOfNumbers) {
  EXPECT_EQ(canonical("n = torch.tensor(2) * x.size(1)\n"
                      "  return y * int((n + torch.rsub(n % 4, 4) % 4) // 2)"),
            canonical("n = 2 * x.size(1)\n  return y * ((n + (4 - n % 4) % 4) // 2)"));
  // By zero it would end the process where a tensor's raises an error.
  EXPECT_NE(canonical("return y * int(torch.tensor(2) * x.size(1) % x.size(0))"),
            canonical("return y * (2 * x.size(1) % x.size(0))"));
  EXPECT_EQ(canonical("return y * int(torch.div(torch.tensor(2) * x.size(1), 3, rounding_mode='floor'))"),
            canonical("return y * (2 * x.size(1) // 3)"));
  EXPECT_NE(canonical("return y * int(torch.div(torch.tensor(2) * x.size(1), 3, rounding_mode='trunc'))"),
            canonical("return y * (2 * x.size(1) // 3)"));
}

TEST(LocalForms, APadWithoutAModeIsOfZeros) {
  auto zeros = canonical("return torch.constant_pad_nd(x, [1, 2], 0.0)");
  EXPECT_EQ(canonical("return torch.pad(x, [1, 2])"), zeros);
  EXPECT_EQ(canonical("return torch.pad(x, [1, 2], 'constant', 0.0)"), zeros);
  EXPECT_NE(canonical("return torch.pad(x, [1, 2], 'reflect')"), zeros);
}

TEST(LocalForms, TheLargerOfTwoTensorsIsTheirMaximum) {
  EXPECT_EQ(canonical("return torch.max(x, y)"), canonical("return torch.maximum(x, y)"));
  EXPECT_EQ(canonical("return torch.min(x, y)"), canonical("return torch.minimum(x, y)"));
  EXPECT_NE(canonical("return torch.max(x, 1)[0]"), canonical("return torch.maximum(x, y)"));
}

TEST(LocalForms, WhatIsMadeAnewIsAnotherTensor) {
  EXPECT_EQ(canonical("if x is x:\n    return x * 2\n  return y"), canonical("return x * 2"));
  EXPECT_EQ(canonical("z = x * 2\n  if z is y:\n    return z\n  return y"), canonical("return y"));
  EXPECT_NE(canonical("if x is y:\n    return x * 2\n  return y"), canonical("return y"))
      << "the caller may give one";
  for (auto* same : {"x.sum_to_size(y.size())", "torch.atleast_1d(x)", "x.view(x.size())", "torch.relu6(x)",
                     "torch.max(x, y)"})
    EXPECT_NE(canonical(std::string("z = ") + same + "\n  if z is x:\n    return x * 2\n  return y"), "")
        << same;
  EXPECT_NE(canonical("z = x.sum_to_size(y.size())\n  if z is x:\n    return x * 2\n  return y"),
            canonical("return y"));
  EXPECT_NE(canonical("z = x.contiguous()\n  if z is x:\n    return x * 2\n  return y"),
            canonical("return y"));
}

TEST(LocalForms, TheFirstOfAllBelongToARange) {
  auto copy = canonical("return torch.clone(torch.narrow(x, 1, 0, y.size(0)), memory_format=0)");
  EXPECT_EQ(canonical("return torch.index_select(x, 1, torch.arange(y.size(0)))"), copy);
  EXPECT_EQ(canonical("return torch.index_select(x, 1, torch.arange(y.size(0), dtype=4, device=x.device))"),
            copy);
  for (auto* other :
       {"torch.arange(1, y.size(0))", "torch.arange(y.size(0)).mul_(2)", "torch.arange(0, y.size(0), 2)"})
    EXPECT_NE(canonical("return torch.index_select(x, 1, " + std::string(other) + ")"), copy) << other;
}

TEST(LocalForms, AnEinsumOfSeveralIsOneOfTwoAfterTheOther) {
  struct Sum {
    const char* equation;
    std::vector<std::vector<std::int64_t>> sizes;
    int einsums, products;
    const char* path = "None";
  };
  for (auto& c : std::vector<Sum>{
           {"bclhn,bcshn,bhcls,bcshp->bclhp",
            {{2, 3, 5, 4, 6}, {2, 3, 7, 4, 6}, {2, 4, 3, 5, 7}, {2, 3, 7, 4, 8}},
            2,
            1},
           {"bclhn, bchpn, bhcl -> bclhp", {{2, 3, 5, 4, 6}, {2, 3, 4, 8, 6}, {2, 4, 3, 5}}, 1, 1},
           {"bclhn,bcshn,bhcls,bcshp->bclhp",
            {{2, 3, 5, 4, 6}, {2, 3, 7, 4, 6}, {2, 4, 3, 5, 7}, {2, 3, 7, 4, 8}},
            2,
            1,
            "[3, 1, 0, 2, 1, 0]"},
           {"bi,bj,bk->bijk", {{2, 3}, {2, 4}, {2, 5}}, 0, 2},
           {"ij,jk,kl->il", {{2, 1}, {3, 4}, {1, 5}}, 2, 0},  // of size 1: broadcast
           {"ij,jk,jl->ik", {{2, 3}, {3, 4}, {3, 5}}, 1, 0},  // l is of one operand alone
           {"iij,jk,ki->i", {{2, 2, 3}, {3, 4}, {4, 2}}, 1, 0},
           {"...i,...i,i->...", {{2, 3}, {2, 3}, {3}}, 1, 0}}) {
    std::string names, forward = "def forward(self";
    torch::jit::Stack inputs;
    for (std::size_t i = 0; i < c.sizes.size(); ++i) {
      names += (i ? ", x" : "x") + std::to_string(i);
      inputs.emplace_back(torch::randn(c.sizes[i]));
    }
    forward += ", " + names + "):\n  return torch.einsum('" + c.equation + "', [" + names +
               "], path=" + c.path + ")";
    torch::jit::Module plain("__torch__.Plain");
    plain.define(forward + "\n");
    auto normal = test::moduleOf(forward);
    auto count = [&](const char* kind) {
      return nodesWhere(test::graphOf(normal)->block(),
                        [&](torch::jit::Node* n) { return n->kind() == c10::Symbol::fromQualString(kind); })
          .size();
    };
    EXPECT_EQ(count("aten::einsum"), c.einsums) << c.equation;
    EXPECT_EQ(count("aten::mul"), c.products) << c.equation;
    auto want = plain.forward(inputs).toTensor(), have = normal.forward(inputs).toTensor();
    EXPECT_TRUE(torch::allclose(want, have, 1e-5, 1e-6)) << c.equation;
    EXPECT_EQ(want.strides(), have.strides()) << c.equation;
  }
}

}  // namespace
}  // namespace kadvise::graph
