// What the ranks and dtypes of one call let be simpler, and what stays a question.
#include "analyzer/graph/specialise.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

TracedValue floats(std::vector<std::int64_t> shape) {
  TracedValue t;
  t.kind = "tensor", t.dtype = at::kFloat, t.shape = std::move(shape);
  return t;
}

// The run saw the row when it was made, before it got another dimension.
TEST(Specialise, ARankThatChangesInPlaceStaysAQuestion) {
  auto m = test::moduleOf("def forward(self, x):\n  y = x[0]\n  y.unsqueeze_(0)\n  return y.dim()");
  auto graph = test::graphOf(m);
  TracedValues traced;
  traced.put(valueId(graph->inputs()[1]), floats({2, 3}));
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::aten::select) traced.put(valueId(n->output()), floats({3}));
  });
  specialise(graph, traced);
  EXPECT_EQ(m.forward({torch::ones({2, 3})}).toInt(), 2);
}

// float32 of two dimensions, in the test's one call.
TracedValues tracedInput(const torch::jit::Graph& graph) {
  TracedValues traced;
  traced.put(valueId(graph.inputs()[1]), floats({2, 3}));
  return traced;
}

TEST(Specialise, TheSquareOfAnInputOfNumbersIsAPower) {
  auto m = test::moduleOf("def forward(self, x):\n  return x * x");
  auto graph = test::graphOf(m);
  specialise(graph, tracedInput(*graph));
  EXPECT_EQ(graph->outputs()[0]->node()->kind(), torch::jit::aten::pow) << *graph;
}

TEST(Specialise, NothingIsKnownOfAnInputThatGetsAnotherShapeInPlace) {
  auto m = test::moduleOf("def forward(self, x):\n  y = x.view(-1)\n  x.unsqueeze_(0)\n  return x + y");
  auto graph = test::graphOf(m);
  auto traced = tracedInput(*graph);
  forgetReshaped(*graph, traced);
  EXPECT_EQ(traced.find(graph->inputs()[1]), nullptr);
}

TEST(Specialise, TimesOneThatIsReturnedStaysATensorOfItsOwn) {
  for (auto* body : {"return x * 1.0", "return x / 1", "return x - 0", "return (x * 1.0).t()"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  ") + body);
    auto graph = test::graphOf(m);
    specialise(graph, tracedInput(*graph));
    auto x = torch::ones({2, 3});
    EXPECT_FALSE(m.forward({x}).toTensor().is_alias_of(x)) << body;
  }
}

TEST(Specialise, TimesOneInsideFallsAway) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.relu(x * 1.0)");
  auto graph = test::graphOf(m);
  specialise(graph, tracedInput(*graph));
  EXPECT_EQ(graph->toString().find("aten::mul"), std::string::npos) << *graph;
}

TEST(Specialise, ATensorWithoutDimensionsIsANumberWhereTheOtherOperandIsKnown) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.relu(x) * torch.tensor(2.5)");
  auto graph = test::graphOf(m);
  auto traced = tracedInput(*graph);
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::aten::relu) traced.put(valueId(n->output()), floats({2, 3}));
  });
  specialise(graph, traced);
  auto* product = graph->outputs()[0]->node();
  ASSERT_EQ(product->kind(), torch::jit::aten::mul) << *graph;
  EXPECT_TRUE(torch::jit::toIValue(product->input(1))->isDouble()) << *graph;
}

}  // namespace
}  // namespace kadvise::graph
