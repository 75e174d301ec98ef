#include "tests/analyzer/graph/captures.h"
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

using namespace test;

// Whether the product is left behind the graph, in a run with so many rows of 16.
bool isLeft(const std::string& body, std::int64_t rows, std::int64_t width = 65536) {
  auto m = test::moduleOf("def forward(self, x):\n  h = torch.exp(torch.tanh(x))\n  " + body,
                          {{"w", torch::randn({width, 16})}});
  auto x = torch::randn({rows, 16});
  auto traced = tracedOf(m, *graphOf(m), {x});
  auto wrapped = wrap(m, traced);
  EXPECT_EQ(wrapped.pieces, 1u) << body;
  EXPECT_EQ(count(wrapped.module, "aten::tanh"), 0) << body;
  expectSame(m, wrapped.module, Inputs{x});
  return count(wrapped.module, "aten::linear") == 1;
}

TEST(CaptureTail, LargeLogitsAreMadeBehindTheGraph) {
  EXPECT_TRUE(isLeft("return torch.linear(h, self.w)", 64));
  EXPECT_TRUE(isLeft("y = torch.linear(h, self.w)\n  return y.view([-1]), y.size(0), x", 64));
}

TEST(CaptureTail, OthersAreMadeInside) {
  EXPECT_FALSE(isLeft("return torch.linear(h, self.w)", 4)) << "small";
  EXPECT_FALSE(isLeft("return torch.linear(h, self.w)", 65536, 32)) << "its rows are as large";
  EXPECT_FALSE(isLeft("return torch.linear(h + self.w[0], self.w)", 64)) << "the weight would be there twice";
  EXPECT_FALSE(isLeft("return torch.linear(h, self.w).relu()", 64)) << "not the last";
  EXPECT_FALSE(isLeft("return torch.linear(h, self.w), h", 64)) << "what else is returned is made inside";
}

}  // namespace
}  // namespace kadvise::graph
