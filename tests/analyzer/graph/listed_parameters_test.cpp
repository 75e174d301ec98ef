#include "analyzer/graph/listed_parameters.h"

#include "analyzer/graph/ir.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

struct Listed {
  torch::jit::Module m{"__torch__.Listed"};
  std::vector<at::Tensor> own = {torch::randn({3}), torch::randn({3})};

  explicit Listed(const std::string& body, std::vector<at::Tensor> inList = {}) {
    m.register_parameter("a", own[0], false);
    m.register_parameter("b", own[1], false);
    m.register_attribute("all", c10::ListType::ofTensors(),
                         c10::List<at::Tensor>(inList.empty() ? own : inList));
    m.define("def forward(self, x):\n" + body);
  }
  // Whether forward reads the list as such.
  bool readsTheList() {
    auto graph = m.get_method("forward").graph();
    readListedParameters(*graph, m);
    graph->lint();
    bool reads = false;
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      reads = reads || (n->kind() == torch::jit::prim::GetAttr && n->s(torch::jit::attr::name) == "all");
    });
    return reads;
  }
};

const std::string kReads = "  return torch.cat(self.all) + x\n";

TEST(ListedParameters, AreReadUnderTheirNames) {
  Listed l(kReads);
  EXPECT_FALSE(l.readsTheList());
  EXPECT_TRUE(torch::equal(l.m.forward({torch::zeros({6})}).toTensor(), torch::cat(l.own)));
}

TEST(ListedParameters, MayBeViewsOfTheSameMemory) {
  Listed l(kReads);
  l.m.setattr("all", c10::List<at::Tensor>({l.own[0].view({3}), l.own[1].detach()}));
  EXPECT_FALSE(l.readsTheList());
}

TEST(ListedParameters, OfOtherTensorsTooStayAList) {
  EXPECT_TRUE(Listed(kReads, {torch::randn({3}), torch::randn({3})}).readsTheList());
  auto first = torch::randn({3});
  EXPECT_TRUE(Listed(kReads, {first, first.slice(0, 0, 2)}).readsTheList());
}

TEST(ListedParameters, ThatForwardAddsToStayAList) {
  EXPECT_TRUE(Listed("  self.all.append(x)\n  return torch.cat(self.all)\n").readsTheList());
  EXPECT_TRUE(Listed("  y = torch.cat(self.all)\n  self.all = [x]\n  return y\n").readsTheList());
}

TEST(ListedParameters, OfWhichOneIsSetAnewStayAList) {
  EXPECT_TRUE(Listed("  y = torch.cat(self.all)\n  self.a = x\n  return y\n").readsTheList());
}

}  // namespace
}  // namespace kadvise::graph
