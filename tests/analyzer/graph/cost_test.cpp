// Traffic, flops and time at best, against figures worked out by hand.
#include "analyzer/graph/cost.h"

#include <gtest/gtest.h>

#include "analyzer/graph/region_estimate.h"
#include "analyzer/graph/tensors.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

const Gpu& h100() { return *gpuNamed("H100"); }

Cost costOfOnly(const std::string& body, const std::vector<c10::IValue>& inputs) {
  Shaped s("def forward(self, x):\n    " + body, inputs);
  return costOf(*s.graph, s.traced, h100()).total;
}

TEST(Cost, OfAProductIsTwoFlopsForEachMultiplication) {
  Shaped s("def forward(self, x, w):\n    return torch.matmul(x, w)", {meta({8, 16, 32}), meta({32, 64})});
  auto cost = costOf(*s.graph, s.traced, h100());
  EXPECT_EQ(cost.total.flops, 2.0 * 8 * 16 * 32 * 64);
  EXPECT_EQ(cost.total.bytesRead, 4.0 * (8 * 16 * 32 + 32 * 64));
  EXPECT_EQ(cost.total.bytesWritten, 4.0 * 8 * 16 * 64);
  EXPECT_EQ(cost.total.kernels, 1);
}

TEST(Cost, OfAttentionIsHalfWhenItIsCausal) {
  auto q = meta({2, 8, 128, 64}, at::kHalf);
  auto full = costOfOnly("return torch.scaled_dot_product_attention(x, x, x)", {q});
  EXPECT_EQ(full.flops, 2.0 * 8 * 128 * 128 * (4 * 64 + 5));
  EXPECT_EQ(costOfOnly("return torch.scaled_dot_product_attention(x, x, x, None, 0.0, True)", {q}).flops,
            full.flops / 2);
}

TEST(Cost, OfAttentionWithoutAFusedKernelHasItsScoresInFloat32) {
  const std::string body = "return torch.scaled_dot_product_attention(x, x, x)";
  auto fused = costOfOnly(body, {meta({6, 2, 49, 32}, at::kHalf)}),
       plain = costOfOnly(body, {meta({3, 2, 2, 49, 32}, at::kHalf)});
  EXPECT_EQ(plain.flops, fused.flops);
  EXPECT_EQ(plain.bytesWritten, fused.bytesWritten + 3.0 * 4 * (6 * 2 * 49 * 49));
  EXPECT_GT(plain.kernels, fused.kernels);
}

TEST(Cost, OfConvolutionsCountsGroupsAndTransposition) {
  auto conv = [](at::IntArrayRef x, at::IntArrayRef w, const std::string& call) {
    Shaped s("def forward(self, x, w):\n    return torch." + call, {meta(x), meta(w)});
    return costOf(*s.graph, s.traced, h100()).total.flops;
  };
  EXPECT_EQ(conv({1, 16, 10, 10}, {32, 16, 3, 3}, "conv2d(x, w, None, [1, 1], [1, 1])"),
            2.0 * 32 * 100 * 16 * 9);
  EXPECT_EQ(conv({1, 16, 10, 10}, {16, 1, 3, 3}, "conv2d(x, w, None, [1, 1], [1, 1], [1, 1], 16)"),
            2.0 * 16 * 100 * 9);
  EXPECT_EQ(conv({1, 16, 10, 10}, {16, 8, 2, 2}, "conv_transpose2d(x, w, None, [2, 2])"),
            2.0 * 16 * 100 * 8 * 4);
}

TEST(Cost, OfViewsAndOfCopiesThatAreNotMadeIsNothing) {
  auto x = meta({8, 16, 32});
  for (const char* free : {"return x.transpose(1, 2)[0]", "return x.view([128, 32])",
                           "return x.reshape([128, 32])", "return x.contiguous()", "return x.to(6)",
                           "return x.expand([8, 16, 32])", "return torch.chunk(x, 2)[1]"})
    EXPECT_EQ(costOfOnly(free, {x}).kernels, 0) << free;
  for (const char* copies : {"return x.transpose(1, 2).reshape([8, 512])",
                             "return x.transpose(1, 2).contiguous()", "return x.half()", "return x.clone()"})
    EXPECT_EQ(costOfOnly(copies, {x}).kernels, 1) << copies;
  EXPECT_EQ(costOfOnly("return x.half()", {x}).bytes(), 8 * 16 * 32 * (4 + 2.0));
}

TEST(Cost, ReadsAnExpandedTensorOnce) {
  Shaped s("def forward(self, x, m):\n    return x + m.expand([64, 32, 16])",
           {meta({64, 32, 16}), meta({64, 1, 1})});
  EXPECT_EQ(costOf(*s.graph, s.traced, h100()).total.bytesRead, 4.0 * (64 * 32 * 16 + 64));
}

TEST(Cost, OfAnEmbeddingIsOfTheRowsThatItReads) {
  Shaped s("def forward(self, table, ids):\n    return torch.embedding(table, ids)",
           {meta({30522, 768}), meta({2, 128}, at::kLong)});
  EXPECT_EQ(costOf(*s.graph, s.traced, h100()).total.bytesRead, 2.0 * 128 * 768 * 4 + 2 * 128 * 8);
}

TEST(Cost, OfALoopIsThatOfAllItsTurns) {
  Shaped s(
      "def forward(self, x):\n    y = x\n    for i in range(5):\n        y = torch.relu(y)\n    return y",
      {meta({1000})});
  auto* relu = s.node("aten::relu");
  ASSERT_NE(relu, nullptr);
  TracedValue v;
  v.kind = "tensor", v.dtype = at::kFloat, v.shape = {1000}, v.strides = {1};
  s.traced.put(valueId(relu->output()), v);
  EXPECT_EQ(costOf(*s.graph, s.traced, h100()).total.bytesWritten, 5 * 4000.0);
}

TEST(Cost, OfAnOperatorWithoutAFormulaIsSaidToBeUnknown) {
  Shaped s("def forward(self, x):\n    return torch.special_i0(torch.relu(x))", {meta({1000})});
  auto cost = costOf(*s.graph, s.traced, h100());
  EXPECT_EQ(cost.unknown, (std::map<std::string, int>{{"aten::i0", 1}}));
  EXPECT_EQ(cost.total.bytes(), 4 * 4000.0);
}

TEST(Cost, OfWhatDidNotRunIsNothing) {
  Shaped s("def forward(self, x):\n    return torch.relu(x)", {});
  EXPECT_TRUE(costOf(*s.graph, s.traced, h100()).nodes.empty());
}

TEST(Cost, TakesTheLongerOfMemoryAndArithmetic) {
  Cost c;
  c.bytesRead = 3.35e9;  // a millisecond of an H100's memory
  c.kernels = 1;
  EXPECT_NEAR(secondsOf(c, h100()), 1e-3 + 5e-6, 1e-9);
  c.flops = 2 * 67e9;
  EXPECT_NEAR(secondsOf(c, h100()), 2e-3 + 5e-6, 1e-9);
  c.rate = Rate::Fp64;
  EXPECT_NEAR(secondsOf(c, h100()), 2e-3 * 67 / 34 + 5e-6, 1e-9);
}

// The bottlenecks of ResNet-50 at 224 x 224: 8.18 GFLOP an image, a multiply and an add being two.
TEST(Cost, OfResNet50Is8GigaflopAnImage) {
  struct Stage {
    int size, in, width, blocks;
  };
  std::string body =
      "def forward(self, x):\n    y = torch.conv2d(x, torch.zeros([64, 3, 7, 7]), None, [2, 2], [3, 3])\n"
      "    y = torch.max_pool2d(y, [3, 3], [2, 2], [1, 1])\n";
  auto conv = [&](const char* to, const char* from, int out, int in, int kernel, int stride) {
    auto n = [](int v) { return std::to_string(v); };
    body += std::string("    ") + to + " = torch.conv2d(" + from + ", torch.zeros([" + n(out) + ", " + n(in) +
            ", " + n(kernel) + ", " + n(kernel) + "]), None, [" + n(stride) + ", " + n(stride) + "], [" +
            n(kernel / 2) + ", " + n(kernel / 2) + "])\n";
  };
  int in = 64;
  for (auto [width, blocks, first] : {std::tuple{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}})
    for (int b = 0; b < blocks; ++b) {
      int stride = b ? 1 : first;
      conv("a", "y", width, in, 1, 1);
      conv("a", "a", width, width, 3, stride);
      conv("a", "a", 4 * width, width, 1, 1);
      if (b == 0) conv("y", "y", 4 * width, in, 1, stride);
      body += "    y = y + a\n";
      in = 4 * width;
    }
  body += "    return torch.linear(y.mean([2, 3]), torch.zeros([1000, 2048]))";
  Shaped s(body, {meta({1, 3, 224, 224})});
  double flops = 0;
  for (auto& n : costOf(*s.graph, s.traced, h100()).nodes)
    if (n.node->kind() != torch::jit::aten::add) flops += n.cost.flops;
  EXPECT_NEAR(flops, 8.18e9, 0.03 * 8.18e9);
}

TEST(Cost, OfABertLayerIsATwelfthOf22Gigaflop) {
  std::string dense = "torch.linear(x, torch.zeros([768, 768]), torch.zeros([768]))";
  std::string heads = dense + ".view([1, 128, 12, 64]).transpose(1, 2)";
  Shaped s("def forward(self, x):\n    q = " + heads + "\n    k = " + heads + " * 1.5\n    v = " + heads +
               " * 2.5\n    p = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / 8.0, -1)\n"
               "    c = torch.matmul(p, v).transpose(1, 2).reshape([1, 128, 768])\n    c = torch.linear(c, "
               "torch.zeros([768, 768])) + x\n"
               "    h = torch.gelu(torch.linear(c, torch.zeros([3072, 768])))\n    return torch.linear(h, "
               "torch.zeros([768, 3072])) + c",
           {meta({1, 128, 768})});
  double perLayer = costOf(*s.graph, s.traced, h100()).total.flops;
  double missing =
      2 * 2.0 * 128 * 768 * 768;  // q, k and v are one here: equal subexpressions are computed once
  EXPECT_NEAR(12 * (perLayer + missing), 22.4e9, 0.03 * 22.4e9);
}

TEST(Tensors, KnowWhereAReshapeIsAView) {
  Shaped s("def forward(self, x):\n    return x.transpose(1, 2).reshape([8, 512])", {meta({8, 16, 32})});
  auto* reshape = s.node("aten::reshape");
  EXPECT_EQ(overlapOf(reshape, s.traced), Overlap::Own);
  EXPECT_EQ(baseOf(reshape->output(), s.traced), reshape->output());
  EXPECT_EQ(baseOf(reshape->input(0), s.traced), s.graph->inputs()[1]);
  EXPECT_EQ(overlapOf(reshape, TracedValues()), Overlap::Unknown);
}

}  // namespace
}  // namespace kadvise::graph
