// What a replacement brings along beside its own nodes.
#include "analyzer/graph/apply.h"

#include <torch/torch.h>

#include "analyzer/graph/value_words.h"
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

// relu of a sum, replaced; one operand is a cat of x, whose rank no call settles, y, and what else is given.
std::string replacedIn(const std::optional<at::Tensor>& firstPiece) {
  auto module = test::moduleOf(
      "def forward(self, x, y):\n  joined = torch.cat([x.squeeze(), y], 0)\n  return torch.relu(joined + 1.5 "
      "* "
      "joined)");
  auto graph = test::graphOf(module);
  torch::jit::Node* root = nullptr;
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::aten::relu) root = n;
    if (n->kind() != torch::jit::aten::cat || !firstPiece) return;
    torch::jit::WithInsertPoint before(n->input(0)->node());
    n->input(0)->node()->insertInput(0, graph->insertConstant(*firstPiece));
  });
  auto traced = test::tracedOf(module, *graph, {torch::randn({3, 4}), torch::randn({5, 4})});
  test::TestRule rule(test::fencesOf(test::HazardRule::SumAndRelu),
                      test::casesOf(test::HazardRule::SumAndRelu));
  auto& group = rule.rule.groups[0];
  StandIns made;
  auto& add = *root->input(0)->node();
  auto done =
      applyAt(module, group.patterns[0], group.replacements[0], {nodeId(root), nodeId(&add)}, traced, made);
  EXPECT_EQ(done.status, SiteStatus::Applied) << done.whyNot;
  return graph->toString();
}

constexpr const char* kCheck = "kadvise specialised this module to";

int checksIn(const std::string& graph) {
  int count = 0;
  for (auto at = graph.find(kCheck); at != std::string::npos; at = graph.find(kCheck, at + 1)) ++count;
  return count;
}

TEST(Apply, RanksThatTheInputsDoNotSettleAreChecked) {
  EXPECT_NE(replacedIn(std::nullopt).find(kCheck), std::string::npos);
  EXPECT_NE(replacedIn(torch::zeros({2, 4})).find(kCheck), std::string::npos);
}

// LibTorch's executor takes the rank of a cat from its first piece and folds dim() of the result to that,
// also where the piece is an empty one of another rank, which the cat skips: that check would fail in every
// call. What is asked instead is the rank of the piece that no call settles.
TEST(Apply, WhereTheExecutorMistakesARankThePiecesAreChecked) {
  EXPECT_EQ(checksIn(replacedIn(std::nullopt)), checksIn(replacedIn(torch::zeros({0}))) + 1)
      << "of the cat and of its product; of the squeezed piece";
  EXPECT_NE(replacedIn(torch::zeros({0})).find(kCheck), std::string::npos);
}

TEST(Apply, WhatAModuleWasSpecialisedToHasTheNamesOfItsAuthor) {
  auto pathOfResult = [](const std::string& expression) {
    auto graph =
        test::graphOf(test::moduleOf("def forward(self, x, d: Dict[str, Tensor], l: List[Tensor], t: "
                                     "Tuple[Tensor, Tensor], i: int):\n  return " +
                                     expression));
    return pathWords(graph->return_node()->input(0));
  };
  EXPECT_EQ(pathOfResult("x"), "x");
  EXPECT_EQ(pathOfResult("d['mask']"), "d[mask]");
  EXPECT_EQ(pathOfResult("l[1]"), "l[1]");
  EXPECT_EQ(pathOfResult("l[i]"), "l at some place");
  EXPECT_EQ(pathOfResult("t[1]"), "t[1]");
  EXPECT_EQ(pathOfResult("d['\"; assert False']"), "d at some place");
}

}  // namespace
}  // namespace kadvise::graph
