#include "analyzer/graph/fold.h"

#include "analyzer/graph/artefact.h"
#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

// forward computes w * 2 + b as a replacement would have inserted it: without node ids.
torch::jit::Module withInsertedWork() {
  auto m = test::moduleOf("def forward(self, x):\n  return x * (self.w * 2 + self.b)",
                          {{"w", torch::randn({4})}, {"b", torch::randn({4})}});
  forEachNode(test::graphOf(m)->block(), [](torch::jit::Node* n) {
    bool onWeights = n->kind() != torch::jit::prim::Constant && n->kind() != torch::jit::prim::GetAttr &&
                     n->output()->uses()[0].user->kind() != torch::jit::prim::Return;
    if (onWeights) n->setSourceRange(torch::jit::SourceRange());
  });
  return m;
}

// forward returns a view of what it computes of a parameter, without node ids.
torch::jit::Module withReturnedWork() {
  auto m = test::moduleOf("def forward(self, x):\n  y = self.w * 2\n  return y.t()",
                          {{"w", torch::randn({4, 4})}});
  forEachNode(test::graphOf(m)->block(),
              [](torch::jit::Node* n) { n->setSourceRange(torch::jit::SourceRange()); });
  return m;
}

TEST(Fold, ComputesOnceWhatDependsOnParametersAlone) {
  auto m = withInsertedWork();
  auto x = torch::randn({3, 4});
  auto want = m.forward({x}).toTensor();
  auto folded = m.clone();
  ASSERT_EQ(foldWeights(folded, HandedTo::Caller), 1);
  auto text = test::graphOf(folded)->toString(false);
  EXPECT_EQ(text.find("aten::add"), std::string::npos) << text;
  finishFolding(folded);
  EXPECT_FALSE(folded.find_method(kFoldMethod)) << "a finished module is complete by itself";
  EXPECT_TRUE(torch::equal(folded.forward({x}).toTensor(), want));
}

TEST(Fold, SurvivesSaveAndLoadWithOtherWeights) {
  auto m = withInsertedWork();
  foldWeights(m, HandedTo::Caller);
  dropWeights(m);
  std::stringstream file;
  m.save(file);
  auto loaded = torch::jit::load(file);
  auto w = torch::randn({4}), b = torch::randn({4}), x = torch::randn({2, 4});
  loaded.setattr("w", w);
  loaded.setattr("b", b);
  loaded.get_method(kFoldMethod)({});
  EXPECT_TRUE(torch::equal(loaded.forward({x}).toTensor(), x * (w * 2 + b)));
}

TEST(Fold, LeavesTheUsersOwnComputationAlone) {
  auto m = test::moduleOf("def forward(self, x):\n  return x * (self.w * 2)", {{"w", torch::randn({4})}});
  EXPECT_EQ(foldWeights(m, HandedTo::Caller), 0);
}

// One buffer for all calls would be written to again and again.
TEST(Fold, LeavesAloneWhatIsWrittenToOrReturned) {
  auto written = test::moduleOf("def forward(self, x):\n  y = self.w * 2\n  y[0].add_(x)\n  return y + x",
                                {{"w", torch::randn({4, 4})}});
  forEachNode(test::graphOf(written)->block(),
              [](torch::jit::Node* n) { n->setSourceRange(torch::jit::SourceRange()); });
  EXPECT_EQ(foldWeights(written, HandedTo::Caller), 0);
  auto returned = withReturnedWork();
  EXPECT_EQ(foldWeights(returned, HandedTo::Caller), 0);
}

// A region's last operator is as constant as those before it.
TEST(Fold, OfARegionFoldsWhatItReturns) {
  auto m = withReturnedWork();
  EXPECT_EQ(foldWeights(m, HandedTo::Comparison), 1);
  EXPECT_EQ(test::graphOf(m)->toString(false).find("aten::mul"), std::string::npos);
  auto want = m.attr("w").toTensor() * 2;
  finishFolding(m);
  EXPECT_TRUE(torch::equal(m.forward({torch::ones({4})}).toTensor(), want.t()));
}

TEST(Artefact, APlaceholderCostsNothing) {
  auto m = test::moduleOf("def forward(self, x):\n  return x * self.w", {{"w", torch::randn({1000, 1000})}});
  dropWeights(m);
  std::stringstream file;
  m.save(file);
  EXPECT_LT(file.str().size(), 20000u);
  EXPECT_EQ(torch::jit::load(file).attr("w").toTensor().sizes(), (std::vector<std::int64_t>{1000, 1000}));
}

TEST(Artefact, NeitherFileOfATwinPairHoldsWeights) {
  kadvise::test::TemporaryFolder folder;
  auto m = test::moduleOf("def forward(self, x):\n  return x * self.w", {{"w", torch::randn({1000, 1000})}});
  dropWeights(m);
  auto twin = saveWithTwin(m, folder.path / "m.pt");
  EXPECT_LT(std::filesystem::file_size(folder.path / "m.pt"), 20000u);
  EXPECT_LT(std::filesystem::file_size(folder.path / twin), 20000u);
}

TEST(Artefact, TheTwinComputesInFp64Throughout) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  y = torch.softmax(x.to(5), -1, 6)\n  return y.to(15) + torch.ones([3], "
      "dtype=6)");
  promoteToFp64(m);
  auto out = m.forward({torch::randn({2, 3}, at::kDouble)}).toTensor();
  EXPECT_EQ(out.scalar_type(), at::kDouble);
  auto x = torch::randn({2, 3}, at::kDouble);
  EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), torch::softmax(x, -1) + 1))
      << "nothing was rounded on the way";
}

TEST(Artefact, TheTwinMakesFp64WhereNoDtypeIsSaid) {
  auto m = test::moduleOf(
      "def forward(self, x):\n"
      "  return torch.zeros([2]), torch.ones([2]), torch.zeros([2], dtype=4), torch.arange(0.0, 3.0, 0.7)");
  promoteToFp64(m);
  auto out = m.forward({torch::randn({2})}).toTupleRef().elements().vec();
  // Of a range the values would be others, and what is made an index of them.
  const at::ScalarType want[] = {at::kDouble, at::kDouble, at::kLong, at::kFloat};
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i].toTensor().scalar_type(), want[i]) << i;
}

}  // namespace
}  // namespace kadvise::graph
