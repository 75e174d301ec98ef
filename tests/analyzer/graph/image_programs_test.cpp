// Layouts around generated kernels, and conversions that are generated kernels.
#include "analyzer/graph/channels_last.h"
#include "analyzer/graph/made_nodes.h"
#include "tests/analyzer/graph/laid_out.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

const c10::Symbol kContiguous = c10::Symbol::fromQualString("kadvise::contiguous");

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
// A module whose run is told to have been on the device.
struct RunOn {
  torch::jit::Module m;
  std::shared_ptr<torch::jit::Graph> graph;
  TracedValues traced;
  std::unordered_set<int> ids;
  std::unique_ptr<Aliases> aliases;

  RunOn(const char* device, const char* body, const std::vector<at::Tensor>& inputs)
      : m(test::moduleOf(std::string("def forward(self, x, y):\n  ") + body)), graph(test::graphOf(m)) {
    traced = test::tracedOf(m, *graph, inputs);
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
    aliases = aliasesOf(graph, &m);
  }
  bool layOut() {
    StandIns none;
    return !layOutByKernels({*graph, ids, Shapes(traced, none), *aliases}).empty();
  }
};

TEST(LayOutByKernels, ConvertsLargeImagesOnAGpu) {
  test::loadKernels();
  const char* body = "return torch.conv2d(torch.relu(torch.conv2d(x, y, padding=1)), y, padding=1)";
  for (auto [device, size, copies] : {std::tuple("cuda:0", 64, 2), {"cpu", 64, 0}, {"cuda:0", 8, 0}}) {
    std::vector<at::Tensor> inputs = {torch::randn({2, 8, size, size}), torch::randn({8, 8, 3, 3})};
    RunOn run(device, body, inputs);
    auto want = test::resultsOf(run.m, inputs)[0];
    EXPECT_TRUE(run.layOut());
    EXPECT_EQ(count(*run.graph, kContiguous), copies) << device << " " << size;
    auto have = test::resultsOf(run.m, inputs)[0];
    EXPECT_TRUE(at::allclose(have, want, 1e-4, 1e-4));
    EXPECT_EQ(have.strides(), want.strides());
    std::vector<NodeInfo> nodes(run.ids.size());
    MadeNodes(nodes).nameConversions(*run.graph, "C1", {});
    forEachNode(run.graph->block(), [&](torch::jit::Node* n) {
      if (n->kind() != torch::jit::prim::Constant) EXPECT_GE(nodeId(n), 0) << *n;
    });
  }
}

TEST(LayOutByKernels, OneConvolutionOfALargeImageOnAGpuPaysForItsConversions) {
  test::loadKernels();
  for (auto [device, size, pays] :
       {std::tuple("cuda:0", 512, true), {"cuda:0", 64, false}, {"cpu", 512, false}})
    EXPECT_EQ(RunOn(device, "return torch.conv2d(x, y, padding=1)",
                    {torch::randn({1, 8, size, size}), torch::randn({8, 8, 3, 3})})
                  .layOut(),
              pays)
        << device << " " << size;
}

}  // namespace
}  // namespace kadvise::graph
