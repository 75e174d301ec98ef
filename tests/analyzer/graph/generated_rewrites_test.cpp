// Coded rules that put a generated kernel beside or in the place of one operator: what they find, and that
// the rewritten module computes the same, in calls of other sizes too.
#include "analyzer/graph/copied_operands.h"
#include "analyzer/graph/einsum_copies.h"
#include "analyzer/graph/grouped_rows.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

// How many places of the forward over x are rewritten; results are compared for x and for each other input.
int rewritten(CodedRule rule, const std::string& body, const std::vector<at::Tensor>& inputs,
              const std::vector<std::pair<std::string, at::Tensor>>& parameters) {
  test::loadKernels();
  auto text = "def forward(self, x):\n  " + body;
  auto plain = test::moduleOf(text, parameters), changed = test::moduleOf(text, parameters);
  int places = test::rewritePasses(changed, {inputs[0]}, rule).rewritten;
  for (auto& x : inputs)
    EXPECT_TRUE(at::allclose(changed.forward({x}).toTensor(), plain.forward({x}).toTensor(), 1e-4, 1e-5))
        << body;
  return places;
}

TEST(CopiedOperands, AreCopiedByRowsAndByColumns) {
  const std::vector<std::pair<std::string, at::Tensor>> weights = {{"w", torch::randn({64, 64})}};
  const std::vector<at::Tensor> inputs = {torch::randn({2, 300, 64}), torch::randn({3, 70, 64}),
                                          torch::randn({1, 300, 64})};
  const std::string heads =
      "h = torch.linear(x, self.w)\n  q = h.view([x.size(0), x.size(1), 4, 16]).transpose(1, 2)\n  return ";
  for (auto* product : {"torch.matmul(q, q.transpose(-2, -1))",
                        "torch.matmul(torch.softmax(torch.matmul(q, q.transpose(-2, -1)), -1), q)"})
    EXPECT_GE(rewritten(findCopiedOperands, heads + product, inputs, weights), 1) << product;
}

TEST(CopiedOperands, AreLeftWhereNothingIsCopiedOrAGeneratedKernelMakesThem) {
  const std::vector<std::pair<std::string, at::Tensor>> weights = {{"w", torch::randn({64, 64})}};
  const std::vector<at::Tensor> many = {torch::randn({2, 300, 64})}, one = {torch::randn({1, 300, 64})};
  const std::string split =
      ".view([x.size(0), x.size(1), 4, 16]).transpose(1, 2)\n  return torch.matmul(q, q.transpose(-2, -1))";
  EXPECT_EQ(rewritten(findCopiedOperands, "q = torch.linear(x, self.w)" + split, one, weights), 0)
      << "one batch";
  EXPECT_EQ(rewritten(findCopiedOperands, "q = torch.relu(torch.linear(x, self.w))" + split, many, weights),
            0);
  EXPECT_EQ(rewritten(findCopiedOperands, "q = x" + split, many, weights), 0) << "the caller's";
}

TEST(GroupedRows, AreRowsOfGroups) {
  const std::vector<std::pair<std::string, at::Tensor>> affine = {{"w", torch::randn({24})},
                                                                  {"b", torch::randn({24})}};
  const std::vector<at::Tensor> inputs = {torch::randn({6, 24}), torch::randn({1, 24}),
                                          torch::randn({24, 9}).t()};
  for (auto* norm : {"torch.group_norm(x, 4, self.w, self.b, 1e-3)", "torch.group_norm(x, 1, self.w, None)",
                     "torch.group_norm(x, 8, None, self.b)", "torch.group_norm(x, 3) * self.w + self.b"})
    EXPECT_EQ(rewritten(findGroupedRows, "return " + std::string(norm), inputs, affine), 1) << norm;
  EXPECT_EQ(rewritten(findGroupedRows, "return torch.group_norm(x, 4, self.w, self.b)",
                      {torch::randn({2, 24, 5})}, affine),
            0);
}

int einsums(const std::string& arguments, const std::vector<at::Tensor>& inputs,
            const std::vector<std::pair<std::string, at::Tensor>>& parameters) {
  return rewritten(
      findEinsumCopies,
      "k, p, w = self.k * 1.0, self.p * 1.0, self.w * 1.0\n  return torch.einsum(" + arguments + ")", inputs,
      parameters);
}

TEST(EinsumCopies, AreOneProductOfOwnCopies) {
  const std::vector<std::pair<std::string, at::Tensor>> keys = {{"k", torch::randn({3, 80, 4, 16})},
                                                                {"p", torch::randn({3, 4, 300, 80})},
                                                                {"w", torch::randn({4, 16, 90})}};
  const std::vector<at::Tensor> inputs = {torch::randn({3, 300, 4, 16})};
  for (auto* equation :
       {"'bihd,bjhd->bhij', [x, k]", "'bihd,bjhd->ijbh', [x, k]", "'bjhd,bihd->bhij', [k, x]",
        "'bhij,bihd->bjhd', [p, x]", "'bihd,bjhd->hij', [x, k]", "'bihd,hde->hibe', [x, w]"})
    EXPECT_EQ(einsums(equation, inputs, keys), 1) << equation;
  for (const std::int64_t rows : {7, 0})
    EXPECT_EQ(einsums("'bihd,bjhd->bhij', [x, k]", {inputs[0], torch::randn({3, rows, 4, 16})}, keys), 1)
        << rows;
  EXPECT_EQ(einsums("'bhij,bhjd->bhid', [p, k.transpose(1, 2)]", inputs, keys), 0)
      << "nothing that is dense is copied";
}

}  // namespace
}  // namespace kadvise::graph
