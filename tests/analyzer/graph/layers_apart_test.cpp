// Layers in one operator, and the same taken apart.
#include "analyzer/graph/layers_apart.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

constexpr int kWidth = 16, kWide = 24;

bool has(torch::jit::Graph& graph, const char* kind) {
  bool found = false;
  forEachNode(graph.block(),
              [&](torch::jit::Node* n) { found = found || n->kind() == c10::Symbol::fromQualString(kind); });
  return found;
}

torch::jit::Module layerOf(const std::string& body) {
  torch::manual_seed(7);
  torch::jit::Module m("__torch__.Test");
  auto weight = [&](const char* name, std::vector<std::int64_t> sizes) {
    m.register_attribute(name, c10::TensorType::get(), torch::randn(sizes) * 0.3);
  };
  weight("qkv", {3 * kWidth, kWidth}), weight("qkv_bias", {3 * kWidth});
  weight("out", {kWidth, kWidth}), weight("out_bias", {kWidth});
  for (auto* name : {"a", "b", "c", "d", "narrow_bias"}) weight(name, {kWidth});
  weight("wide", {kWide, kWidth}), weight("wide_bias", {kWide}), weight("narrow", {kWidth, kWide});
  m.define("def forward(self, x, mask: Optional[Tensor]):\n  " + body);
  return m;
}

std::string encoder(const char* gelu, const char* normFirst, const char* mask) {
  return std::string(
             "return torch._transformer_encoder_layer_fwd(x, 16, 4, self.qkv, self.qkv_bias, self.out, "
             "self.out_bias, ") +
         gelu + ", " + normFirst +
         ", 1e-5, self.a, self.b, self.c, self.d, self.wide, self.wide_bias, self.narrow, " +
         "self.narrow_bias, " + mask + ")\n";
}

struct Layer {
  std::string name, body;
  std::vector<std::int64_t> mask = {};
};
void PrintTo(const Layer& l, std::ostream* out) { *out << l.name; }
std::string nameOfLayer(const testing::TestParamInfo<Layer>& info) { return info.param.name; }

const Layer kLayers[] = {
    {"relu", encoder("False", "False", "None, None")},
    {"gelu_and_norms_first", encoder("True", "True", "None, None")},
    {"mask_of_places", encoder("False", "False", "mask, 0"), {5, 5}},
    {"mask_of_sequences", encoder("True", "False", "mask, 1"), {3, 5}},
    {"mask_of_all", encoder("False", "True", "mask, 2"), {3, 4, 5, 5}},
    {"attention",
     "return torch._native_multi_head_attention(x, x, x, 16, 4, self.qkv, self.qkv_bias, self.out, "
     "self.out_bias, mask, False, "
     "True, 1)[0]\n",
     {3, 5}},
};

class LayersApart : public testing::TestWithParam<Layer> {};

TEST_P(LayersApart, GiveTheLayersResults) {
  auto m = layerOf(GetParam().body);
  auto x = torch::randn({3, 5, kWidth});
  c10::IValue mask;
  if (!GetParam().mask.empty()) {
    auto hidden = torch::rand(GetParam().mask) > 0.7;
    hidden.select(-1, 0).fill_(false);  // of each row something is seen
    mask = hidden;
  }
  torch::NoGradGuard noGradients;  // the layers have none
  auto want = m.forward({x, mask}).toTensor();
  auto graph = m.get_method("forward").graph();
  normalise(graph);
  EXPECT_TRUE(has(*graph, "aten::softmax") || has(*graph, "aten::scaled_dot_product_attention"));
  EXPECT_TRUE(at::allclose(m.forward({x, mask}).toTensor(), want, 1e-5, 1e-5));
}

INSTANTIATE_TEST_SUITE_P(Layers, LayersApart, testing::ValuesIn(kLayers), nameOfLayer);

TEST(LayersApart, NestedTensorsStayInTheLayer) {
  auto m = layerOf(encoder("False", "False", "None, None"));
  torch::NoGradGuard noGradients;
  auto nested = at::_nested_tensor_from_tensor_list({torch::randn({4, kWidth}), torch::randn({2, kWidth})});
  auto want = m.forward({nested, c10::IValue()}).toTensor();
  auto graph = m.get_method("forward").graph();
  normalise(graph);
  auto have = m.forward({nested, c10::IValue()}).toTensor();
  EXPECT_TRUE(have.is_nested());
  EXPECT_TRUE(at::equal(have.to_padded_tensor(0), want.to_padded_tensor(0)));
}

TEST(LayersApart, GiveTheWeightsOfTheHeadsAndTheirMean) {
  for (auto* average : {"True", "False"}) {
    auto m = layerOf(
        std::string(
            "return torch._native_multi_head_attention(x, x, x, 16, 4, self.qkv, self.qkv_bias, self.out, "
            "self.out_bias, None, True, ") +
        average + ")\n");
    auto x = torch::randn({3, 5, kWidth});
    torch::NoGradGuard noGradients;
    auto want = m.forward({x, c10::IValue()}).toTuple();
    auto graph = m.get_method("forward").graph();
    normalise(graph);
    EXPECT_TRUE(has(*graph, "aten::softmax"));
    auto have = m.forward({x, c10::IValue()}).toTuple();
    for (std::size_t i : {0, 1})
      EXPECT_TRUE(at::allclose(have->elements()[i].toTensor(), want->elements()[i].toTensor(), 1e-5, 1e-5))
          << i;
  }
}

TEST(LayersApart, WeightsThatNobodyAskedForAreNone) {
  auto m = layerOf(
      "y, w = torch._native_multi_head_attention(x, x, x, 16, 4, self.qkv, self.qkv_bias, self.out, "
      "self.out_bias, "
      "None, False)\n  t: Tuple[Tensor, Optional[Tensor]] = (y, None)\n  if x.size(0) > 1:\n    t = (y, w)\n"
      "  z = t[1]\n  if z is not None:\n    y = y + z.sum()\n  return y\n");
  auto x = torch::randn({3, 5, kWidth});
  torch::NoGradGuard noGradients;
  auto want = m.forward({x, c10::IValue()}).toTensor();
  auto graph = m.get_method("forward").graph();
  normalise(graph);
  EXPECT_TRUE(at::allclose(m.forward({x, c10::IValue()}).toTensor(), want, 1e-5, 1e-5));
}

TEST(LayersApart, OtherKeysStayInTheOperator) {
  auto m = layerOf(
      "return torch._native_multi_head_attention(x, x * 2, x, 16, 4, self.qkv, self.qkv_bias, self.out, "
      "self.out_bias, None, False)[0]\n");
  auto graph = m.get_method("forward").graph();
  normalise(graph);
  EXPECT_FALSE(has(*graph, "aten::scaled_dot_product_attention"));
}

TEST(BranchTuples, AreTakenApartSoThatUnreadElementsFallAway) {
  auto m = test::moduleOf(
      "def forward(self, x, y):\n"
      "  if x.dim() == 2:\n    t = (x + 1, torch.exp(y))\n  else:\n    t = (x - 1, y)\n"
      "  return t[0] * 2\n");
  auto graph = m.get_method("forward").graph();
  normalise(graph);
  EXPECT_FALSE(has(*graph, "aten::exp"));
  EXPECT_FALSE(has(*graph, "prim::TupleConstruct"));
  auto x = torch::randn({2, 3});
  EXPECT_TRUE(at::equal(m.forward({x, x}).toTensor(), (x + 1) * 2));
}

}  // namespace
}  // namespace kadvise::graph
