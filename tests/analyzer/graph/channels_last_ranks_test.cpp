// channels_last of volumes and signals: results and strides are those of the module, in that call and in
// others.
#include "analyzer/core/operator_library.h"
#include "tests/analyzer/graph/laid_out.h"

namespace kadvise::graph {
namespace {

using test::graphOf;
using test::moduleOf;

struct Ranks {
  const char* name;
  const char* body;                    // of forward(self, x)
  std::vector<std::int64_t> x, other;  // sizes in the run, and in another call
  int convolutions;                    // in channels_last; 0: nothing is proposed
};

const Ranks kRanks[] = {
    {"volumes",
     "h = torch.relu(torch.conv3d(x, self.solid, self.b, padding=1))\n"
     "  return torch.conv3d(h + 1, self.solid, None, padding=1) + h",
     {2, 8, 4, 6, 5},
     {1, 8, 3, 2, 7},
     2},
    {"pooled_volumes",
     "h = torch.max_pool3d(torch.conv3d(x, self.solid, self.b, padding=1), 2)\n  return torch.conv3d(h, "
     "self.solid).flatten(1)",
     {2, 8, 8, 8, 8},
     {1, 8, 6, 8, 10},
     2},
    {"signals",
     "h = torch.leaky_relu(torch.conv1d(x, self.short, self.b, padding=1), 0.1)\n"
     "  return x + torch.conv1d(h, self.short, self.b, dilation=2, padding=2)",
     {2, 8, 40},
     {3, 8, 9},
     2},
    {"signals_upsampled",
     "h = torch.conv_transpose1d(x, self.short, self.b, stride=2, padding=1)\n"
     "  return torch.tanh(torch.conv1d(torch.relu(h), self.short)), h",
     {2, 8, 40},
     {1, 8, 9},
     2},
    {"rows_of_signals",
     "h = torch.relu(torch.conv1d(torch.relu(torch.conv1d(x, self.short)), self.short))\n"
     "  return torch.layer_norm(h.transpose(1, 2), [8], self.b, self.b)",
     {2, 8, 40},
     {1, 8, 9},
     2},
    {"signals_of_rows",
     "h = torch.conv1d(x.transpose(1, 2), self.short)\n  return torch.conv1d(torch.relu(h), "
     "self.short).transpose(1, 2) * 2",
     {2, 40, 8},
     {1, 9, 8},
     2},
    {"signals_in_groups",
     "return torch.conv1d(torch.relu(torch.conv1d(x, self.own, None, groups=8)), self.own, groups=8)",
     {2, 8, 40},
     {1, 8, 9},
     0},
    {"images_whose_channels_are_split",
     "h = torch.conv2d(torch.relu(torch.conv2d(x, self.flat)), self.flat)\n"
     "  return torch.layer_norm(h.reshape([x.size(0), 4, -1]).transpose(1, 2), [4])",
     {2, 8, 12, 12},
     {1, 8, 7, 9},
     2},
    {"padded_by_a_word",
     "return torch.conv1d(torch.relu(torch.conv1d(x, self.short, padding='same')), self.short, "
     "padding='same')",
     {2, 8, 40},
     {1, 8, 9},
     0},
};

std::vector<std::pair<std::string, at::Tensor>> weights() {
  torch::manual_seed(3);
  return {{"solid", torch::randn({8, 8, 3, 3, 3}) / 8},
          {"flat", torch::randn({8, 8, 3, 3}) / 8},
          {"short", torch::randn({8, 8, 3}) / 4},
          {"own", torch::randn({8, 1, 3})},
          {"b", torch::randn({8})}};
}

int convolutionsChanged(torch::jit::Module& m, const at::Tensor& x) {
  int changed = 0;
  for (auto& f : test::layOut(m, {x}).findings) changed += 1 + static_cast<int>(f.related.size());
  return changed;
}

class ChannelsLastRanks : public testing::TestWithParam<Ranks> {};

TEST_P(ChannelsLastRanks, GiveTheOriginalsResultsWithTheOriginalsStrides) {
  loadOperatorLibrary(KADVISE_KERNELS);
  auto& given = GetParam();
  std::string forward = std::string("def forward(self, x):\n  ") + given.body;
  auto plain = moduleOf(forward, weights()), changed = moduleOf(forward, weights());
  auto x = torch::randn(given.x);
  EXPECT_EQ(convolutionsChanged(changed, x), given.convolutions) << *graphOf(changed);
  for (auto& call : {x, torch::randn(given.other)}) {
    auto want = test::everythingOf(plain, {call}), have = test::everythingOf(changed, {call});
    ASSERT_EQ(want.size(), have.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(at::allclose(want[i], have[i], 1e-4, 1e-5)) << i << *graphOf(changed);
      EXPECT_EQ(want[i].strides(), have[i].strides()) << i << *graphOf(changed);
    }
  }
}

// No region can be given a dictionary, only what is read of it.
TEST(ChannelsLastRegions, LeaveDictionariesOfTheModuleOutside) {
  c10::Dict<std::string, at::Tensor> kept;
  kept.insert("meta", torch::empty({2, 8, 10, 10}, at::kMeta));  // where shapes are run
  auto m = moduleOf(
      "def forward(self, x):\n"
      "  h = torch.relu(torch.conv2d(x, self.flat))\n"
      "  return torch.conv2d(h + self.kept[str(h.device)], self.flat)",
      weights(), {{"kept", c10::DictType::create(c10::StringType::get(), c10::TensorType::get()), kept}});
  auto x = torch::randn({2, 8, 12, 12});
  auto traced = test::tracedOf(m, *graphOf(m), {x});
  auto aliases = aliasesOf(graphOf(m), &m);
  Target cpu{"cpu", 0};
  auto found = findConvolutionsInNchw(RulePage(), {*graphOf(m), &m, traced, cpu, *aliases}).findings;
  ASSERT_EQ(found.size(), 1u);
  for (auto* n : found[0].passes.at(0).nodes) EXPECT_NE(n->kind(), torch::jit::aten::__getitem__);
}

INSTANTIATE_TEST_SUITE_P(Regions, ChannelsLastRanks, testing::ValuesIn(kRanks),
                         [](auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kadvise::graph
