#include "analyzer/graph/float64_forms.h"

#include "analyzer/graph/artefact.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

// Three experts have 2, 0 and 3 of six rows.
TEST(Float64Forms, OfGroupedProductsAreAProductEach) {
  auto m = test::moduleOf("def forward(self, a, b, ends):\n  return torch._grouped_mm(a, b, ends)");
  promoteToFp64(m);
  auto a = torch::randn({6, 16}, at::kDouble), b = torch::randn({3, 16, 8}, at::kDouble);
  auto y = m.forward({a, b, torch::tensor({2, 2, 5}, at::kInt)}).toTensor();
  EXPECT_EQ(y.scalar_type(), at::kDouble);
  EXPECT_TRUE(torch::allclose(y.narrow(0, 0, 2), a.narrow(0, 0, 2).matmul(b[0])));
  EXPECT_TRUE(torch::allclose(y.narrow(0, 2, 3), a.narrow(0, 2, 3).matmul(b[2])));
  EXPECT_EQ(y.sizes(), (std::vector<std::int64_t>{6, 8}));
}

TEST(Float64Forms, OfBatchesAreBatchedProducts) {
  auto m = test::moduleOf("def forward(self, a, b):\n  return torch._grouped_mm(a, b)");
  promoteToFp64(m);
  auto a = torch::randn({3, 6, 16}, at::kDouble), b = torch::randn({3, 16, 8}, at::kDouble);
  EXPECT_TRUE(torch::allclose(m.forward({a, b}).toTensor(), a.bmm(b)));
}

TEST(Float64Forms, RaiseWhereThereIsNone) {
  auto m = test::moduleOf("def forward(self, a, b, ends):\n  return torch._grouped_mm(a, b, ends)");
  promoteToFp64(m);
  auto a = torch::randn({6, 16}, at::kDouble), b = torch::randn({16, 8}, at::kDouble);
  EXPECT_ANY_THROW(m.forward({a, b, torch::tensor({2, 2, 5}, at::kInt)}));
}

}  // namespace
}  // namespace kadvise::graph
