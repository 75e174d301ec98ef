// channels_last in whole regions: which operators get it, and that nobody outside can tell.
#include "analyzer/graph/fold.h"
#include "tests/analyzer/graph/laid_out.h"

namespace kadvise::graph {
namespace {

using test::graphOf;
using test::layOut;
using test::moduleOf;

std::vector<std::pair<std::string, at::Tensor>> weights() {
  torch::manual_seed(3);
  return {{"stem", torch::randn({8, 3, 3, 3})},
          {"w", torch::randn({8, 8, 3, 3}) / 8},
          {"u", torch::randn({8, 8, 3, 3}) / 8},
          {"p", torch::randn({8, 8, 1, 1}) / 8},
          {"d", torch::randn({8, 1, 3, 3}) / 3},
          {"l", torch::randn({8, 8}) / 8},
          {"q", torch::randn({8, 16, 3, 3}) / 8},
          {"solid", torch::randn({8, 8, 1, 1, 1})},
          {"b", torch::randn({8})},
          {"scale", torch::rand({8}) + 0.5},
          {"plane", torch::randn({1, 8, 12, 12})}};
}

struct Region {
  const char* name;
  const char* body;  // of forward(self, x, y); x: 2 x 3 x 12 x 12, y: 2 x 8 x 12 x 12
  int in, out;       // conversions: after the pass
};

int count(const torch::jit::Module& m, at::MemoryFormat format) {
  int n = 0;
  forEachNode(graphOf(m)->block(), [&](torch::jit::Node* node) {
    bool converts = node->kind() == torch::jit::aten::contiguous && nodeId(node) < 0;
    bool weight = converts && node->input(0)->node()->kind() == torch::jit::prim::GetAttr;
    n += converts && !weight && constantInt(node->input(1)) == static_cast<std::int64_t>(format);
  });
  return n;
}

bool sameLayout(const at::Tensor& a, const at::Tensor& b) {
  for (std::int64_t d = 0; d < a.dim(); ++d)
    if (a.size(d) > 1 && a.stride(d) != b.stride(d)) return false;
  return true;
}

class ChannelsLast : public testing::TestWithParam<Region> {};

TEST_P(ChannelsLast, GivesTheOriginalsResultsWithTheOriginalsStrides) {
  auto& given = GetParam();
  std::string forward = std::string("def forward(self, x, y):\n") + given.body;
  auto buffers = weights();
  torch::jit::Module plain("__torch__.Plain");
  for (auto& [name, tensor] : buffers) plain.register_buffer(name, tensor.clone());
  plain.define(forward + "\n");
  for (auto& b : buffers) b.second = b.second.clone();
  auto changed = moduleOf(forward, buffers);
  std::vector<at::Tensor> inputs = {torch::randn({2, 3, 12, 12}), torch::randn({2, 8, 12, 12})};
  auto result = layOut(changed, inputs);
  EXPECT_EQ(count(changed, at::MemoryFormat::ChannelsLast), given.in) << *graphOf(changed);
  EXPECT_EQ(count(changed, at::MemoryFormat::Contiguous), given.out) << *graphOf(changed);
  std::vector<at::Tensor> other = {torch::randn({1, 3, 9, 7}), torch::randn({1, 8, 9, 7})};
  bool anySize = forward.find("plane") == std::string::npos;
  std::vector<std::vector<at::Tensor>> calls = {inputs};
  if (anySize) calls.push_back(other);
  for (auto& call : calls) {
    auto want = test::everythingOf(plain, call), have = test::everythingOf(changed, call);
    ASSERT_EQ(want.size(), have.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(at::allclose(want[i], have[i], 1e-4, 1e-5)) << i << *graphOf(changed);
      EXPECT_TRUE(sameLayout(want[i], have[i])) << i << have[i].strides() << *graphOf(changed);
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_EQ(want[i].is_alias_of(want[j]), have[i].is_alias_of(have[j])) << i << " and " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Regions, ChannelsLast,
    testing::Values(
        Region{"two",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    return "
               "torch.conv2d(torch.relu(h), self.w, None, [1, 1], [1, 1])",
               1, 1},
        Region{"alone", "    return torch.conv2d(y, self.w, None, [1, 1], [1, 1])", 0, 0},
        Region{"each_result_returned",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    m = torch.conv2d(k, self.u, None, [1, 1], [1, 1])\n    return m, "
               "k, k",
               1, 2},
        Region{"a_view_returned_too",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    return k, k.view([-1]), k.transpose(1, 2)",
               1, 1},
        Region{"written_through_a_view",
               "    h = torch.conv2d(y, self.w, self.b, [1, 1], [1, 1])\n    v = h[:, 0]\n    v.zero_()\n    "
               "k = torch.conv2d(h, self.u, None, [1, 1], [1, 1])\n    m = torch.conv2d(k, self.w, None, "
               "[1, 1], [1, 1])\n    return torch.conv2d(m, self.u, None, [1, 1], [1, 1])",
               // the written result stays as it is; behind its reader two convolutions are laid out
               1, 1},
        Region{
            "the_input_is_written_between",
            "    h = torch.conv2d(y, self.w, self.b, [1, 1], [1, 1])\n    y.mul_(2.0)\n    return "
            "torch.conv2d(torch.conv2d(y, self.u, None, [1, 1], [1, 1]), self.w, None, [1, 1], [1, 1]) + h",
            0, 0},
        Region{"strides_asked_for",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    return k + h.stride(1)",
               0, 0},
        Region{"residual_kept_for_others",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = "
               "torch.conv2d(torch.relu(h), self.w, None, [1, 1], [1, 1]) + h\n    return torch.conv2d(k, "
               "self.u, None, [1, 1], [1, 1]), h.cumsum(3)",
               1, 2},
        Region{"squeeze_and_excitation",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    g = "
               "torch.sigmoid(torch.conv2d(torch.adaptive_avg_pool2d(h, [1, 1]), self.p))\n    return "
               "torch.conv2d(g * h, self.w, None, [1, 1], [1, 1])",
               1, 1},
        Region{"gate_of_a_mean",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    g = "
               "torch.sigmoid(torch.mean(h, [2, 3], True))\n    return torch.conv2d(h * g, self.w, None, [1, "
               "1], [1, 1]), torch.mean(h, [2, 3])",
               1, 1},
        Region{"flattened_at_the_end",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = "
               "torch.max_pool2d(torch.conv2d(h, self.w, None, [1, 1], [1, 1]), [2, 2], [2, 2])\n    return "
               "k.flatten(1)",
               1, 1},
        Region{"rows_of_channels",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.d, "
               "None, [1, 1], [1, 1], [1, 1], 8)\n    r = torch.layer_norm(k.permute([0, 2, 3, 1]), [8])\n   "
               " return torch.conv2d(torch.linear(r, self.l).permute([0, 3, 1, 2]) + h, self.w, None, [1, "
               "1], [1, 1])",
               1, 0},  // what comes back from the rows is in channels_last, as it was
        Region{
            "rows_of_pixels",
            "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
            "None, [1, 1], [1, 1])\n    r = torch.layer_norm(k.flatten(2).transpose(1, 2), [8])\n    return "
            "torch.linear(r, self.l)",
            1, 0},
        Region{"rows_of_pixels_by_their_number",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    r = k.view([k.size(0), 8, -1]).permute([0, 2, 1])\n    return "
               "torch.linear(r, self.l)",
               1, 0},
        Region{"rows_of_pixels_made_by_reshape",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    r = k.permute([0, 2, 3, 1]).reshape([k.size(0), -1, 8])\n    "
               "return torch.linear(r * 2.0, self.l)",
               1, 0},
        Region{"rows_of_pixels_returned_too",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    r = k.flatten(2).transpose(1, 2)\n    return torch.linear(r, "
               "self.l), r",
               1, 1},
        Region{"pixels_in_a_row_for_each_channel",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    return torch.softmax(k.flatten(2), -1)",
               1, 1},
        Region{"rows_read_by_others_too",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    r = k.permute([0, 2, 3, 1])\n    return torch.linear(r, self.l), "
               "r * 2.0",
               1, 1},
        Region{"dense_block",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    c = torch.cat([h, "
               "torch.conv2d(h, self.w, None, [1, 1], [1, 1])], 1)\n    return torch.conv2d(torch.relu(c), "
               "self.q, None, [1, 1], [1, 1])",
               1, 1},
        Region{"with_a_solid_convolution",
               "    h = torch.conv2d(torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1]), self.w, None, [1, "
               "1], [1, 1])\n    s = torch.conv3d(h.unsqueeze(2), self.solid)[:, :, 0]\n    return "
               "torch.conv2d(torch.conv2d(s, self.w, None, [1, 1], [1, 1]), self.u, None, [1, 1], [1, 1])",
               2, 2},
        Region{"a_plane_of_numbers",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    return "
               "torch.conv2d(self.plane + h, self.w, None, [1, 1], [1, 1])",
               1, 1},
        Region{"a_number_for_each_channel",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    return torch.conv2d(h * "
               "self.scale.view([8, 1, 1]), self.w, None, [1, 1], [1, 1])",
               1, 1},
        Region{"a_number_for_each_column",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    return k * torch.arange(k.size(3))",
               1, 1},
        Region{"in_a_branch",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    if bool(y.sum() > 0):\n        r = torch.relu(k)\n    else:\n     "
               "   r = k * 2.0\n    return r",
               1, 1},
        Region{"enlarged_at_the_end",
               "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.conv2d(h, self.w, "
               "None, [1, 1], [1, 1])\n    return torch.sigmoid(torch.upsample_nearest2d(k, [2 * k.size(2), "
               "2 * k.size(3)]))",
               1, 1},
        Region{
            "enlarged_between",
            "    h = torch.conv2d(x, self.stem, self.b, [1, 1], [1, 1])\n    k = torch.upsample_bicubic2d(h, "
            "[2 * h.size(2), 2 * h.size(3)], False)\n    return torch.conv2d(k, self.w, None, [1, 1], [1, "
            "1])",
            1, 1},
        Region{"group_norms",
               "    h = torch.group_norm(torch.conv2d(y, self.w, None, [1, 1], [1, 1]), 2)\n    return "
               "torch.group_norm(torch.conv2d(h, self.u, None, [1, 1], [1, 1]), 2)",
               0, 0},
        Region{"pieces",
               "    p, q = torch.chunk(torch.relu(torch.conv2d(y, self.w, None, [1, 1], [1, 1])), 2, 1)\n"
               "    r = torch.conv2d(torch.cat([q, q], 1), self.u, None, [1, 1], [1, 1])\n"
               "    return torch.conv2d(torch.cat([p, q, r], 1), self.q, None, [1, 1], [1, 1])",
               1, 1},
        Region{"pieces_that_are_asked",  // as a replacement asks what it reads
               "    p, q = torch.chunk(torch.relu(torch.conv2d(y, self.w, None, [1, 1], [1, 1])), 2, 1)\n"
               "    assert q.dim() == 4 and q.dtype == p.dtype\n"
               "    r = torch.conv2d(torch.cat([q, q], 1), self.u, None, [1, 1], [1, 1])\n"
               "    return torch.conv2d(torch.cat([p, q, r], 1), self.q, None, [1, 1], [1, 1])",
               1, 1},
        Region{"pieces_for_others_too",
               "    h = torch.conv2d(torch.conv2d(y, self.w, None, [1, 1], [1, 1]), self.w, None, [1, 1], "
               "[1, 1])\n"
               "    p, q = torch.split(h, 4, 1)\n    r = torch.conv2d(torch.cat([q, q], 1), self.u, None, "
               "[1, 1], [1, 1])\n"
               "    return torch.conv2d(r, self.w), p.sum()",
               1, 2},
        Region{"pieces_that_come_back",
               "    h = torch.conv2d(torch.conv2d(y, self.w, None, [1, 1], [1, 1]), self.w, None, [1, 1], "
               "[1, 1])\n"
               "    p, q = torch.chunk(h, 2, 1)\n    return p, q, torch.conv2d(torch.cat([q, p], 1), self.u)",
               1, 1},
        Region{"in_channels_last_already",
               "    z = y.permute([0, 2, 3, 1]).contiguous().permute([0, 3, 1, 2])\n    return "
               "torch.conv2d(z, self.w, None, [1, 1], [1, 1]), torch.relu(z)",
               0, 0}),
    [](auto& info) { return info.param.name; });

TEST(ChannelsLast, FindsNothingWithoutARun) {
  auto m = moduleOf("def forward(self, x):\n    return torch.conv2d(torch.conv2d(x, self.w), self.w)",
                    {{"w", torch::randn({8, 8, 3, 3})}});
  auto graph = graphOf(m);
  TracedValues nothing;
  auto result = findConvolutionsInNchw(RulePage(), {*graph, &m, nothing, {"cpu", 0}, *aliasesOf(graph, &m)});
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.whyNothing, "needs the shapes of a run");
}

TEST(ChannelsLast, StoresTheWeightsInChannelsLastOneTime) {
  auto buffers = weights();
  auto m =
      moduleOf("def forward(self, x):\n    return torch.conv2d(torch.conv2d(x, self.stem), self.w)", buffers);
  layOut(m, {torch::randn({2, 3, 12, 12})});
  EXPECT_EQ(foldWeights(m, HandedTo::Caller), 2);
  finishFolding(m);
  EXPECT_TRUE(m.attr("kadvise_folded_0").toTensor().is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(m.attr("kadvise_folded_1").toTensor().is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(m.attr("w").toTensor().is_contiguous());  // the user's own is left alone
}

TEST(ChannelsLast, IsProposedOnTopOfFoldedNormsAndAlone) {
  auto m = moduleOf("def forward(self, x):\n    return torch.conv2d(torch.conv2d(x, self.stem), self.w)",
                    weights());
  auto result = layOut(m, {torch::randn({2, 3, 12, 12})});
  ASSERT_EQ(result.findings.size(), 1u);
  auto& passes = result.findings[0].passes;
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_EQ(c10::Join(" ", passes[0].rulesBefore),
            "fusion/parallel-convolutions fusion/grouped-convolution fusion/conv-add-relu fusion/conv-relu "
            "fusion/conv-batch-norm fusion/depthwise-convolution fusion/group-norm fusion/pooling "
            "fusion/upsampling");
  EXPECT_TRUE(passes[1].rulesBefore.empty());
}

TEST(ChannelsLast, IsAFindingForEachRegion) {
  auto m = moduleOf(
      "def forward(self, x, y):\n    a = torch.conv2d(torch.conv2d(x, self.stem), self.w)\n    b = "
      "torch.conv2d(torch.conv2d(y, self.u), self.w)\n    return a, b",
      weights());
  EXPECT_EQ(layOut(m, {torch::randn({2, 3, 12, 12}), torch::randn({2, 8, 12, 12})}).findings.size(), 2u);
}

}  // namespace
}  // namespace kadvise::graph
