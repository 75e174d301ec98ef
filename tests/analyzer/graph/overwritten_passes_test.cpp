// Results in the memory of what is read: where a program's text allows it, and that the rewritten module
// still computes the same.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

// The text of the program of a forward over x, r [4, 6], y [6, 6] and b [6].
std::string programFor(const std::string& body) {
  test::loadKernels();
  auto text = "def forward(self, x, r, y, b):\n  " + body;
  auto plain = test::moduleOf(text), changed = test::moduleOf(text);
  std::vector<at::Tensor> inputs = {torch::randn({4, 6}), torch::randn({4, 6}), torch::randn({6, 6}),
                                    torch::randn({6})};
  auto passes = test::rewritePasses(changed, inputs);
  EXPECT_GE(passes.rewritten, 1) << body << passes.reasons;
  auto of = [&](torch::jit::Module& m) {
    auto out = m.forward({inputs[0], inputs[1], inputs[2], inputs[3]});
    return out.isTensor() ? out.toTensor() : out.toTuple()->elements()[0].toTensor();
  };
  EXPECT_TRUE(at::allclose(of(changed), of(plain), 1e-5, 1e-6)) << passes.text;
  return passes.text;
}

bool isWrittenOver(const std::string& body) { return programFor(body).find(" over ") != std::string::npos; }

TEST(OverwrittenPasses, WriteOverWhatTheyAloneRead) {
  EXPECT_TRUE(isWrittenOver("return torch.relu(torch.matmul(x, y) + b)"));
  EXPECT_TRUE(isWrittenOver("return torch.softmax(torch.matmul(x, y) + r, -1)"));
  EXPECT_TRUE(isWrittenOver("h = torch.matmul(x, y)\n  return torch.relu(h * torch.sigmoid(h))"));
}

TEST(OverwrittenPasses, LeaveWhatOthersHold) {
  EXPECT_FALSE(isWrittenOver("return torch.relu(x + r)")) << "the caller's";
  EXPECT_FALSE(isWrittenOver("h = torch.matmul(x, y)\n  return torch.relu(h + b), h")) << "returned";
  EXPECT_FALSE(isWrittenOver("h = torch.matmul(x, y)\n  return torch.relu(h + b) * torch.matmul(h, y).sum()"))
      << "read by a product";
  EXPECT_FALSE(isWrittenOver("h = torch.matmul(x, y).view([6, 4]).t()\n  return torch.relu(h + 1.0)"))
      << "a view";
}

TEST(OverwrittenPasses, LeaveWhatIsOfOtherSizesOrDtypes) {
  EXPECT_FALSE(isWrittenOver("return torch.relu(torch.matmul(x[:1], y) + r)")) << "one row for all";
  EXPECT_FALSE(isWrittenOver("return torch.mean(torch.relu(torch.matmul(x, y)), [1], True)")) << "a mean";
  EXPECT_FALSE(isWrittenOver("return (torch.relu(torch.matmul(x, y)) + 1).half()")) << "another dtype";
}

TEST(OverwrittenPasses, EachMemoryTakesOneResult) {
  auto text = programFor("s = torch.matmul(x, y) + b\n  return torch.layer_norm(s, [6]), s");
  auto first = text.find(" over ");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find(" over ", first + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace kadvise::graph
