// Layouts around generated kernels, and conversions that are generated kernels.
#include "analyzer/graph/channels_last.h"
#include "analyzer/graph/made_nodes.h"
#include "tests/analyzer/graph/laid_out.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

const c10::Symbol kRowProgram = c10::Symbol::fromQualString("kadvise::row_program");

void number(torch::jit::Graph& graph) {
  int id = 0;
  forEachNode(graph.block(), [&](torch::jit::Node* n) { setNodeId(n, id++); });
}

int count(torch::jit::Graph& graph, c10::Symbol kind) {
  int found = 0;
  forEachNode(graph.block(), [&](torch::jit::Node* n) { found += n->kind() == kind; });
  return found;
}

struct Case {
  std::string body;
  int conversions;  // of images and weights, beside what a generated kernel stores
};

// One convolution does not pay for converting its image and its result. That its generated kernel reads the
// one layout and writes the other does.
TEST(ImagePrograms, AreStoredWithChannelsFirstWhereOthersReadThem) {
  test::loadKernels();
  const Case cases[] = {
      {"return torch.tanh(torch.conv2d(x, y, padding=1) * 2) - 1", 2},
      {"a = torch.tanh(torch.conv2d(x, y, padding=1) * 2) - 1\n  return a, torch.conv2d(a, y, padding=1)", 5},
      {"return torch.softmax(torch.conv2d(x, y, padding=1) * 2, 1)", 2},
  };
  for (auto& c : cases) {
    auto m = test::moduleOf("def forward(self, x, y):\n  " + c.body);
    std::vector<at::Tensor> inputs = {torch::randn({2, 6, 7, 5}), torch::randn({6, 6, 3, 3})};
    std::vector<at::Tensor> want, have;
    test::flatten(m.forward({inputs[0], inputs[1]}), want);
    ASSERT_GE(test::rewritePasses(m, inputs).rewritten, 1);
    auto graph = test::graphOf(m);
    number(*graph);
    ASSERT_EQ(test::layOut(m, inputs).findings.size(), 1u) << c.body;
    test::flatten(m.forward({inputs[0], inputs[1]}), have);
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(at::allclose(have[i], want[i], 1e-5, 1e-6)) << c.body;
      EXPECT_EQ(have[i].strides(), want[i].strides()) << c.body;
    }
    EXPECT_EQ(count(*graph, torch::jit::aten::contiguous), c.conversions) << c.body;
  }
}

TEST(ImagePrograms, WithTablesAreNotTakenAlong) {
  test::loadKernels();
  auto m = test::moduleOf(
      "def forward(self, x, y):\n  a = torch.conv2d(x, x[:, :, :1, :1].contiguous())\n"
      "  return torch.relu(torch.embedding(y, (a > 0).long()[:, 0, 0])) * 2");
  std::vector<at::Tensor> inputs = {torch::randn({6, 6, 7, 5}), torch::randn({2, 5})};
  test::rewritePasses(m, inputs);
  number(*test::graphOf(m));
  EXPECT_EQ(test::layOut(m, inputs).findings.size(), 0u);
}

// On a GPU large images are converted by generated kernels.
TEST(LayOutByKernels, ConvertsLargeImagesOnAGpu) {
  test::loadKernels();
  const char* body = "return torch.conv2d(torch.relu(torch.conv2d(x, y, padding=1)), y, padding=1)";
  for (auto [device, size, programs] : {std::tuple("cuda:0", 64, 2), {"cpu", 64, 0}, {"cuda:0", 8, 0}}) {
    auto m = test::moduleOf(std::string("def forward(self, x, y):\n  ") + body);
    std::vector<at::Tensor> inputs = {torch::randn({2, 8, size, size}), torch::randn({8, 8, 3, 3})};
    auto want = m.forward({inputs[0], inputs[1]}).toTensor();
    auto graph = test::graphOf(m);
    auto traced = test::tracedOf(m, *graph, inputs);
    std::unordered_set<int> ids;
    auto isThere = [&](const torch::jit::Value* v) {
      auto* seen = traced.find(v);
      if (!seen) return;
      TracedValue there = *seen;
      there.device = device;
      traced.put(valueId(v), there);
    };
    for (auto* in : graph->inputs()) isThere(in);
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      for (auto* out : n->outputs()) isThere(out);
      ids.insert(nodeId(n));
    });
    auto aliases = aliasesOf(graph, &m);
    StandIns none;
    EXPECT_FALSE(layOutByKernels({*graph, ids, Shapes(traced, none), *aliases}).empty());
    EXPECT_EQ(count(*graph, kRowProgram), programs) << device << " " << size;
    auto have = m.forward({inputs[0], inputs[1]}).toTensor();
    EXPECT_TRUE(at::allclose(have, want, 1e-4, 1e-4));
    EXPECT_EQ(have.strides(), want.strides());
    std::vector<NodeInfo> nodes(ids.size());
    MadeNodes(nodes).nameConversions(*graph, "C1", {});
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      if (n->kind() != torch::jit::prim::Constant) EXPECT_GE(nodeId(n), 0) << *n;
    });
  }
}

}  // namespace
}  // namespace kadvise::graph
