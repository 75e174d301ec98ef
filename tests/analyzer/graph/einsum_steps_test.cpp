// einsum of several operands, one pair after the other.
#include "analyzer/graph/einsum_steps.h"

#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

using Shape = std::vector<std::int64_t>;

struct Sum {
  const char* equation;
  std::vector<Shape> sizes;
  int einsums, products;
  const char* path = "None";
  const char* behind = "y";
  c10::ScalarType dtype = at::kFloat;
};

const std::vector<Shape> kFour = {{2, 3, 5, 4, 6}, {2, 3, 7, 4, 6}, {2, 4, 3, 5, 7}, {2, 3, 7, 4, 8}};

const Sum kSums[] = {
    {"bclhn,bcshn,bhcls,bcshp->bclhp", kFour, 2, 1},
    {"bclhn,bcshn,bhcls,bcshp->bclhp", kFour, 2, 1, "[3, 1, 0, 2, 1, 0]"},
    {"bclhn, bchpn, bhcl -> bclhp", {{2, 3, 5, 4, 6}, {2, 3, 4, 8, 6}, {2, 4, 3, 5}}, 1, 1},
    {"bi,bj,bk->bijk", {{2, 3}, {2, 4}, {2, 5}}, 0, 2},
    {"ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}}, 2, 0},
    {"ij,jk,kl->il", {{2, 1}, {3, 4}, {4, 5}}, 1, 0},  // broadcast along j
    {"ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}}, 1, 0, "None", "y", at::kInt},
    {"ij,jk,jl->ik", {{2, 3}, {3, 4}, {3, 5}}, 1, 0},  // l is of one operand alone
    {"iij,jk,ki->i", {{2, 2, 3}, {3, 4}, {4, 2}}, 1, 0},
    {"...i,...i,i->...", {{2, 3}, {2, 3}, {3}}, 1, 0},
    {"c,cX,Y->XY", {{3}, {3, 4}, {5}}, 1, 0, "None", "y, y.t().is_contiguous()"},
};

TEST(EinsumSteps, OfSeveralAreEinsumsOfTwoAndProducts) {
  for (auto& c : kSums) {
    std::string names;
    std::vector<at::Tensor> inputs;
    for (auto& size : c.sizes) {
      names += (inputs.empty() ? "x" : ", x") + std::to_string(inputs.size());
      inputs.push_back(torch::randn(size).mul(4).to(c.dtype));
    }
    const std::string forward = "def forward(self, " + names + "):\n  y = torch.einsum('" + c.equation +
                                "', [" + names + "], path=" + c.path + ")\n  return " + c.behind;
    auto plain = test::moduleOf(forward), steps = test::moduleOf(forward);
    auto graph = test::graphOf(steps);
    const auto traced = test::tracedOf(steps, *graph, inputs);
    einsumsInSteps(*graph, Shapes(traced, StandIns()));
    auto count = [&](const char* kind) {
      auto symbol = c10::Symbol::fromQualString(kind);
      return nodesWhere(graph->block(), [&](torch::jit::Node* n) { return n->kind() == symbol; }).size();
    };
    EXPECT_EQ(count("aten::einsum"), c.einsums) << c.equation;
    EXPECT_EQ(count("aten::mul"), c.products) << c.equation;
    torch::jit::Stack call(inputs.begin(), inputs.end());
    auto first = [&](torch::jit::Module m) {
      auto result = m.forward(call);
      return result.isTuple() ? result.toTuple()->elements()[0].toTensor() : result.toTensor();
    };
    EXPECT_TRUE(torch::allclose(first(plain), first(steps), 1e-5, 1e-6)) << c.equation;
  }
}

}  // namespace
}  // namespace kadvise::graph
