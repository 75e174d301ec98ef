#include "profiler/trace.h"

#include <gtest/gtest.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include "analyzer/core/result_names.h"
#include "modules.h"

namespace kadvise {
namespace {

using at::Tensor;
using torch::jit::Block;
using torch::jit::Module;
using torch::jit::Node;

// As kadvise-graph numbers them; answers kind -> ids in order.
std::map<std::string, std::vector<std::size_t>> number(const Module& m) {
  std::map<std::string, std::vector<std::size_t>> ids;
  std::size_t next = 0;
  std::function<void(Block*)> go = [&](Block* b) {
    for (Node* n : b->nodes()) {
      ids[n->kind().toQualString()].push_back(next);
      n->setSourceRange(torch::jit::SourceRange(
          std::make_shared<torch::jit::Source>(std::string("n"), std::string("node"), next++), 0, 1));
      for (Block* inner : n->blocks()) go(inner);
    }
  };
  go(m.get_method("forward").graph()->block());
  return ids;
}

constexpr const char* kSource = R"(
def forward(self, x, n: int):
  y = torch.linear(x, self.w)
  sizes = [x.size(0), 2, 2]
  v = torch.relu(y).view(sizes)
  if n > 1:
    v = torch.tanh(v)
  else:
    v = torch.sigmoid(v)
  k = 0.5
  for i in range(n):
    v = v[:1]
    k = k * 2.0
    v = torch.mul(v, k)
  a, b = torch.chunk(y, 2, -1)
  y.zero_()
  return a, b, v, torch.sum(y)
)";

struct Traced : ::testing::Test {
  TemporaryFolder folder;
  Module loaded;
  std::map<std::string, std::vector<std::size_t>> ids;
  Tensor weight = at::randn({4, 4});
  Values inputs = {at::randn({3, 4}), c10::IValue(2)};

  Traced() {
    Module m("__torch__.Traced");
    m.register_parameter("w", weight, false);
    m.define(kSource);
    ids = number(m);
    auto path = (folder.path / "base.pt").string();
    m.save(path);
    loaded = torch::jit::load(path);
  }
  std::string id(const std::string& kind, std::size_t i = 0) const {
    return std::to_string(ids.at(kind).at(i));
  }
  Trace run(const std::set<std::string>& keep = {}) { return traceRun(loaded, inputs, cpuDevice(), keep); }
};

TEST_F(Traced, NamesSurviveTheFile) {
  Trace t = run();
  EXPECT_EQ(t.entries.at("in.0").at("shape"), Json({3, 4}));
  EXPECT_EQ(t.entries.at("in.1").at("value"), 2);
  const Json& y = t.entries.at(id("aten::linear") + ".0");
  EXPECT_EQ(y.at("kind"), "tensor");
  EXPECT_EQ(y.at("dtype"), "float32");
  EXPECT_EQ(y.at("strides"), Json({4, 1}));
  EXPECT_EQ(y.at("contiguous"), true);
  EXPECT_EQ(y.at("device"), "cpu");
  EXPECT_EQ(t.entries.at(id("aten::gt") + ".0"), Json({{"kind", "bool"}, {"value", true}}));
}

TEST_F(Traced, ListsAreNamedByTheirReader) {
  Trace t = run();
  const Json& sizes = t.entries.at(id("aten::view") + ":1");
  EXPECT_EQ(sizes.at("kind"), "list");
  EXPECT_EQ(sizes.at("items")[0].at("value"), 3);
  EXPECT_EQ(sizes.at("length"), 3);
  const Json& parts = t.entries.at(id("aten::chunk") + ".0");
  EXPECT_EQ(parts.at("items")[1].at("shape"), Json({3, 2}));
  EXPECT_EQ(parts.at("items")[1].at("contiguous"), false);
}

TEST_F(Traced, BranchesAndLoops) {
  Trace t = run();
  EXPECT_TRUE(t.entries.contains(id("aten::tanh") + ".0"));
  EXPECT_FALSE(t.entries.contains(id("aten::sigmoid") + ".0"));
  EXPECT_TRUE(t.entries.contains(id("prim::If") + ".0"));
  std::string loop = id("prim::Loop");
  EXPECT_EQ(t.entries.at(loop + ".b0.0").value("varies", false), true);  // the counter
  EXPECT_EQ(t.entries.at(loop + ".b0.1").value("varies", false), true);
  // The same shape at each turn but the first view of it.
  EXPECT_FALSE(t.entries.at(id("aten::mul", 1) + ".0").contains("varies"));
}

TEST_F(Traced, KeepsValuesAsTheyWereMade) {
  std::string y = id("aten::linear") + ".0";
  Trace t = run({y, "in.0", id("aten::chunk") + ".0"});
  Tensor x = inputs[0].toTensor();
  EXPECT_TRUE(at::allclose(t.kept.at(y).toTensor(), at::linear(x, weight)));  // before y.zero_()
  EXPECT_TRUE(at::equal(t.kept.at("in.0").toTensor(), x));
  EXPECT_EQ(t.kept.at(id("aten::chunk") + ".0").toTensorVector()[1].strides(), at::IntArrayRef({4, 1}));
}

TEST_F(Traced, TheRequestWritesFiles) {
  Session s;
  s.workDir = folder.path;
  s.device = cpuDevice();
  s.inputs = inputs;
  s.parameters = {{"w", weight}};
  int unread[2];
  ASSERT_EQ(::pipe(unread), 0);
  Replies replies(unread[1], 1);
  std::string chunk = id("aten::chunk") + ".0";
  Json done =
      trace(s,
            {{"base", {{"path", "base.pt"}}},
             {"out", "values.json"},
             {"save", {{{"file", "r.pt"}, {"values", {"in.0", chunk + "[1]", id("aten::size") + ".0"}}}}}},
            replies);
  EXPECT_EQ(done.at("values"), "values.json");
  EXPECT_TRUE(readJson((folder.path / "values.json").string()).at("values").contains("in.0"));
  auto values = readValues(folder.path / "r.pt");
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[1].toTensor().sizes(), at::IntArrayRef({3, 2}));
  EXPECT_EQ(values[2].toInt(), 3);
  EXPECT_THROW(trace(s,
                     {{"base", {{"path", "base.pt"}}},
                      {"out", ""},
                      {"save", {{{"file", "r.pt"}, {"values", {"99.7"}}}}}},
                     replies),
               std::exception);
}

TEST(Trace, FilledListsAreSeenAsTheirReadersSeeThem) {
  Module m("__torch__.Fills");
  m.define(
      "def forward(self, x):\n  s: List[int] = []\n  for i in range(2):\n    s.append(2)\n  return "
      "x.view(s)\n");
  auto ids = number(m);
  TemporaryFolder folder;
  auto path = (folder.path / "base.pt").string();
  m.save(path);
  std::string sizes = std::to_string(ids["aten::view"].at(0)) + ":1";
  Trace t = traceRun(torch::jit::load(path), {at::zeros({4})}, cpuDevice(), {sizes});
  EXPECT_EQ(t.entries.at(sizes).at("length"), 2);
  EXPECT_EQ(t.kept.at(sizes).toIntVector(), (std::vector<std::int64_t>{2, 2}));
}

// The loader brings the results of a branch into the order in which they are read; kadvise-graph writes their
// places into their names.
TEST(Trace, ResultsOfABranchAreInThePlacesThatTheirNamesSay) {
  TemporaryFolder folder;
  Module m("__torch__.Branch");
  std::string arm, results;
  for (std::size_t place : {0, 1, 2})
    arm += "    " + nameOfResult(place, 7) + " = torch.zeros([" + std::to_string(place + 1) + "])\n";
  for (std::size_t place : {2, 0, 1}) results += nameOfResult(place, 7) + ", ";
  m.define("def forward(self, n: int):\n  if n > 1:\n" + arm + "  else:\n" + arm + "  return " + results +
           "n\n");
  auto ids = number(m);
  auto path = (folder.path / "branch.pt").string();
  m.save(path);
  Trace t = traceRun(torch::jit::load(path), {c10::IValue(2)}, cpuDevice(), {});
  for (std::size_t place : {0, 1, 2}) {
    auto name = std::to_string(ids.at("prim::If")[0]) + "." + std::to_string(place);
    EXPECT_EQ(t.entries.at(name).at("shape"), Json({place + 1})) << name;
  }
}

TEST(Trace, LeavesTheModulesOwnStateAsItWas) {
  Module m("__torch__.Counts");
  m.register_buffer("n", at::zeros({2}));
  m.define("def forward(self, x):\n  self.n.add_(1)\n  return x + self.n\n");
  auto ids = number(m);
  std::string sum = std::to_string(ids["aten::add"].at(0)) + ".0",
              count = std::to_string(ids["aten::add_"].at(0)) + ".0";
  Trace t = traceRun(m, {at::zeros({2})}, cpuDevice(), {sum, count});
  EXPECT_EQ(m.attr("n").toTensor().sum().item<float>(), 0);
  EXPECT_EQ(t.kept.at(count).toTensor().sum().item<float>(), 2) << "the region's input is what the run had";
}

}  // namespace
}  // namespace kadvise
