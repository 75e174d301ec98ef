// These spellings must give the same graph.
#include "analyzer/graph/normal_form.h"

#include "analyzer/graph/specialise.h"
#include "analyzer/graph/unsafe_pieces.h"
#include "analyzer/graph/writes_away.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

struct Spellings {
  const char* name;
  std::vector<std::string> forms;
};

std::string canonical(const std::string& body) {
  auto m = test::moduleOf("def forward(self, x, y, w, b):\n  " + body);
  forgetWrites(*test::graphOf(m));
  return torch::jit::Canonicalize(test::graphOf(m), /*keep_unique_names=*/false)
      ->toString(/*print_source_locations=*/false);
}

class SameGraph : public testing::TestWithParam<Spellings> {};

TEST_P(SameGraph, ForEverySpelling) {
  auto& forms = GetParam().forms;
  auto first = canonical(forms[0]);
  for (std::size_t i = 1; i < forms.size(); ++i) EXPECT_EQ(canonical(forms[i]), first) << forms[i];
}

INSTANTIATE_TEST_SUITE_P(
    Forms, SameGraph,
    testing::Values(
        Spellings{"linear", {"return torch.linear(x, w, b)", "return torch.addmm(b, x, w.t())"}},
        Spellings{"in_place",
                  {"return torch.relu(x + y) * 2", "z = x + y\n  z.relu_()\n  z.mul_(2)\n  return z"}},
        Spellings{"in_place_of_what_was_moved",
                  {"return torch.scatter(torch.zeros([2, 3]).to(x), 1, y, 1)",
                   "z = torch.zeros([2, 3]).to(x)\n  z.scatter_(1, y, 1)\n  return z",
                   "return torch.zeros([2, 3]).to(x).scatter_(1, y, 1)"}},
        Spellings{"add_in_place", {"return torch.relu(x) + x", "z = torch.relu(x)\n  z += x\n  return z"}},
        Spellings{"residual_in_place",
                  {"return torch.conv2d(x, w) + x", "z = torch.conv2d(x, w)\n  z += x\n  return z"}},
        Spellings{"carried_none",
                  {"return torch.relu(x)",
                   "t: Optional[Tensor] = None\n  for i in range(x.size(0)):\n    if t is not None:\n      t "
                   "= t * 2\n  if t is not None:\n    x = x + t\n  return torch.relu(x)"}},
        Spellings{"size",
                  {"return y * x.size(1)", "return y * x.shape[1]", "n, m = x.shape\n  return y * m"}},
        Spellings{"chunk",
                  {"return torch.chunk(x, 2, 1)[0] + torch.chunk(x, 2, 1)[1]",
                   "p, q = torch.chunk(x, 2, 1)\n  return p + q",
                   "p, q = torch.unsafe_chunk(x, 2, 1)\n  return p + q"}},
        Spellings{"split",
                  {"p, q = torch.split(x, 3, 1)\n  return p + q",
                   "p, q = torch.unsafe_split(x, 3, 1)\n  return p + q"}},
        Spellings{
            "gates_in_place",
            {"p, q = torch.chunk(torch.conv2d(x, w), 2, 1)\n  return torch.sigmoid(p) + torch.tanh(q)",
             "p, q = torch.unsafe_chunk(torch.conv2d(x, w), 2, 1)\n  p.sigmoid_()\n  return p + q.tanh_()"}},
        Spellings{"gates_of_a_sum_in_place",
                  {"p, q = torch.chunk(torch.relu(x) + 1, 2, 1)\n  return torch.sigmoid(p) + torch.tanh(q)",
                   "p, q = torch.unsafe_chunk(torch.relu(x).add_(1), 2, 1)\n  p.sigmoid_()\n  return p + "
                   "q.tanh_()"}},
        Spellings{"written_then_pieces",
                  {"p, q = torch.chunk(torch.relu(torch.conv2d(x, w) + 1), 2, 1)\n  return torch.cat([p, q, "
                   "p * q], 1)",
                   "p, q = torch.chunk(torch.relu_(torch.conv2d(x, w).add_(1)), 2, 1)\n  return "
                   "torch.cat([p, q, p * "
                   "q], 1)",
                   "z = torch.conv2d(x, w)\n  z = z.add_(1)\n  p, q = z.relu_().chunk(2, 1)\n  return "
                   "torch.cat([p, "
                   "q, p * q], 1)"}},
        Spellings{"split_with_sizes",
                  {"p, q = torch.split_with_sizes(x, [1, 2], 1)\n  return p + q",
                   "p, q = torch.unsafe_split_with_sizes(x, [1, 2], 1)\n  return p + q"}},
        Spellings{"whole_slice",
                  {"return torch.relu(x)", "return torch.relu(x[:])", "return torch.relu(x[:, :])",
                   "return torch.relu(torch.slice(x, 0, 0, 9223372036854775807, 1))"}},
        Spellings{"permute", {"return x.transpose(0, 1)", "return x.permute(1, 0)"}},
        Spellings{"matrix_transpose", {"return x.transpose(-2, -1)", "return x.mT"}},
        Spellings{"one_over",
                  {"return y * torch.reciprocal(x)", "return y * (1 / x)", "return y * (1.0 / x)"}},
        Spellings{
            "variance",
            {"return torch.var(x, [-1], False, True)", "return torch.var(x, -1, correction=0, keepdim=True)",
             "return x.var([-1], unbiased=False, keepdim=True)"}},
        Spellings{"variance_and_mean",
                  {"v, m = torch.var_mean(x, [-1], True, True)\n  return v + m",
                   "v, m = torch.var_mean(x, -1, correction=1, keepdim=True)\n  return v + m",
                   "v, m = torch.var_mean(x, [-1], correction=None, keepdim=True)\n  return v + m"}},
        Spellings{"relu6", {"return torch.hardtanh(x, 0.0, 6.0)", "return torch.relu6(x)"}},
        Spellings{"dropout", {"return torch.relu(x)", "return torch.relu(torch.dropout(x, 0.5, False))"}},
        Spellings{"alias_names", {"return torch.mul(x, y)", "return torch.multiply(x, y)"}},
        Spellings{"conv",
                  {"return torch.conv2d(x, w, b, [1, 1], [0, 0], [1, 1], 1)",
                   "return torch._convolution(x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, "
                   "False, True, True)"}},
        Spellings{"constant_if", {"return torch.relu(x)", "if 1 > 2:\n    x = y\n  return torch.relu(x)"}},
        Spellings{"tuple", {"return x + y", "t = (x, y)\n  p, q = t\n  return p + q"}}),
    [](const auto& info) { return info.param.name; });

TEST(NormalForm, KeepsWritesToInputsAndThroughViews) {
  for (const char* body : {"x.add_(1)\n  return x * y", "z = x * 1.0\n  v = z[0]\n  v.add_(1)\n  return z"}) {
    auto text = canonical(body);
    EXPECT_NE(text.find("add_"), std::string::npos) << body << "\n" << text;
  }
}

// Autograd refuses to write to the pieces of chunk, and takes those of unsafe_chunk.
TEST(NormalForm, KeepsWritesToMovedTensorsThatOthersSee) {
  for (const char* body :
       {"z = x.to(y)\n  z.add_(1)\n  return z",
        "z = torch.zeros([2, 3])\n  t = z.to(x)\n  t.add_(1)\n  return z + t",
        "z = torch.zeros([2, 3])\n  for i in range(x.size(0)):\n    t = z.to(x)\n    t.add_(1)\n"
        "    y = y + t\n  return y"})
    EXPECT_NE(canonical(body).find("aten::add_("), std::string::npos) << body;
}

TEST(NormalForm, PiecesThatAreWrittenToAreUnsafeAgainInAWrittenModule) {
  const std::string forward =
      "def forward(self, x):\n  z = x * 2\n  p, q = torch.unsafe_chunk(z, 2, 1)\n  r, s = "
      "torch.unsafe_chunk(x * "
      "3, 2, 1)\n  p.sigmoid_()\n  return p + q * r * s + z.sum()";
  torch::jit::Module plain("__torch__.Plain");
  plain.define(forward + "\n");
  auto places = placesOfUnsafePieces(*test::graphOf(plain));
  ASSERT_EQ(places.size(), 2u);
  auto graph = test::graphOf(plain)->copy();
  normalise(graph);
  EXPECT_EQ(placesOfUnsafePieces(*graph).size(), 0u);
  auto numbered = graph->copy();
  writtenPiecesAsLoaded(*graph, places, {});
  EXPECT_EQ(placesOfUnsafePieces(*graph).size(), 1u) << *graph;

  std::vector<NodeInfo> nodes;
  forEachNode(numbered->block(), [&](torch::jit::Node* n) {
    nodes.emplace_back().range = n->sourceRange();
    setNodeId(n, static_cast<int>(nodes.size()) - 1);
  });
  writtenPiecesAsLoaded(*numbered, places, nodes);
  EXPECT_EQ(placesOfUnsafePieces(*numbered).size(), 1u) << *numbered;
}

TEST(NormalForm, ChangesNoResult) {
  const std::string body =
      "z = torch.chunk(x, 2, 1)[0]\n  z = torch.relu6(z * 4).permute(1, 0)\n  z.mul_(0.5)\n  return z[:, :2] "
      "+ x.shape[0]";
  torch::jit::Module plain("__torch__.Plain");
  plain.define("def forward(self, x, y, w, b):\n  " + body + "\n");
  auto normal = test::moduleOf("def forward(self, x, y, w, b):\n  " + body);
  auto x = torch::randn({6, 8}), none = torch::empty({0});
  auto want = plain.forward({x, none, none, none}).toTensor(),
       have = normal.forward({x, none, none, none}).toTensor();
  EXPECT_TRUE(torch::equal(want, have));
}

// m ** 2 would be int64.
TEST(NormalForm, TheSquareOfABoolStaysAProduct) {
  for (auto* body :
       {"m = x > 0\n  return m * m", "m = (x > 0).t()\n  return m * m", "m = (x > 0)[0]\n  return m * m"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  ") + body);
    torch::Tensor x = torch::ones({2, 3});
    EXPECT_EQ(m.forward({x}).toTensor().scalar_type(), at::kBool) << body;
  }
}

TEST(NormalForm, TheSquareOfAnInputStaysAProductUntilItsDtypeIsKnown) {
  auto m = test::moduleOf("def forward(self, x):\n  return x * x");
  EXPECT_EQ(m.forward({torch::ones({2, 3}, at::kBool)}).toTensor().scalar_type(), at::kBool);
}

// Out of place, resize_ would forget the elements.
TEST(NormalForm, AResizedTensorKeepsItsMemory) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  y = x * 2\n  y.resize_([0])\n  y.resize_([4])\n  return y + 1");
  torch::Tensor x = torch::ones({4});
  EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), torch::full({4}, 3.0)));
}

// LibTorch drops both, and so makes a bool of what should be an int64.
TEST(NormalForm, TimesOneKeepsItsPromotion) {
  for (auto* body : {"m = (x > 0) * 1\n  return x.to(m.dtype)", "m = (x > 0) + 0\n  return x.to(m.dtype)"}) {
    auto m = test::moduleOf(std::string("def forward(self, x):\n  ") + body);
    auto* cast = test::graphOf(m)->outputs()[0]->node();
    auto* promoted = cast->input(1)->node()->input()->node();
    EXPECT_TRUE(promoted->kind() == torch::jit::aten::mul || promoted->kind() == torch::jit::aten::add)
        << *promoted;
  }
}

// Each promotes out of place: a tensor without dimensions, a tensor of another dtype, a comparison.
class NormalFormDtype : public testing::TestWithParam<const char*> {};

TEST_P(NormalFormDtype, IsThatOfTheModule) {
  std::string forward = std::string("def forward(self, h, n):\n  ") + GetParam() + "\n";
  torch::jit::Module plain("__torch__.Plain");
  plain.define(forward);
  auto normal = test::moduleOf(forward);
  auto h = torch::ones({2, 3}, at::kHalf) * 3, n = torch::full({2, 3}, 2, at::kLong);
  auto want = plain.forward({h.clone(), n.clone()}).toTensor(),
       have = normal.forward({h.clone(), n.clone()}).toTensor();
  EXPECT_EQ(have.scalar_type(), want.scalar_type()) << *test::graphOf(normal);
  EXPECT_TRUE(torch::equal(want, have));
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, NormalFormDtype,
    testing::Values("a = h.clone()\n  a.add_(n.float())\n  return a",
                    "a = h * 2.0\n  a.mul_(n.double())\n  return torch.relu(a)",
                    "a = torch.relu(h)\n  a.div_(n.float())\n  return a",
                    "a = h.clone()\n  a.ge_(1.0)\n  return a", "a = torch.relu(n)\n  a.eq_(n)\n  return a",
                    "return n * torch.tensor(2.5, dtype=7)", "return n.sum() * torch.tensor(2.5, dtype=7)",
                    "return h.sum() + torch.tensor(2.5, dtype=7)", "return n + torch.tensor(True)",
                    "return n ** torch.tensor(0.5, dtype=7)",
                    "return torch.where(n > 1, n, torch.tensor(2.5, dtype=7))"));

TEST(NormalForm, ReturnedConstantsStayTensorsOfTheirOwn) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.ones([3]), torch.ones([3])");
  auto elements = m.forward({torch::ones({1})}).toTuple()->elements();
  auto one = elements[0].toTensor(), other = elements[1].toTensor();
  EXPECT_FALSE(one.is_alias_of(other)) << *test::graphOf(m);
}

TEST(NormalForm, AWholeSliceKeepsItsOwnShape) {
  auto m = test::moduleOf("def forward(self, x):\n  y = x[:]\n  y.t_()\n  return y");
  torch::Tensor x = torch::ones({2, 3});
  EXPECT_EQ(m.forward({x}).toTensor().size(0), 3);
  EXPECT_EQ(x.size(0), 2);
}

// The step that replaces the square comes before the one that looks at the slice.
TEST(NormalForm, AWholeSliceOfWhatAnotherStepReplacedKeepsItsOwnShape) {
  auto m =
      test::moduleOf("def forward(self, x):\n  a = torch.square(x)\n  y = a[:]\n  y.t_()\n  return a, y");
  torch::Tensor x = torch::ones({2, 3});
  auto results = m.forward({x}).toTuple()->elements();
  EXPECT_EQ(results[0].toTensor().size(0), 2) << *test::graphOf(m);
  EXPECT_EQ(results[1].toTensor().size(0), 3);
}

TEST(NormalForm, AViewOfWhatAnotherStepMadeMayBeReplacedByIt) {
  auto m =
      test::moduleOf("def forward(self, x):\n  a = torch.pow(x, 0.5)[:]\n  return torch.pow(a[:], 0.5).t()");
  auto x = torch::full({2, 3}, 16.0);
  EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), torch::full({3, 2}, 2.0)));
}

TEST(NormalForm, OneOverWhatIsWrittenToStaysATensorOfItsOwn) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  a = torch.reciprocal(x)\n  b = a * 1.0\n  a.zero_()\n  return b");
  auto x = torch::full({2, 3}, 4.0);
  EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), torch::full({2, 3}, 0.25))) << *test::graphOf(m);
}

TEST(NormalForm, AnotherCorrectionThanZeroOrOneStays) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.var(x, [-1], correction=2, keepdim=True)");
  auto x = torch::arange(8.0).reshape({2, 4});
  EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), torch::full({2, 1}, 2.5))) << *test::graphOf(m);
}

// LibTorch's executor makes one of them, and with it another result.
TEST(NormalForm, TwoJoinsStayTwo) {
  auto m = test::moduleOf(
      "def forward(self, x, y):\n  a = torch.cat([x, y])\n  x.zero_()\n  return torch.cat([a, x])");
  int joins = 0;
  forEachNode(test::graphOf(m)->block(),
              [&](torch::jit::Node* n) { joins += n->kind() == torch::jit::aten::cat; });
  EXPECT_EQ(joins, 2) << *test::graphOf(m);
}

}  // namespace
}  // namespace kadvise::graph
