// What the ranks and dtypes of one call let be simpler, and what stays a question.
#include "analyzer/graph/specialise.h"

#include "analyzer/graph/placement.h"
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

// The run's values are known by the places of results, so that one that nobody reads any more stays in its
// own; what nobody reads at all goes.
TEST(Specialise, ResultsOfABranchKeepTheirPlaces) {
  auto m = test::moduleOf(
      "def forward(self, x, flag: bool, other: bool):\n"
      "  if flag:\n    a, b = x + 1, x * 2\n  else:\n    a, b = x - 1, x * 3\n"
      "  if other:\n    c, d = x + 4, x * 5\n  else:\n    c, d = x - 4, x * 6\n"
      "  if x.dim() == 9:\n    b = b + a + c + d\n"
      "  return b");
  auto graph = test::graphOf(m);
  specialise(graph, tracedInput(*graph));
  int branches = 0;
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    EXPECT_NE(n->kind(), torch::jit::prim::Print);
    branches += n->kind() == torch::jit::prim::If && n->outputs().size() > 1;
  });
  torch::jit::Value* b = graph->outputs()[0];
  ASSERT_EQ(b->node()->kind(), torch::jit::prim::If) << *graph;
  EXPECT_EQ(b->node()->outputs().size(), 2u) << *graph;
  EXPECT_EQ(branches, 1) << *graph;
}

// The run had it on the GPU, where it was loaded to; the file has it on the host.
TEST(Specialise, ACastMovesWhatIsMadeOfConstants) {
  auto m = test::moduleOf(
      "def forward(self, x, c):\n  return x + torch.to(torch.triu(c), torch.device('cuda:0'), 7, False, "
      "False)");
  auto graph = test::graphOf(m);
  torch::jit::WithInsertPoint atStart(*graph->nodes().begin());
  graph->inputs()[2]->replaceAllUsesWith(graph->insertConstant(torch::ones({2, 3})));
  auto traced = tracedInput(*graph);
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() != torch::jit::aten::triu && n->kind() != torch::jit::aten::to) return;
    auto seen = floats({2, 3});
    seen.device = "cuda:0";
    if (n->kind() == torch::jit::aten::to) seen.dtype = at::kDouble;
    traced.put(valueId(n->output()), seen);
  });
  specialise(graph, traced);
  EXPECT_EQ(namedGpu(*graph), "cuda:0") << *graph;
}

// nn.MultiheadAttention parts its packed projection so. The dimension has one element in every call, unlike
// others that had one in the run.
TEST(Specialise, ADimensionMadeAndMovedMayGoAgain) {
  struct Case {
    const char* body;
    bool isSettled;
  };
  for (auto [body, isSettled] :
       {Case{"torch.squeeze(torch.transpose(torch.unsqueeze(x, 0), 0, -2), -2)", true},
        Case{"torch.squeeze(torch.transpose(torch.unsqueeze(x, 0), 0, -2), 0)", false},
        Case{"torch.squeeze(torch.transpose(torch.unsqueeze(x, 0), 0, -1), 1)", false}}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  return (") + body + ").dim()");
    auto graph = test::graphOf(m);
    TracedValues traced;
    traced.put(valueId(graph->inputs()[1]), floats({1, 3}));
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      bool three = n->kind() == torch::jit::aten::unsqueeze || n->kind() == torch::jit::aten::transpose;
      if (three || n->kind() == torch::jit::aten::squeeze)
        traced.put(valueId(n->output()),
                   floats(three ? std::vector<std::int64_t>{1, 1, 3} : std::vector<std::int64_t>{1, 3}));
    });
    specialise(graph, traced);
    EXPECT_EQ(graph->outputs()[0]->node()->kind() == torch::jit::prim::Constant, isSettled) << body;
  }
}

TEST(Specialise, NoTensorIsNestedUnlessAnOperatorMakesItSo) {
  auto m = test::moduleOf("def forward(self, x):\n  y = x * 2\n  return y.is_nested");
  auto graph = test::graphOf(m);
  specialise(graph, tracedInput(*graph));
  EXPECT_EQ(graph->outputs()[0]->node()->kind(), torch::jit::prim::Constant);
  auto nested = test::moduleOf(
      "def forward(self, x):\n  y = torch._nested_tensor_from_mask(x.unsqueeze(0), x[:, :1].t() > 0)\n  "
      "return y.is_nested");
  auto asked = test::graphOf(nested);
  specialise(asked, tracedInput(*asked));
  EXPECT_NE(asked->outputs()[0]->node()->kind(), torch::jit::prim::Constant);
}

TEST(Specialise, WhereADeviceOfEveryKindIsListedTheAnswerIsKnown) {
  for (auto [list, isKnown] :
       {std::pair("[\"cpu\", \"cuda\", \"xpu\"]", true), {"[\"cuda\", \"xpu\"]", false}}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  return x.device.type in ") + list);
    auto graph = test::graphOf(m);
    specialise(graph, tracedInput(*graph));
    EXPECT_EQ(graph->outputs()[0]->node()->kind() == torch::jit::prim::Constant, isKnown) << list;
  }
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
  for (auto* constant : {"torch.tensor(2.5)", "torch.full([], 2.5)", "torch.sqrt(torch.tensor(6.25))"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  return torch.relu(x) * ") + constant);
    auto graph = test::graphOf(m);
    auto traced = tracedInput(*graph);
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      if (n->kind() == torch::jit::aten::relu) traced.put(valueId(n->output()), floats({2, 3}));
    });
    specialise(graph, traced);
    auto* product = graph->outputs()[0]->node();
    ASSERT_EQ(product->kind(), torch::jit::aten::mul) << *graph;
    auto number = torch::jit::toIValue(product->input(1));
    ASSERT_TRUE(number && number->isDouble()) << *graph;
    EXPECT_EQ(number->toDouble(), 2.5);
  }
}

std::string rootOf(const char* root) {
  return std::string("def forward(self, x):\n  n = torch.tensor(x.size(1))\n  return torch.matmul(x, x) / ") +
         root;
}

// scores / q.shape[-1] ** 0.5, as a trace spells it, of such a dtype.
std::shared_ptr<torch::jit::Graph> tracedRoot(torch::jit::Module& m, at::ScalarType dtype) {
  auto graph = test::graphOf(m);
  auto values = floats({4, 4});
  values.dtype = dtype;
  TracedValues traced;
  traced.put(valueId(graph->inputs()[1]), values);
  std::vector<torch::jit::Node*> sizes;
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::aten::matmul) traced.put(valueId(n->output()), values);
    bool isSize = n->kind() == torch::jit::aten::tensor && !torch::jit::toIValue(n->input(0));
    if (isSize) sizes.push_back(n);
  });
  for (auto* n : sizes) {
    torch::jit::WithInsertPoint here(n);
    n->output()->replaceAllUsesWith(
        graph->insertNode(graph->create(torch::jit::prim::NumToTensor, {n->input(0)}))->output());
    n->destroy();
  }
  specialise(graph, traced);
  return graph;
}

TEST(Specialise, ARootOfASizeIsANumberWhereScoresAreScaled) {
  for (auto* root : {"torch.sqrt(n)", "torch.pow(n, 0.5)", "torch.pow(n, -0.5)", "torch.rsqrt(n)",
                     "torch.sqrt(torch.floor_divide(n, torch.tensor(2)))", "torch.div(n, 3)"}) {
    auto m = test::moduleOf(rootOf(root)), before = test::moduleOf(rootOf(root));
    auto graph = tracedRoot(m, at::kFloat);
    auto* quotient = graph->outputs()[0]->node();
    ASSERT_EQ(quotient->kind(), torch::jit::aten::div) << *graph;
    EXPECT_EQ(quotient->input(1)->type()->kind(), c10::TypeKind::FloatType) << root << *graph;
    for (int size : {4, 7, 0}) {  // another call's
      auto x = torch::rand({size, size});
      auto expected = before.forward({x}).toTensor(), got = m.forward({x}).toTensor();
      EXPECT_TRUE(torch::allclose(got, expected, 3e-7, 0)) << root;
    }
  }
}

TEST(Specialise, ARootOfASizeStaysATensorInDoublePrecision) {
  auto m = test::moduleOf(rootOf("torch.sqrt(n)"));
  auto graph = tracedRoot(m, at::kDouble);
  EXPECT_TRUE(isTensor(graph->outputs()[0]->node()->input(1))) << *graph;
}

}  // namespace
}  // namespace kadvise::graph
