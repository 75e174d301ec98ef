// Work on one row in the place of work on all: the original's result, at other sizes too, or a refusal.
#include "analyzer/graph/rows_nobody_reads.h"

#include "analyzer/graph/rewrite.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

// x: float[B, S, 8], m: float[B, 1, S, S] or what the case says.
struct Place {
  const char* name;
  const char* body;
  std::size_t operators;  // that work on all rows without need, the selection among them
};

const std::vector<std::pair<std::string, at::Tensor>> kWeights = {{"w", at::randn({8, 8})},
                                                                  {"v", at::randn({8})}};

CodedResult found(const Shaped& s) {
  Target target{"cpu", 0};
  return findRowsNobodyReads(RulePage(), {*s.graph, &s.module, s.traced, target, *aliasesOf(s.graph)});
}

Shaped shaped(const std::string& body, at::IntArrayRef mask) {
  return Shaped("def forward(self, x, m):\n" + body, {meta({2, 6, 8}), meta(mask)}, kWeights);
}

class Rows : public testing::TestWithParam<Place> {};

TEST_P(Rows, OfOthersAreNotComputed) {
  for (auto& mask : {std::vector<std::int64_t>{2, 1, 6, 6}, {2, 1, 1, 6}}) {
    auto s = shaped(GetParam().body, mask);
    torch::jit::Module plain("__torch__.Plain");
    for (auto& [name, tensor] : kWeights) plain.register_buffer(name, tensor);
    plain.define(std::string("def forward(self, x, m):\n") + GetParam().body + "\n");
    auto result = found(s);
    ASSERT_EQ(result.findings.size(), 1u) << result.whyNothing;
    auto& made = *result.findings[0].rewrite;
    NearMiss near;
    auto match = matchAt(*made.pattern, made.roots, s.traced, near);
    ASSERT_TRUE(match) << near.mismatch.at << " " << near.mismatch.reason;
    EXPECT_EQ(match->nodes.size(), GetParam().operators) << *made.pattern->graph;
    auto aliases = aliasesOf(s.graph);
    auto done = rewrite(*s.graph, *made.pattern, *made.replacement, *match, *aliases);
    ASSERT_FALSE(done.refused);
    for (std::int64_t length : {6, 4, 9}) {
      auto x = at::randn({3, length, 8}), m = at::randn({3, 1, mask[2] == 1 ? 1 : length, length});
      auto want = plain.forward({x, m}).toTensor(), have = s.module.forward({x, m}).toTensor();
      ASSERT_EQ(want.sizes(), have.sizes());
      EXPECT_TRUE(at::allclose(want, have, 1e-4, 1e-5)) << (want - have).abs().max();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, Rows,
    testing::Values(
        Place{"feed_forward",
              "    h = torch.layer_norm(x, [8], self.v, self.v)\n"
              "    y = x + torch.linear(torch.gelu(torch.linear(h, self.w)), self.w)\n"
              "    return torch.layer_norm(y, [8])[:, 0]",
              7},
        Place{"last", "    return torch.linear(torch.relu(x), self.w, self.v)[:, -1]", 3},
        Place{"attention",
              "    q = torch.linear(x, self.w).reshape([x.size(0), x.size(1), 2, 4]).transpose(1, 2)\n"
              "    k = torch.relu(x).reshape([x.size(0), x.size(1), 2, 4]).transpose(1, 2)\n"
              "    a = torch.scaled_dot_product_attention(q, k, k, m)\n"
              "    a = a.transpose(1, 2).reshape([x.size(0), x.size(1), -1])\n"
              "    return (torch.linear(a, self.w) + x)[:, 0]",
              9},
        Place{"written_out_from_one_linear",
              "    z = torch.linear(x, self.w).reshape([x.size(0), x.size(1), 2, 2, 2]).permute([2, 0, 3, 1, "
              "4])\n"
              "    q, k = torch.unbind(z)\n"
              "    p = torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * 0.5 + m, -1)\n"
              "    a = torch.matmul(p, k).transpose(1, 2).reshape([x.size(0), x.size(1), 4])\n"
              "    return torch.relu(a)[:, -1]",
              9}),
    [](const auto& info) { return info.param.name; });

TEST(Rows, ThatAreReadOrMixedStay) {
  for (auto* body : {"    y = torch.linear(x, self.w)\n    return y[:, 0] + y.sum()",
                     "    return torch.softmax(torch.linear(x, self.w), 1)[:, 0]",
                     "    return torch.cumsum(torch.linear(x, self.w), 1)[:, -1]",
                     "    return torch.linear(x, self.w)[:, 2]",
                     "    return torch.linear(x, self.w).reshape([-1, 6, 8])[:, 0]",
                     "    return torch.linear(x, self.w).reshape([m.size(0), m.size(3), 2, 4])[:, 0]",
                     "    return torch.scaled_dot_product_attention(x, x, x, None, 0.0, True)[:, 0]",
                     "    return torch.scaled_dot_product_attention(x, x, x, None, 0.0, False)[:, 0]"}) {
    auto s = shaped(body, {2, 1, 6, 6});
    for (auto& f : found(s).findings) EXPECT_EQ(f.node, nullptr) << body << *s.graph;
  }
}

TEST(Rows, ThatAreWrittenInPlaceStay) {
  auto s = shaped("    y = torch.linear(x, self.w)\n    y[0].add_(1.0)\n    return torch.relu(y)[:, 0]",
                  {2, 1, 6, 6});
  for (auto& f : found(s).findings) {
    NearMiss near;
    auto match = matchAt(*f.rewrite->pattern, f.rewrite->roots, s.traced, near);
    ASSERT_TRUE(match);
    EXPECT_TRUE(whyUnsafe(*f.rewrite->pattern, *match, *aliasesOf(s.graph), ResultMemory::PerhapsShared));
  }
}

}  // namespace
}  // namespace kadvise::graph
