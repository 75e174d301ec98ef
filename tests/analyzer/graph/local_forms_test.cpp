// Spellings of sizes and pads that must give the same graph.
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

std::string canonical(const std::string& body) {
  auto m = test::moduleOf("def forward(self, x, y):\n  " + body);
  return torch::jit::Canonicalize(test::graphOf(m), /*keep_unique_names=*/false)->toString(false);
}

TEST(LocalForms, SizesThatAreUnpackedFromAPartOfThem) {
  const std::string sizes = "h = x.size(1)\n  w = x.size(2)\n  return y * (h * 7 + w)",
                    last = "h = x.size(-2)\n  w = x.size(-1)\n  return y * (h * 7 + w)";
  EXPECT_EQ(canonical("h, w = x.shape[1:]\n  return y * (h * 7 + w)"), canonical(sizes));
  EXPECT_EQ(canonical("h, w = x.shape[1:3]\n  return y * (h * 7 + w)"), canonical(sizes));
  EXPECT_EQ(canonical("h, w = x.shape[-2:]\n  return y * (h * 7 + w)"), canonical(last));
  EXPECT_NE(canonical("h, w = x.shape[-1:]\n  return y * (h * 7 + w)"), canonical(last)) << "which fails";
  EXPECT_EQ(canonical("h, w = x.shape[-3:-1]\n  return y * (h * 7 + w)"),
            canonical("h = x.size(-3)\n  w = x.size(-2)\n  return y * (h * 7 + w)"));
  for (auto* cut : {"-3:", "-3:2", "-2:0"})  // of fewer dimensions they begin elsewhere, or end there
    EXPECT_NE(
        canonical("h, w = x.shape[" + std::string(cut) + "]\n  return y * (h * 7 + w)").find("ListUnpack"),
        std::string::npos)
        << cut;
  EXPECT_NE(canonical("h, w = x.shape[::2]\n  return y * (h * 7 + w)"),
            canonical("h = x.size(0)\n  w = x.size(2)\n  return y * (h * 7 + w)"));
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

TEST(LocalForms, PadsOfNothingBeforeAConvolutionAreNone) {
  auto plain = canonical("return torch.conv2d(x, y)");
  EXPECT_EQ(canonical("return torch.conv2d(torch.constant_pad_nd(x, [0, 0, 0, 0], 0.0), y)"), plain);
  EXPECT_EQ(canonical("return torch.conv2d(torch.pad(x, [0, 0]), y)"), plain);
  EXPECT_NE(canonical("return torch.conv2d(torch.constant_pad_nd(x, [0, 0, 0, 1], 0.0), y)"), plain);
  // The caller gets a tensor of its own, and who writes to it does not write to x.
  for (auto* body :
       {"return torch.constant_pad_nd(x, [0, 0], 0.0)",
        "z = torch.pad(x, [0, 0])\n  return torch.conv2d(z, y), z",
        "p = [0, 0]\n  if x.size(0) > 2:\n    p[1] = 1\n  return torch.conv2d(torch.constant_pad_nd(x, p, "
        "0.0), y)",
        "return torch.conv2d(torch.constant_pad_nd(x, [0], 0.0), y)",
        "z = torch.pad(x, [0, 0])\n  a = torch.conv2d(z, y)\n  x.add_(1)\n  return a, torch.conv2d(z, y)"})
    EXPECT_NE(canonical(body).find("constant_pad_nd"), std::string::npos) << body;
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

}  // namespace
}  // namespace kadvise::graph
