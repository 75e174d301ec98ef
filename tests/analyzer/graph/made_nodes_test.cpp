// Nodes of replacements keep their ids from one composed module to the next.
#include "analyzer/graph/made_nodes.h"

#include "analyzer/graph/fold.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

using torch::jit::Node;

struct Module {
  torch::jit::Module module = test::moduleOf("def forward(self, x):\n  return torch.relu(x) * torch.tanh(x)");
  std::shared_ptr<torch::jit::Graph> graph = test::graphOf(module);

  std::vector<Node*> nodes() const {
    std::vector<Node*> out;
    forEachNode(graph->block(), [&](Node* n) { out.push_back(n); });
    return out;
  }
};

std::vector<NodeInfo> users(std::size_t n) {
  std::vector<NodeInfo> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i].id = static_cast<int>(i);
  return out;
}

TEST(MadeNodes, OneReplacementAtOneSiteHasTheSameIdsInEveryModule) {
  auto infos = users(3);
  MadeNodes made(infos);
  Module first, second, third;
  made.name(first.nodes(), "C1", 0, {});
  made.name(second.nodes(), "C2", 0, {});
  made.name(third.nodes(), "C1", 0, {});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(nodeId(first.nodes()[i]), nodeId(third.nodes()[i]));
    EXPECT_NE(nodeId(first.nodes()[i]), nodeId(second.nodes()[i]));
    EXPECT_GE(nodeId(first.nodes()[i]), 3) << "none of the user's";
  }
  EXPECT_EQ(infos.size(), 9u);
}

TEST(MadeNodes, KnowWhoMadeThemAndWhatTheyAnswer) {
  auto infos = users(3);
  MadeNodes made(infos);
  Module m, users;
  Location place;
  place.scope = "encoder.layer.0";
  made.name({m.nodes()[1]}, "C7", 4, place);
  EXPECT_EQ(made.makerOf(m.nodes()[1]), "C7");
  EXPECT_EQ(locate(m.nodes()[1], infos).scope, "encoder.layer.0");
  EXPECT_EQ(made.makerOf(users.nodes()[1]), "") << "a node of the user's";
}

TEST(MadeNodes, TwoNodesWithOneIdAreToldApart) {
  auto infos = users(3);
  MadeNodes made(infos);
  Module m, again;
  for (auto* module : {&m, &again}) {
    setNodeId(module->nodes()[1], 0);
    made.nameCopies(*module->graph);
  }
  EXPECT_EQ(nodeId(m.nodes()[0]), 0);
  EXPECT_EQ(nodeId(m.nodes()[1]), 3);
  EXPECT_EQ(nodeId(again.nodes()[1]), 3) << "in every module";
  EXPECT_FALSE(isMade(m.nodes()[1])) << "the copy of a user's node is the user's";
}

TEST(MadeNodes, AreForgottenInAModuleThatIsWritten) {
  auto infos = users(3);
  MadeNodes made(infos);
  Module m;
  made.name({m.nodes()[1]}, "C1", 0, {});
  EXPECT_TRUE(isMade(m.nodes()[1]));
  forgetMadeIds(*m.graph);
  EXPECT_EQ(nodeId(m.nodes()[0]), 0);
  EXPECT_EQ(nodeId(m.nodes()[1]), -1);
}

TEST(MadeNodes, WhatTheyMakeOfParametersIsFoldedAllTheSame) {
  auto m = test::moduleOf("def forward(self, x):\n  return x + torch.neg(self.w)", {{"w", torch::ones({3})}});
  std::vector<NodeInfo> infos = users(8);
  MadeNodes made(infos);
  forEachNode(test::graphOf(m)->block(), [&](Node* n) {
    if (n->kind() == torch::jit::aten::neg) made.name({n}, "C1", 0, {});
  });
  EXPECT_EQ(foldWeights(m, HandedTo::Caller), 1);
}

}  // namespace
}  // namespace kadvise::graph
