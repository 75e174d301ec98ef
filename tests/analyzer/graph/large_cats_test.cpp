#include "analyzer/graph/large_cats.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

std::string sums(const std::string& of, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i ? ", " : "") + of + " + " + std::to_string(i + 1);
  return out;
}

std::string normalised(const std::string& body) {
  auto m = test::moduleOf("def forward(self, x):\n  " + body, {{"w", torch::randn({3, 3, 1, 1})}});
  return test::graphOf(m)->toString(false);
}

TEST(LargeCats, OfImagesAreHiddenFromTheFuser) {
  auto text =
      normalised("a = torch.conv2d(x, self.w)\n  return torch.relu(torch.cat([a, " + sums("a", 8) + "], 1))");
  EXPECT_NE(text.find("aten::hstack"), std::string::npos) << text;
  EXPECT_EQ(text.find("aten::cat"), std::string::npos) << text;
}

TEST(LargeCats, ComputeTheSame) {
  std::string forward = "def forward(self, x):\n  a = torch.conv2d(x, self.w)\n  return torch.cat([a, " +
                        sums("a", 11) + "], 1)";
  std::vector<std::pair<std::string, at::Tensor>> weights = {{"w", torch::randn({3, 3, 1, 1})}};
  torch::jit::Module plain("__torch__.Plain");
  plain.register_buffer("w", weights[0].second);
  plain.define(forward + "\n");
  auto changed = test::moduleOf(forward, weights);
  auto x = torch::randn({2, 3, 5, 4});
  EXPECT_TRUE(torch::equal(plain.forward({x}).toTensor(), changed.forward({x}).toTensor()));
}

// hstack puts tensors of one dimension together along that, and knows no other dimension of images.
TEST(LargeCats, StayWhereHstackIsSomethingElse) {
  for (auto& body : {"return torch.cat([x, " + sums("x", 9) + "], 1)",
                     "a = torch.relu(x)\n  return torch.cat([a, " + sums("a", 9) + "], 1)",
                     "a = torch.conv2d(x, self.w)\n  return torch.cat([a, " + sums("a", 9) + "], 0)",
                     "a = torch.conv2d(x, self.w)\n  return torch.cat([a, " + sums("a", 3) + "], 1)"}) {
    auto text = normalised(body);
    EXPECT_EQ(text.find("aten::hstack"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kadvise::graph
