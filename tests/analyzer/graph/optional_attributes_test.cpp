// Attributes that may be None: settled where the module has them, and saved so that the file can be read.
#include "analyzer/graph/optional_attributes.h"

#include <sstream>

#include "analyzer/graph/fold.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

using torch::jit::Module;

Module withBias(const c10::IValue& bias, const std::string& forward) {
  return test::moduleOf("def forward(self, x):\n" + forward, {},
                        {{"bias", c10::OptionalType::ofTensor(), bias}});
}

int count(const Module& m, c10::Symbol kind) {
  int n = 0;
  forEachNode(test::graphOf(m)->block(), [&](torch::jit::Node* node) { n += node->kind() == kind; });
  return n;
}

void settle(Module& m) {
  auto graph = test::graphOf(m);
  settleOptionalAttributes(*graph, m);
  simplify(graph);
}

constexpr const char* kAsks =
    "    b = self.bias\n    y = x * 2.0\n    if b is not None:\n        y = y + b\n    return torch.relu(y)";

TEST(OptionalAttributes, ThatAreThereAreTensorsAndAreSavedAsWhatTheyAre) {
  auto bias = torch::randn({4});
  auto m = withBias(bias, kAsks);
  settle(m);
  EXPECT_EQ(count(m, torch::jit::prim::If), 0);
  EXPECT_EQ(count(m, torch::jit::prim::unchecked_cast), 0);
  std::stringstream file;
  {
    const CastOptionals casts(m);
    m.save(file);
  }
  EXPECT_EQ(count(m, torch::jit::prim::unchecked_cast), 0);
  auto x = torch::randn({3, 4}), want = torch::relu(x * 2 + bias);
  EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), want));
  EXPECT_TRUE(torch::equal(torch::jit::load(file).forward({x}).toTensor(), want));
}

TEST(OptionalAttributes, ThatAreNoneAreConstants) {
  auto m = withBias(c10::IValue(), kAsks);
  settle(m);
  EXPECT_EQ(count(m, torch::jit::prim::If), 0);
  EXPECT_EQ(count(m, torch::jit::aten::add), 0);
}

TEST(OptionalAttributes, ThatForwardAssignsStayQuestions) {
  for (const c10::IValue& bias : {c10::IValue(), c10::IValue(torch::randn({4}))}) {
    auto m = withBias(bias, std::string("    self.bias = x[0]\n") + kAsks);
    settle(m);
    EXPECT_EQ(count(m, torch::jit::prim::If), 1);
  }
}

// As a batch norm folded into a scripted convolution with a bias reads it.
TEST(OptionalAttributes, ThatAreFoldedAreSavedAsWhatTheyAre) {
  auto bias = torch::randn({4});
  auto m = withBias(
      bias, "    b = self.bias\n    y = x\n    if b is not None:\n        y = x * (b * 2.0)\n    return y");
  settle(m);
  forEachNode(test::graphOf(m)->block(), [](torch::jit::Node* n) {
    bool onBias = !n->inputs().empty() && n->input(0)->node()->kind() == torch::jit::prim::GetAttr;
    if (onBias) n->setSourceRange(torch::jit::SourceRange());  // as a replacement would have inserted it
  });
  ASSERT_EQ(foldWeights(m, HandedTo::Caller), 1);
  std::stringstream file;
  {
    const CastOptionals casts(m);
    m.save(file);
  }
  auto loaded = torch::jit::load(file);
  loaded.get_method(kFoldMethod)({});
  auto x = torch::randn({3, 4});
  EXPECT_TRUE(torch::equal(loaded.forward({x}).toTensor(), x * (bias * 2)));
}

}  // namespace
}  // namespace kadvise::graph
