#include "analyzer/graph/subject.h"

#include "analyzer/core/error.h"
#include "analyzer/graph/archive_storages.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/code_depth.h"
#include "analyzer/graph/flops.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/values.h"
#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

std::string errorOf(const std::filesystem::path& path) {
  try {
    loadSubject(path.string());
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Subject savedAndLoaded(const torch::jit::Module& module) {
  kadvise::test::TemporaryFolder folder;
  auto file = (folder.path / "m.pt").string();
  module.save(file);
  return loadSubject(file);
}

torch::jit::Module nested() {
  torch::jit::Module inner("__torch__.Inner"), layer("__torch__.Layer"), top("__torch__.Top");
  inner.register_parameter("w", torch::randn({4}), false);
  inner.define("def forward(self, x):\n  return torch.relu(x * self.w)\n");
  layer.register_module("act", inner);
  layer.define("def forward(self, x):\n  return self.act.forward(x) + 1\n");
  top.register_module("layer", layer);
  top.define("def forward(self, x):\n  return self.layer.forward(x) * 2\n");
  return top;
}

TEST(Subject, NodesKnowTheirModulePath) {
  auto subject = savedAndLoaded(nested());
  std::map<std::string, std::string> scopes;
  for (auto& n : subject.nodes) scopes[n.op] = n.where.scope;
  EXPECT_EQ(scopes["aten::relu"], "layer.act");
  EXPECT_EQ(scopes["aten::add"], "layer");
  EXPECT_EQ(subject.parameters, 1u);
}

// A bias that is not there stays away, a cache that is not there yet does not.
TEST(Subject, AbsentAttributesAreConstantsUnlessForwardAssignsThem) {
  auto asksFor = [](const std::string& body) {
    torch::jit::Module m("__torch__.Keeping");
    m.register_attribute("last", c10::OptionalType::create(c10::TensorType::get()), c10::IValue());
    m.define("def forward(self, x):\n  last = self.last\n  if last is not None:\n    x = x + last\n" + body +
             "\n");
    auto subject = savedAndLoaded(m);
    return std::any_of(subject.nodes.begin(), subject.nodes.end(),
                       [](auto& n) { return n.op == "aten::add"; });
  };
  EXPECT_FALSE(asksFor("  return x * 2"));
  EXPECT_TRUE(asksFor("  self.last = x\n  return x * 2"));
}

// As a trace keeps the number in 2.5 * torch.arange(4): the executor makes a number of it again.
TEST(Subject, ANumberThatATraceHasAsATensorTakesPartAsANumber) {
  torch::jit::Module m("__torch__.Frequencies");
  m.define("def forward(self, x):\n  return torch.exp(torch.arange(4) * 2.5) * x\n");
  auto graph = m.get_method("forward").graph();
  for (auto* n : graph->nodes()) {
    if (n->kind() != torch::jit::aten::mul || !torch::jit::toIValue(n->input(1))) continue;
    torch::jit::WithInsertPoint before(n);
    n->replaceInput(1, graph->insertConstant(torch::scalar_tensor(2.5, at::kDouble)));
  }
  auto x = torch::ones({4});
  auto want = m.forward({x}).toTensor(), have = savedAndLoaded(m).module.forward({x}).toTensor();
  EXPECT_EQ(want.scalar_type(), at::kFloat);
  EXPECT_EQ(have.scalar_type(), at::kFloat);
  EXPECT_TRUE(torch::allclose(want, have));
}

// A trace on a GPU says where its tables are made; here they would become constants of that GPU, which
// nothing that reads constants bears. "meta" is the other device that every machine has.
TEST(Subject, TablesOfAnotherDeviceStayInForward) {
  torch::jit::Module m("__torch__.Positions");
  m.register_parameter("table", torch::randn({8, 4}), false);
  m.define(
      "def forward(self, x):\n"
      "  made = torch.arange(8, dtype=None, layout=None, device=torch.device('meta'), pin_memory=False)\n"
      "  moved = torch.to(torch.arange(8), dtype=4, layout=0, device=torch.device('meta'))\n"
      "  return x + torch.embedding(self.table, made + moved)\n");
  auto subject = savedAndLoaded(m);
  std::set<std::string> left;
  for (auto& n : subject.nodes) left.insert(n.op);
  for (auto* op : {"aten::arange", "aten::to", "aten::add", "aten::embedding"})
    EXPECT_TRUE(left.contains(op)) << op;
}

TEST(Subject, AFileWithoutTensorsIsOfNoDevice) {
  for (bool hasWeight : {false, true}) {
    torch::jit::Module m("__torch__.Table");
    if (hasWeight) m.register_parameter("w", torch::ones({2}), false);
    m.define("def forward(self, x):\n  return x + 1\n");
    auto subject = savedAndLoaded(m);
    EXPECT_EQ(subject.hasTensors, hasWeight);
    EXPECT_EQ(subject.savedDevice, "cpu");
  }
}

// As the scripts of LSTM and GRU do.
TEST(Subject, ParametersThatAScriptKeepsInAListStayParameters) {
  torch::jit::Module m("__torch__.Gru");
  c10::List<at::Tensor> flat;
  for (auto& shape : std::vector<std::vector<std::int64_t>>{{24, 16}, {24, 8}, {24}, {24}}) {
    flat.push_back(torch::randn(shape));
    m.register_parameter("w" + std::to_string(flat.size()), flat.get(flat.size() - 1), false);
  }
  m.register_attribute("flat", c10::ListType::ofTensors(), flat);
  m.define(
      "def forward(self, x):\n  h = torch.zeros([1, 2, 8])\n"
      "  return torch.gru(x, h, self.flat, True, 1, 0.0, False, False, True)[0]\n");
  auto subject = savedAndLoaded(m);
  EXPECT_EQ(subject.parameters, 4u);
  EXPECT_EQ(subject.parameterBytes, 4 * (24 * 16 + 24 * 8 + 24 + 24));
  torch::jit::Node* gru = nullptr;
  forEachNode(subject.graph()->block(), [&](torch::jit::Node* n) {
    if (n->kind() == c10::Symbol::aten("gru")) gru = n;
  });
  ASSERT_NE(gru, nullptr);
  TracedValues traced;
  TracedValue x;
  x.kind = "tensor", x.dtype = at::kFloat, x.shape = {2, 5, 16}, x.strides = {80, 16, 1};
  traced.put(valueId(gru->input(0)), x);
  for (auto* weight : gru->input(2)->node()->inputs()) {
    auto path = attributePath(weight);
    ASSERT_TRUE(path) << *subject.graph();
    TracedValue w = x;
    w.shape = subject.module.attr(*path).toTensor().sizes().vec();
    traced.put(valueId(weight), w);
  }
  EXPECT_EQ(flopsOf(gru, kindOf(gru), traced), 2.0 * 2 * 5 * (24 * 16 + 24 * 8));
}

TEST(Subject, NodeIdsSurviveSaveAndLoad) {
  kadvise::test::TemporaryFolder folder;
  auto file = (folder.path / "m.pt").string();
  nested().save(file);
  auto subject = loadSubject(file);
  saveWhole(subject.module, folder.path / "base.pt");
  auto loaded = torch::jit::load((folder.path / "base.pt").string());
  int seen = 0;
  forEachNode(loaded.get_method("forward").graph()->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::prim::Constant || n->kind() == torch::jit::prim::GetAttr) return;
    auto range = n->sourceRange().findSourceRangeThatGenerated();
    ASSERT_TRUE(range) << *n;
    auto id = range->source()->starting_line_no();
    ASSERT_LT(id, subject.nodes.size());
    EXPECT_EQ(subject.nodes[id].op, n->kind().toQualString());
    ++seen;
  });
  EXPECT_EQ(seen, 4);
}

TEST(Subject, KeepsWhatOnlyACallerReadsAndNamesTheMethodsThatAreLost) {
  kadvise::test::TemporaryFolder folder;
  auto file = (folder.path / "m.pt").string();
  auto module = nested();
  module.register_attribute("name", c10::StringType::get(), "m");
  module.register_attribute("sizes", c10::ListType::ofInts(), c10::List<std::int64_t>({2, 3}));
  module.define("def encode(self, x):\n  return self.layer.forward(x)\n");
  module.save(file);
  auto subject = loadSubject(file);
  EXPECT_EQ(subject.module.attr("name").toStringRef(), "m");
  EXPECT_EQ(subject.module.attr("sizes").toIntVector(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_FALSE(subject.module.hasattr("training"));
  ASSERT_EQ(subject.notes.size(), 1u);
  EXPECT_NE(subject.notes[0].find("encode"), std::string::npos);
}

// What stands in the record of a storage is cut short, its declared size is not.
TEST(Subject, PickledStoragesAreFollowedAsTheReaderFollowsThem) {
  using namespace std::string_literals;
  auto text = [](const std::string& s) { return "X"s + static_cast<char>(s.size()) + "\0\0\0"s + s; };
  auto storage = "("s + text("storage") + "q\1ctorch\nFloatStorage\n" + text("7") + text("cpu") + "K\x40tQ";
  auto found = declaredStorages("\x80\2"s + storage + ".");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->at(0).key, "7");
  EXPECT_EQ(found->at(0).bytes, 256u);
  auto again = "("s + "h\1ctorch\nHalfStorage\n" + text("8") + text("cpu") + "M\0\1tq\2Q"s;
  found = declaredStorages("\x80\2"s + storage + again + ".");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(found->at(1).bytes, 512u);
  EXPECT_FALSE(declaredStorages("\x80\2"s + storage));                   // without an end
  EXPECT_FALSE(declaredStorages("\x80\2("s + text("storage") + "tQ."));  // without a size
  EXPECT_FALSE(declaredStorages("\x80\2"s + storage.substr(0, storage.size() - 1) + ")Q."));  // not the top
  EXPECT_FALSE(
      declaredStorages("\x80\2"s + storage.substr(0, storage.size() - 1) + "2Q."));  // unknown opcode
}

TEST(Subject, CodeThatNoPrinterWritesIsTooDeep) {
  EXPECT_FALSE(isTooDeep("def f(x):\n  return torch.add(x, (1 + 2))\n"));
  EXPECT_FALSE(isTooDeep("a = [" + std::string(5000, '1') + "]\nb = \"" + std::string(5000, '(') + "\"\n"));
  std::string list, sums;
  for (int i = 0; i < 5000; ++i) list += "-1, ", sums += "1 + ";
  EXPECT_FALSE(isTooDeep("a = [" + list + "0]\n"));
  EXPECT_TRUE(isTooDeep("a = " + sums + "0\n"));
  EXPECT_TRUE(isTooDeep("a = " + std::string(5000, '(')));
  EXPECT_TRUE(isTooDeep("x\n" + std::string(5000, ' ') + "return x\n"));
}

TEST(Subject, BadFilesAreOneSentence) {
  kadvise::test::TemporaryFolder folder;
  EXPECT_NE(errorOf(folder.path / "none.pt").find("no such file"), std::string::npos);
  EXPECT_NE(errorOf(folder.path).find("not a regular file"), std::string::npos);
  EXPECT_NE(errorOf(folder.write("text.pt", "hello world")).find("not a TorchScript archive"),
            std::string::npos);
  EXPECT_NE(errorOf(folder.write("empty.pt", "")).find("is empty"), std::string::npos);
  EXPECT_NE(errorOf(folder.write("cut.pt", "PK\x03\x04 and nothing more")).find("is cut off"),
            std::string::npos);
  auto file = (folder.path / "m.pt").string();
  nested().save(file);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_EQ(errorOf(file).find('\n'), std::string::npos);
  torch::jit::Module noForward("__torch__.N");
  noForward.define("def other(self, x):\n  return x\n");
  noForward.save((folder.path / "n.pt").string());
  EXPECT_NE(errorOf(folder.path / "n.pt").find("no method \"forward\""), std::string::npos);
}

}  // namespace
}  // namespace kadvise::graph
