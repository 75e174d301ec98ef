// Biases and numbers of channels that go with the norm behind, or that it takes out: the same results, in
// CUDA graphs, too, sizes are asked of what is left, and only where nobody else reads the sum.
#include "analyzer/graph/shift_before_norm.h"

#include "analyzer/graph/late_bias.h"
#include "analyzer/graph/optional_attributes.h"
#include "tests/analyzer/graph/captures.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

struct Sum {
  const char* name;
  CodedRule rule;
  const char* body;  // of x [3, 8, 10, 12] in channels_last and t [3, 8]
  const char* gone;  // what is no longer there; "" where that says nothing
};

const std::string kNorm = "ops.kadvise.group_norm(y, 4, self.gamma, self.beta, 1e-5, \"silu\")";

// The bias is one that may be missing, as scripted convolutions have it.
torch::jit::Module moduleFor(const std::string& body) {
  at::manual_seed(3);
  test::loadKernels();
  auto m =
      test::moduleOf("def forward(self, x, t):\n" + body,
                     {{"w", at::randn({8, 8, 3, 3})}, {"gamma", at::randn({8})}, {"beta", at::randn({8})}},
                     {{"b", c10::OptionalType::create(c10::TensorType::get()), at::randn({8})}});
  settleOptionalAttributes(*test::graphOf(m), m);
  return m;
}

std::vector<at::Tensor> inputs() {
  return {at::randn({3, 8, 10, 12}).contiguous(at::MemoryFormat::ChannelsLast), at::randn({3, 8})};
}

class WithinNorms : public testing::TestWithParam<Sum> {};

TEST_P(WithinNorms, TheResultIsTheSameAlsoOfOtherSizesAndInACudaGraph) {
  const Sum& sum = GetParam();
  const auto m = moduleFor(sum.body);
  const auto seen = inputs();
  std::vector<at::Tensor> others = {at::randn({2, 8, 7, 9}), at::randn({2, 8})};
  const at::Tensor want = test::resultsOf(m, seen)[0], wantOther = test::resultsOf(m, others)[0];
  const auto did = test::rewritePasses(m, seen, sum.rule);
  ASSERT_EQ(did.rewritten, 1) << did.reasons;
  const std::string text = test::graphOf(m)->toString();
  if (*sum.gone) EXPECT_EQ(text.find(sum.gone), std::string::npos) << text;
  EXPECT_TRUE(at::allclose(want, test::resultsOf(m, seen)[0], 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(wantOther, test::resultsOf(m, others)[0], 1e-4, 1e-5));
  EXPECT_EQ(test::rewritePasses(m, seen, sum.rule).found, 0);
  test::expectSame(m.clone(), test::wrap(m).module, {seen[0], seen[1]});
}

const std::string kChecked = "    assert torch.size(y)[2] > 1, \"too small\"\n    return " + kNorm;
const std::string kBiasAndTime =
    "    y = torch.conv2d(x, self.w, self.b, padding=1) + t[:, :, None, None]\n" + kChecked;
const std::string kTime = "    y = t[:, :, None, None] + x\n" + kChecked;
const std::string kBias = "    y = torch.conv2d(x, self.w, self.b)\n" + kChecked;

INSTANTIATE_TEST_SUITE_P(
    Sums, WithinNorms,
    testing::Values(Sum{"bias_and_time", findShiftsBeforeNorms, kBiasAndTime.c_str(), ""},
                    Sum{"time", findShiftsBeforeNorms, kTime.c_str(), "aten::add"},
                    Sum{"bias", findShiftsBeforeNorms, kBias.c_str(), ""},
                    Sum{"bias_that_an_instance_norm_takes_out", findLateBiases,
                        "    y = torch.conv2d(x, self.w, self.b)\n    assert torch.size(y)[2] > 1\n"
                        "    return ops.kadvise.instance_norm(y, None, None, 1e-5, \"relu\")",
                        ""},
                    Sum{"bias_behind_the_largest", findLateBiases,
                        "    return torch.max_pool2d(torch.conv2d(x, self.w, self.b), 2)", ""},
                    Sum{"bias_behind_the_mean", findLateBiases,
                        "    return torch.avg_pool2d(torch.conv2d(x, self.w, self.b), 3, 2, 1, True, False)",
                        ""}),
    [](const auto& info) { return info.param.name; });

struct Left {
  const char* name;
  CodedRule rule;
  const char* body;  // as above
};
class NotWithinNorms : public testing::TestWithParam<Left> {};

TEST_P(NotWithinNorms, NothingIsFound) {
  const auto m = moduleFor(GetParam().body);
  EXPECT_EQ(test::rewritePasses(m, inputs(), GetParam().rule).found, 0);
}

const std::string kComparedSum =
    "    y = torch.conv2d(x, self.w, self.b) + t[:, :, None, None]\n    z = " + kNorm +
    "\n    if torch.equal(z, y):\n        z = z + 1\n    return z";
const std::string kOnePixel =
    "    y = t[:, :, None, None] + torch.amax(x, [2, 3], True)\n    return " + kNorm;

INSTANTIATE_TEST_SUITE_P(
    Modules, NotWithinNorms,
    testing::Values(
        Left{"values_of_the_sum_decide", findShiftsBeforeNorms, kComparedSum.c_str()},
        Left{"either_may_be_the_image", findShiftsBeforeNorms, kOnePixel.c_str()},
        Left{"values_of_the_convolution_decide", findLateBiases,
             "    y = torch.conv2d(x, self.w, self.b)\n"
             "    z = ops.kadvise.instance_norm(y, None, None, 1e-5, \"relu\")\n"
             "    if torch.allclose(y, z):\n        z = z + 1\n    return z"},
        Left{"windows_over_channels", findLateBiases,
             "    return torch.max_pool3d(torch.conv2d(x, self.w, self.b), [3, 2, 2], [1, 2, 2], [1, 0, 0])"},
        Left{"a_bias_that_is_assigned", findLateBiases,
             "    y = torch.max_pool2d(torch.conv2d(x, self.w, self.gamma), 2)\n"
             "    self.gamma = self.gamma * 2\n    return y"}),
    [](const auto& info) { return info.param.name; });

// What another rule replaces first is kept from those that would take the bias.
TEST(ShiftBeforeNorm, WaitsForTheOperatorThatTakesItAlong) {
  const auto m = moduleFor(
      "    y = torch.conv2d(x, self.w, self.b) + t[:, :, None, None]\n"
      "    return torch.group_norm(y, 4, self.gamma, self.beta)");
  auto graph = test::graphOf(m);
  const auto traced = test::tracedOf(m, *graph, inputs());
  const torch::jit::Node* norm = graph->outputs()[0]->node();
  auto aliases = aliasesOf(graph, &m);
  const std::unordered_set<const torch::jit::Node*> taken = {norm};
  auto look = [&](const std::unordered_set<const torch::jit::Node*>& by) {
    return findShiftsBeforeNorms(RulePage(), {*graph, &m, traced, {"cuda", 90}, *aliases, by});
  };
  const auto waiting = look(taken), alone = look({});
  EXPECT_TRUE(waiting.findings.empty());
  EXPECT_TRUE(waiting.looksAgain);
  EXPECT_EQ(waiting.kept.size(), 3u);
  EXPECT_TRUE(alone.findings.empty() && alone.kept.empty());
  EXPECT_NE(alone.whyNothing, "");
}

}  // namespace
}  // namespace kadvise::graph
