// Branches of one input that are added, as one convolution: the same numbers, and left alone where it is
// none.
#include "analyzer/graph/parallel_convolutions.h"

#include "analyzer/graph/fold.h"
#include "analyzer/graph/rewrite.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

using Buffers = std::vector<std::pair<std::string, at::Tensor>>;

Buffers weights() {
  return {{"w", torch::randn({6, 3, 3, 3})},      {"w1", torch::randn({6, 3, 1, 1})},
          {"w5", torch::randn({6, 3, 5, 5})},     {"row", torch::randn({6, 3, 1, 3})},
          {"column", torch::randn({6, 3, 3, 1})}, {"b", torch::randn({6})},
          {"g", torch::rand({6}) + 0.5},          {"m", torch::randn({6})},
          {"v", torch::rand({6}) + 0.5}};
}

struct Result {
  std::size_t findings = 0;
  std::int64_t convolutions = 0, norms = 0;  // that are left
  bool isEqual = false;
};

// declares: the bias is an optional to the graph, as that of a scripted Conv2d is.
Result joined(const std::string& body, bool declares = false) {
  at::manual_seed(1);
  const auto buffers = weights();
  const std::string forward = "def forward(self, x, z):\n" + body;
  Shaped s(forward, {meta({2, 6, 7, 9}), meta({2, 6, 7, 9})}, buffers);
  for (auto* n : s.graph->nodes())
    if (declares && n->kind() == torch::jit::prim::GetAttr && n->s(torch::jit::attr::name) == "b")
      n->output()->setType(c10::OptionalType::ofTensor());
  static const Target cpu{"cpu", 0};
  auto aliases = aliasesOf(s.graph);
  auto found = findParallelConvolutions(RulePage(), {*s.graph, &s.module, s.traced, cpu, *aliases});
  Result out{found.findings.size()};
  auto x = torch::randn({2, 6, 7, 9}), z = torch::randn({2, 6, 7, 9});
  const auto expected = s.module.clone().forward({x, z}).toTensor();
  for (auto& f : found.findings) {
    NearMiss near;
    auto match = matchAt(*f.rewrite->pattern, f.rewrite->roots, s.traced, near);
    if (!match) return out;
    auto done = rewrite(*s.graph, *f.rewrite->pattern, *f.rewrite->replacement, *match, *aliases);
    EXPECT_FALSE(done.refused) << done.refused->reason;
  }
  foldWeights(s.module, HandedTo::Caller);
  finishFolding(s.module);
  for (auto* n : s.module.get_method("forward").graph()->nodes()) {
    out.convolutions += n->kind() == torch::jit::aten::conv2d;
    out.norms += n->kind() == torch::jit::aten::batch_norm;
  }
  auto result = s.module.forward({x, z}).toTensor();
  out.isEqual = at::allclose(result, expected, 1e-4, 1e-4);
  return out;
}

const std::string kConv3 = "torch.conv2d(x, self.w, self.b, [1, 1], [1, 1], [1, 1], 2)",
                  kConv1 = "torch.conv2d(x, self.w1, None, [1, 1], [0, 0], [1, 1], 2)",
                  kConv5 = "torch.conv2d(x, self.w5, None, [1, 1], [2, 2], [1, 1], 2)";
std::string normed(const std::string& of) {
  return "torch.batch_norm(" + of + ", self.g, self.b, self.m, self.v, False, 0.1, 1e-3, True)";
}

TEST(ParallelConvolutions, AreOne) {
  for (const std::string& sum :
       {kConv3 + " + " + kConv1, kConv1 + " + (" + kConv3 + " + " + kConv5 + ")",
        normed(kConv3) + " + " + kConv1, kConv3 + " + " + normed(kConv1) + " + " + normed("x"),
        "x + " + kConv1, normed(kConv1 + " + x + " + kConv3), "x + " + kConv3 + " + x"}) {
    auto r = joined("    return " + sum);
    EXPECT_EQ(r.findings, 1u) << sum;
    EXPECT_EQ(r.convolutions, 1) << sum;
    EXPECT_EQ(r.norms, 0) << sum;
    EXPECT_TRUE(r.isEqual) << sum;
  }
}

TEST(ParallelConvolutions, ABiasMayBeAnOptional) {
  for (const std::string& sum :
       {kConv3 + " + " + kConv1, kConv1 + " + " + normed("x") + " + " + normed(kConv3)}) {
    auto r = joined("    return " + sum, true);
    EXPECT_EQ(r.convolutions, 1) << sum;
    EXPECT_TRUE(r.isEqual) << sum;
  }
}

TEST(ParallelConvolutions, OfWhichOthersAreAddedToo) {
  auto r = joined("    return z + " + kConv3 +
                  " + (z * 2.0 + x) + torch.conv2d(z, self.w, None, [1, 1], [1, 1], [1, 1], 2)");
  EXPECT_EQ(r.findings, 1u);
  EXPECT_EQ(r.convolutions, 2);
  EXPECT_TRUE(r.isEqual);
}

// A norm behind a sum that has other terms is no norm of the convolution alone.
TEST(ParallelConvolutions, ANormOfMoreStays) {
  auto r = joined("    return " + normed(kConv3 + " + " + kConv1 + " + z"));
  EXPECT_EQ(r.convolutions, 1);
  EXPECT_EQ(r.norms, 1);
  EXPECT_TRUE(r.isEqual);
}

TEST(ParallelConvolutions, OfOtherKindsAreLeftAlone) {
  const std::string strided = "torch.conv2d(x, self.w, None, [2, 2], [4, 5], [1, 1], 2)",
                    apart =
                        "torch.conv2d(x, self.row, None, [1, 1], [0, 1], [1, 1], 2) + "
                        "torch.conv2d(x, self.column, None, [1, 1], [1, 0], [1, 1], 2)",
                    beside =
                        "torch.conv2d(x, self.w, None, [4, 5], [0, 0], [1, 1], 2) + "
                        "torch.conv2d(x, self.w1, None, [4, 5], [0, 0], [1, 1], 2)",
                    dilated = kConv5 + " + torch.conv2d(x, self.w, None, [1, 1], [2, 2], [2, 2], 2)";
  for (const std::string& sum :
       {kConv3 + " + z", beside, strided + " + x", kConv3 + " + torch.relu(x)",
        "torch.add(" + kConv3 + ", " + kConv1 + ", alpha=2)", apart, dilated,
        "torch.conv2d(x, self.w * 2.0, None, [1, 1], [1, 1], [1, 1], 2) + " + kConv1})
    EXPECT_EQ(joined("    return " + sum).findings, 0u) << sum;
}

TEST(ParallelConvolutions, AResultThatIsReadElsewhereStays) {
  auto r = joined("    y = " + kConv3 + "\n    return (y + " + kConv1 + ") * y");
  EXPECT_EQ(r.findings, 0u);
}

}  // namespace
}  // namespace kadvise::graph
