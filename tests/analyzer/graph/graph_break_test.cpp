#include "analyzer/graph/graph_break.h"

#include <filesystem>
#include <set>

#include "analyzer/core/catalogue.h"
#include "analyzer/core/error.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/written.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

struct Asked {  // a module, and questions about its nodes
  torch::jit::Module module;
  std::shared_ptr<torch::jit::Graph> graph;
  TracedValues traced;
  Target target;
  std::unique_ptr<Aliases> aliases;
  Analysis analysis;
  GraphFacts facts;

  Asked(const Asked&) = delete;
  explicit Asked(const std::string& forward,
                 const std::vector<std::pair<std::string, at::Tensor>>& buffers = {}, Target on = {"cpu", 0})
      : module(test::moduleOf(forward, buffers)),
        graph(test::graphOf(module)),
        target(std::move(on)),
        aliases(aliasesOf(graph)),
        analysis{*graph, &module, traced, target, *aliases},
        facts(analysis) {}

  torch::jit::Node* only(const std::string& kind) {
    torch::jit::Node* found = nullptr;
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      if (n->kind().toQualString() != kind) return;
      EXPECT_EQ(found, nullptr) << kind << " occurs twice";
      found = n;
    });
    EXPECT_NE(found, nullptr) << "no " << kind << " in\n" << *graph;
    return found;
  }
};

RulePage pageWith(const std::string& header) {
  RulePage page;
  page.path = "test.md";
  page.id = "test/page";
  page.nodes = nodeQueriesFrom(Json::parse(header));
  return page;
}

std::size_t found(Asked& a, const std::string& header) {
  return findGraphBreaks(pageWith(header), a.analysis).findings.size();
}

TEST(Dependence, SizesAndTypesAreNotData) {
  Asked a(
      "def forward(self, x, m: Optional[Tensor]):\n  n = int(x.size(0) / 2)\n  if m is not None:\n    x = x "
      "+ m\n  return x[:n]");
  EXPECT_FALSE(nodeIs("data-condition", a.only("prim::If"), a.facts));
  EXPECT_FALSE(nodeIs("bound-by-data", a.only("aten::slice"), a.facts));
}

TEST(Dependence, GoesThroughNumbersListsAndWrites) {
  Asked number("def forward(self, x):\n  n = int(x.max()) * 2 + 1\n  return x[:n]");
  EXPECT_TRUE(nodeIs("bound-by-data", number.only("aten::slice"), number.facts));
  EXPECT_EQ(readsBehind(number.only("aten::slice"), number.facts).size(), 1u);
  Asked written(
      "def forward(self, x):\n  t = torch.zeros([4])\n  t[0].copy_(x[0, 0])\n  return x * float(t.sum())");
  EXPECT_EQ(found(written, R"({"nodes": [{"op": "aten::Float", "where": {"0": "data"}, "message": "m"}]})"),
            1u);
}

TEST(Dependence, ALoopCarriesDataIntoItsCondition) {
  Asked a(
      "def forward(self, x):\n  go = True\n  while go:\n    x = x * 0.5\n    go = bool(x.sum() > 1.0)\n  "
      "return x");
  EXPECT_TRUE(nodeIs("data-condition", a.only("prim::Loop"), a.facts));
  Asked counted("def forward(self, x, n: int):\n  for i in range(n):\n    x = torch.tanh(x)\n  return x");
  EXPECT_FALSE(nodeIs("data-condition", counted.only("prim::Loop"), counted.facts));
}

TEST(Dependence, AReadThatOnlyDecidesIsLeftToWhoeverReportsTheDecision) {
  Asked decides("def forward(self, x):\n  if x.mean().item() > 0.5:\n    x = x * 2\n  return x");
  EXPECT_TRUE(nodeIs("only-decides", decides.only("aten::item"), decides.facts));
  Asked through(
      "def forward(self, x):\n  if x.size(0) > 0:\n    n = int(x.max())\n  else:\n    n = 0\n  return x[:n]");
  EXPECT_TRUE(nodeIs("only-decides", through.only("aten::Int"), through.facts))
      << "a number that a branch hands out";
  Asked returned("def forward(self, x):\n  n = int(x.max())\n  return x[:n], n");
  EXPECT_FALSE(nodeIs("only-decides", returned.only("aten::Int"), returned.facts));
  Asked computes("def forward(self, x):\n  m = x.mean().item()\n  if m > 0.5:\n    x = x * m\n  return x");
  EXPECT_FALSE(nodeIs("only-decides", computes.only("aten::item"), computes.facts));
}

TEST(Dependence, HowManyRowsDataChoseIsData) {
  Asked counted(
      "def forward(self, x):\n  rows, slot = torch.where(x > 0)\n  if rows.numel() > 0:\n    x = x * 2\n  "
      "return x");
  EXPECT_TRUE(nodeIs("data-condition", counted.only("prim::If"), counted.facts));
  EXPECT_TRUE(nodeIs("row-count-condition", counted.only("prim::If"), counted.facts));
  Asked read(
      "def forward(self, x):\n  n = x.nonzero()\n  if n.size(0) > int(x.max()):\n    x = x * 2\n  return x");
  EXPECT_TRUE(nodeIs("data-condition", read.only("prim::If"), read.facts));
  EXPECT_FALSE(nodeIs("row-count-condition", read.only("prim::If"), read.facts)) << "it reads a number, too";
}

struct WriteCase {
  const char *name, *body, *word;
};
class Writes : public testing::TestWithParam<WriteCase> {};

TEST_P(Writes, AreToldApartByTheMemoryBehindThem) {
  Asked a(std::string("def forward(self, x, y):\n") + GetParam().body, {{"b", torch::zeros({4, 4})}});
  int writes = 0;
  forEachNode(a.graph->block(), [&](torch::jit::Node* n) {
    if (!writtenBy(n)) return;
    ++writes;
    EXPECT_TRUE(nodeIs(GetParam().word, n, a.facts)) << *a.graph;
    for (const char* other :
         {"writes-input", "writes-state", "writes-slice", "writes-shared", "writes-local"})
      EXPECT_EQ(nodeIs(other, n, a.facts), std::string(other) == GetParam().word) << other;
  });
  EXPECT_EQ(writes, 1) << *a.graph;
}

INSTANTIATE_TEST_SUITE_P(
    Memory, Writes,
    testing::Values(
        WriteCase{"input", "  x.add_(y)\n  return x * 2", "writes-input"},
        WriteCase{"view_of_input", "  x.transpose(0, 1)[0].mul_(2.0)\n  return x", "writes-input"},
        WriteCase{"piece_of_input", "  torch.chunk(x, 2, 0)[1].mul_(2.0)\n  return x", "writes-input"},
        WriteCase{"buffer", "  self.b.add_(x)\n  return self.b + y", "writes-state"},
        WriteCase{"part_of_buffer", "  self.b[0].copy_(x[0])\n  return self.b + y", "writes-slice"},
        WriteCase{"part_of_new", "  z = torch.zeros_like(x)\n  z[0].copy_(y[0])\n  return z", "writes-slice"},
        WriteCase{"live_view", "  z = torch.exp(x)\n  v = z[0]\n  z.mul_(2.0)\n  return z + v",
                  "writes-shared"},
        WriteCase{"own", "  z = torch.exp(x)\n  for i in range(3):\n    z += y\n  return z", "writes-local"}),
    [](const auto& info) { return info.param.name; });

TEST(Placement, JudgesAsIfTheInputsWereOnAGpu) {
  Asked a(
      "def forward(self, x):\n  h = torch.arange(x.size(0))\n  g = torch.arange(x.size(1), "
      "device=x.device)\n  c = x.cpu()\n  return h, g, c");
  auto& place = a.facts.placement();
  auto outputs = a.graph->return_node()->input(0)->node()->inputs();
  EXPECT_EQ(place.of(a.graph->inputs()[1]), Place::Gpu);
  EXPECT_EQ(place.of(outputs[0]), Place::Host);
  EXPECT_EQ(place.of(outputs[1]), Place::Gpu);
  EXPECT_EQ(place.of(outputs[2]), Place::Host);
}

TEST(Placement, AConstantCpuOfATraceIsAQuestionOnlyWhereThereIsNoGpu) {
  const char* text =
      "def forward(self, x):\n  return x + torch.arange(x.size(0), dtype=4, layout=0, "
      "device=torch.device(\"cpu\"), pin_memory=False)";
  Asked onCpu(text);
  EXPECT_TRUE(nodeIs("bound-to-cpu", onCpu.only("aten::arange"), onCpu.facts));
  EXPECT_FALSE(nodeIs("made-on-host", onCpu.only("aten::arange"), onCpu.facts));
  Asked onGpu(text, {}, {"cuda", 90});
  EXPECT_FALSE(nodeIs("bound-to-cpu", onGpu.only("aten::arange"), onGpu.facts));
  EXPECT_TRUE(nodeIs("made-on-host", onGpu.only("aten::arange"), onGpu.facts));
}

TEST(Placement, ARunOnAGpuGoesBeforeTheGuess) {
  Asked a("def forward(self, x, y):\n  return x[y]", {}, {"cuda", 90});
  std::string header = R"({"nodes": [{"op": "aten::index", "where": {"indices": "host"}, "message": "m"}]})";
  EXPECT_EQ(found(a, header), 0u);
  TracedValue onHost;
  onHost.kind = "tensor";
  onHost.dtype = at::kLong;
  onHost.shape = {3};
  onHost.device = "cpu";
  a.traced.put(valueId(a.graph->inputs()[2]), onHost);
  Analysis again{*a.graph, &a.module, a.traced, a.target, *a.aliases};
  EXPECT_EQ(findGraphBreaks(pageWith(header), again).findings.size(), 1u);
}

TEST(GraphBreak, AMaskIsKnownFromTheTrace) {
  Asked a("def forward(self, x, m):\n  return x[m]");
  std::string header =
      R"({"nodes": [{"op": "aten::index", "where": {"indices": ["mask", "data"]}, "message": "m"}]})";
  EXPECT_EQ(found(a, header), 0u);
  for (auto [dtype, expected] : {std::pair{at::kBool, 1u}, {at::kByte, 1u}, {at::kLong, 0u}}) {
    TracedValue v;
    v.kind = "tensor";
    v.dtype = dtype;
    v.shape = {4};
    a.traced.put(valueId(a.graph->inputs()[2]), v);
    EXPECT_EQ(found(a, header), expected) << dtype;
  }
}

TEST(GraphBreak, PlacesThatDependOnOneReadAreOneFinding) {
  Asked a(
      "def forward(self, x):\n  n = int(x.max())\n  a = x[:n]\n  b = x[n:]\n  return a, b, x[:int(x.min())]");
  auto result = findGraphBreaks(
      pageWith(R"({"nodes": [{"op": "aten::slice", "is": "bound-by-data", "message": "m"}]})"), a.analysis);
  ASSERT_EQ(result.findings.size(), 2u);
  // The read and the second slice.
  EXPECT_EQ(result.findings[0].related.size(), 2u);
  EXPECT_EQ(result.findings[0].message, "m (and 1 more of the kind)") << "what is read is none";
  EXPECT_EQ(result.findings[1].message, "m");
}

TEST(GraphBreak, AWriteWhoseResultIsStoredIsOneFinding) {
  const char* header =
      R"({"nodes": [{"op": "prim::SetAttr", "message": "stores", "breaks": ["capture"]},
                    {"is": "writes-state", "message": "writes", "breaks": ["fusion"]}]})";
  std::vector<std::pair<std::string, at::Tensor>> buffers = {{"c", at::zeros({4})}};
  Asked both("def forward(self, x):\n  self.c = self.c.add_(1)\n  return x + self.c", buffers);
  auto result = findGraphBreaks(pageWith(header), both.analysis);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message, "stores");
  EXPECT_EQ(result.findings[0].node, both.only("prim::SetAttr"));
  EXPECT_EQ(result.findings[0].breaks, (std::vector<std::string>{"fusion", "capture"}));
  Asked apart("def forward(self, x):\n  self.c.mul_(2)\n  self.c = self.c + 1\n  return x + self.c", buffers);
  EXPECT_EQ(found(apart, header), 2u);
}

TEST(GraphBreak, WhyThereIsNoneNamesAnOperatorOnce) {
  Asked a("def forward(self, x):\n  return torch.relu(x)");
  auto result = findGraphBreaks(pageWith(R"({"nodes": [{"op": ["aten::to", "aten::cpu"], "message": "m"},
                                                       {"op": ["aten::to"], "message": "n"}]})"),
                                a.analysis);
  EXPECT_EQ(result.whyNothing, "the module has no aten::to, aten::cpu");
}

TEST(GraphBreak, AFindingForTheModuleCountsTheOtherPlaces) {
  Asked a("def forward(self, x):\n  return torch.relu(torch.exp(torch.relu(x)))");
  auto result = findGraphBreaks(
      pageWith(R"({"report": "once", "nodes": [{"op": "aten::relu", "message": "m"}]})"), a.analysis);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message, "m (and 1 more of the kind)");
}

TEST(GraphBreak, AWordThatDoesNotExistIsAnErrorOfThePage) {
  Asked a("def forward(self, x):\n  return x");
  for (const char* header : {R"({"nodes": [{"op": "aten::relu", "is": "on-moon", "message": "m"}]})",
                             R"({"nodes": [{"op": "aten::relu", "where": {"0": "!wet"}, "message": "m"}]})",
                             R"({"nodes": [{"tag": "sticky", "message": "m"}]})"})
    EXPECT_THROW(found(a, header), Error) << header;
  for (const char* header :
       {R"({"nodes": [{"op": "aten::relu"}]})", R"({"nodes": [{"message": "m"}]})", R"({"nodes": []})",
        R"({"breaks": ["heart"]})", R"({"report": "twice"})", R"({"nodes": [{"op": 3, "message": "m"}]})",
        R"({"nodes": [{"op": "a", "where": {"0": []}, "wear": 1, "message": "m"}]})"})
    EXPECT_THROW(nodeQueriesFrom(Json::parse(header)), Error) << header;
}

// The catalogue of breaks has 57 rows; each is some page's, or of the list below.
TEST(GraphBreak, EveryRowOfTheCatalogueHasAPage) {
  // Copies, transposes and casts (memory), fusion, and what only a profile shows: pages that stand beside
  // these.
  const std::set<int> elsewhere = {31, 32, 33, 35, 36, 37, 41, 43, 45, 46, 47, 48, 49, 50, 55};
  auto book = loadCatalogue({std::filesystem::path(KADVISE_SOURCE_DIR) / "rules"});
  EXPECT_TRUE(book.errors.empty()) << book.errors[0].what();
  std::set<int> covered;
  for (auto& page : book.pages)
    for (auto& tag : page.tags)
      if (tag.rfind("row-", 0) == 0) covered.insert(std::stoi(tag.substr(4)));
  for (int row = 1; row <= 57; ++row)
    EXPECT_TRUE(covered.count(row) || elsewhere.count(row)) << "row " << row << " has no page";
}

}  // namespace
}  // namespace kadvise::graph
