// Sizes asked of what a tensor is made of are the tensor's own, and free what was only asked for them.
#include "analyzer/graph/sizes_of_makers.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

TracedValue tensorOfRank(std::size_t rank) {
  TracedValue v;
  v.kind = "tensor";
  v.dtype = at::kFloat;
  v.shape.assign(rank, 1);
  v.strides.assign(rank, 1);
  return v;
}

// What the graph knows of its inputs and of every tensor that forward makes is the rank: those of a run on x
// and y.
TracedValues ranksOf(torch::jit::Module m, const std::vector<at::Tensor>& inputs) {
  TracedValues out;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    out.put("in." + std::to_string(i), tensorOfRank(static_cast<std::size_t>(inputs[i].dim())));
  forEachNode(test::graphOf(m)->block(), [&](torch::jit::Node* n) {
    for (auto* v : n->outputs())
      if (isTensor(v)) out.put(valueId(v), tensorOfRank(static_cast<std::size_t>(inputs[0].dim())));
  });
  return out;
}

struct Asked {
  std::string text;
  std::int64_t before, after;
};

// forward returns one size of what it makes of x and y.
Asked ask(const std::string& body, const std::vector<at::Tensor>& inputs) {
  auto m = test::moduleOf("def forward(self, x, y):\n" + body);
  std::vector<c10::IValue> arguments(inputs.begin(), inputs.end());
  Asked out;
  out.before = m.forward(arguments).toInt();
  auto copy = m.clone(kSharedTensors);
  auto graph = test::graphOf(copy);
  askMakersForSizes(graph, ranksOf(m, inputs));
  out.text = graph->toString(false);
  out.after = copy.forward(arguments).toInt();
  return out;
}

const std::vector<at::Tensor> kShapes = {at::zeros({2, 3, 4}), at::zeros({2, 1, 4})};

TEST(SizesOfMakers, FreeWhatIsComputedForTheQuestionAlone) {
  for (auto* made : {"torch.triu(x)", "x.transpose(0, 2)", "x + y", "y * x", "x <= y",
                     "x.repeat_interleave(3, 1)", "torch.masked_fill(y, x > 0, 1.0)",
                     "torch.zeros([x.size(2), x.size(0), x.size(1)])", "y.expand([x.size(0), 5, -1])"})
    for (auto* d : {"0", "1", "2"}) {
      auto asked = ask(std::string("  return (") + made + ").size(" + d + ")", kShapes);
      EXPECT_EQ(asked.before, asked.after) << made << " " << d << "\n" << asked.text;
    }
  for (auto* op : {"triu", "transpose", "add", "masked_fill", "repeat_interleave"}) {
    std::string made = std::string(op) == "transpose"           ? "x.transpose(0, 2)"
                       : std::string(op) == "add"               ? "x + y"
                       : std::string(op) == "masked_fill"       ? "torch.masked_fill(y, x > 0, 1.0)"
                       : std::string(op) == "repeat_interleave" ? "x.repeat_interleave(3, 1)"
                                                                : "torch.triu(x)";
    auto asked = ask("  return (" + made + ").size(1)", kShapes);
    EXPECT_EQ(asked.text.find(std::string("aten::") + op), std::string::npos) << asked.text;
  }
}

TEST(SizesOfMakers, AreRightForEmptyTensorsAndSizesOfOne) {
  for (auto& inputs : {std::vector<at::Tensor>{at::zeros({0, 3, 1}), at::zeros({1, 3, 7})},
                       std::vector<at::Tensor>{at::zeros({1, 1, 1}), at::zeros({5, 1, 0})}})
    for (auto* d : {"0", "1", "2", "-1"}) {
      auto asked = ask(std::string("  return (x * y).size(") + d + ")", inputs);
      EXPECT_EQ(asked.before, asked.after) << d << "\n" << asked.text;
    }
}

TEST(SizesOfMakers, WhatIsUsedOtherwiseIsAskedItself) {
  auto m = test::moduleOf("def forward(self, x, y):\n  s = x + y\n  return torch.relu(s) * s.size(1)");
  auto graph = test::graphOf(m);
  auto before = graph->toString(false);
  askMakersForSizes(graph, ranksOf(m, kShapes));
  EXPECT_EQ(graph->toString(false), before) << "the user's own question stays where the tensor does";
}

TEST(SizesOfMakers, ATensorWhoseShapeIsWrittenIsAskedItself) {
  auto asked = ask("  s = x + y\n  s.transpose_(0, 2)\n  return s.size(0)", kShapes);
  EXPECT_EQ(asked.before, asked.after);
  EXPECT_NE(asked.text.find("aten::add"), std::string::npos) << asked.text;
}

}  // namespace
}  // namespace kadvise::graph
