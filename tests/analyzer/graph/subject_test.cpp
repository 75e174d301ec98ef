#include "analyzer/graph/subject.h"

#include "analyzer/core/error.h"
#include "analyzer/graph/artefact.h"
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
  kadvise::test::TemporaryFolder folder;
  auto file = (folder.path / "m.pt").string();
  nested().save(file);
  auto subject = loadSubject(file);
  std::map<std::string, std::string> scopes;
  for (auto& n : subject.nodes) scopes[n.op] = n.where.scope;
  EXPECT_EQ(scopes["aten::relu"], "layer.act");
  EXPECT_EQ(scopes["aten::add"], "layer");
  EXPECT_EQ(subject.parameters, 1u);
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
