// What is known of values by a trace of a run.
#include "analyzer/graph/values.h"

#include <gtest/gtest.h>

#include "analyzer/core/file.h"
#include "analyzer/graph/subject.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

Json tensorEntry(const std::vector<int>& shape) {
  return {{"kind", "tensor"}, {"dtype", "float32"}, {"shape", shape}};
}

// Of `a, b = torch.broadcast_tensors([x, y])`, whose list the run saw as `list`: the shapes known of a and b.
std::vector<std::vector<std::int64_t>> shapesOfPieces(const Json& list) {
  auto m =
      test::moduleOf("def forward(self, x, y):\n  a, b = torch.broadcast_tensors([x, y])\n  return a * b");
  auto graph = test::graphOf(m);
  torch::jit::Node* unpack = nullptr;
  for (auto* n : graph->nodes())
    if (n->kind() == torch::jit::prim::ListUnpack) unpack = n;
  std::string path = testing::TempDir() + "/values.json";
  writeFile(path, Json({{"values", {{valueId(unpack->input(0)), list}}}}).dump());
  auto traced = TracedValues::read(path);
  std::vector<std::vector<std::int64_t>> out;
  for (auto* v : unpack->outputs())
    if (auto* t = traced.find(v)) out.push_back(t->shape);
  return out;
}

using Shapes = std::vector<std::vector<std::int64_t>>;

TEST(TracedValues, PiecesOfAListThatIsUnpacked) {
  Json list = {{"kind", "list"}, {"length", 2}, {"items", {tensorEntry({3, 4}), tensorEntry({3, 1})}}};
  EXPECT_EQ(shapesOfPieces(list), (Shapes{{3, 4}, {3, 1}}));
}

TEST(TracedValues, NoPiecesOfAListThatVariesOrIsLonger) {
  Json list = {{"kind", "list"}, {"length", 2}, {"items", {tensorEntry({3, 4}), tensorEntry({3, 1})}}};
  Json varying = list, longer = list;
  varying["varies"] = true;
  longer["length"] = 3;
  EXPECT_TRUE(shapesOfPieces(varying).empty());
  EXPECT_TRUE(shapesOfPieces(longer).empty());
}

}  // namespace
}  // namespace kadvise::graph
