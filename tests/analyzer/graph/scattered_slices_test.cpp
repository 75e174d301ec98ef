// Slices of new tensors that one kernel writes: the original's results, at other sizes too, or no change.
#include "analyzer/graph/scattered_slices.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

std::string forwardOf(const std::string& body) { return "def forward(self, x, y):\n" + body; }

std::vector<at::Tensor> inputsOf(std::int64_t rows) {
  return {torch::randn({2, rows, 8}), torch::randn({rows, 8})};
}

// The run is of this machine, whatever it is taken for.
CodedResult findOnHost(const RulePage& page, const Analysis& a) {
  Target host{"cpu", 0};
  return findScatteredSlices(page, {a.graph, a.module, a.traced, host, a.aliases, a.taken});
}

// How many places are changed; results are equal then, for more rows, too.
test::Passes changedIn(const std::string& body) {
  test::loadKernels();
  auto m = test::moduleOf(forwardOf(body), {{"c", torch::arange(8.0)}});
  const auto few = inputsOf(6), many = inputsOf(9);
  const auto wantFew = test::resultsOf(m, few), wantMany = test::resultsOf(m, many);
  auto passes = test::rewritePasses(m, few, findOnHost);
  for (auto& [inputs, want] : {std::pair(few, wantFew), std::pair(many, wantMany)}) {
    auto have = test::resultsOf(m, inputs);
    EXPECT_EQ(have.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(torch::equal(have[i], want[i])) << body;
  }
  return passes;
}

int writesLeftIn(const std::string& body) {
  auto m = test::moduleOf(forwardOf(body));
  test::rewritePasses(m, inputsOf(6), findScatteredSlices);
  int left = 0;
  forEachNode(test::graphOf(m)->block(),
              [&](torch::jit::Node* n) { left += n->kind() == torch::jit::aten::copy_; });
  return left;
}

TEST(ScatteredSlices, AreOneKernel) {
  for (std::string body : {
           "  r = torch.zeros_like(x)\n  r[:, :-1, :4] = x[:, 1:, :4]\n  r[:, 1:, 4:] = x[:, :-1, 4:]\n  "
           "return r",
           "  r = x.new_full([y.size(0), 2, 8], float('-inf'))\n  r[:, 1] = y\n  return r",
           "  r = torch.empty_like(x)\n  r[..., ::2] = x[..., 4:] * 2\n  r[..., 1::2] = y[:, 1:5]\n  return "
           "r + 1",
           "  n = y.size(0) // 2\n  r = torch.ones([2, y.size(0) + n, 8])\n  r[:, n:] = x\n  r[0, -n:] = "
           "y[:n]\n  return r",
       }) {
    auto passes = changedIn(body);
    EXPECT_EQ(passes.rewritten, 1) << body << passes.reasons;
    EXPECT_EQ(writesLeftIn(body), 0) << body;
  }
}

// What is filled lies in order, as what takes its place does; of what lies as another tensor does, views
// alone are known to be suited.
TEST(ScatteredSlices, MayBeSeenByTheirStridesWhereThoseStay) {
  const auto place = [](const std::string& maker, const std::string& rest) {
    return changedIn("  r = " + maker + "\n  r[:, 0] = y[0]\n  r[:, 1, 2:] = x[:, 1, 2:]\n" + rest).rewritten;
  };
  const std::string strided = "  return torch.as_strided(r, [3, 4], [8, 1])",
                    viewed = "  return r.view([-1, 4]) + 1";
  EXPECT_EQ(place("x.new_zeros([2, y.size(0), 8])", strided), 1);
  EXPECT_EQ(place("torch.zeros_like(x)", viewed), 1);
  EXPECT_EQ(place("torch.zeros_like(x)", strided), 0);
}

TEST(ScatteredSlices, MayBeOfParameters) {
  EXPECT_EQ(
      changedIn("  r = torch.empty_like(x)\n  r[:, 0] = self.c\n  r[:, 1:] = x[:, 1:]\n  return r").rewritten,
      1);
}

// What is written in their place has the dtype of the run.
TEST(ScatteredSlices, OfADtypeThatIsComputedStay) {
  const std::string rest = "  r = torch.zeros([2, y.size(0), 8], dtype=d)\n  r[:, 0] = y[0]\n  return r";
  EXPECT_EQ(changedIn("  d = 7\n  if y.size(0) < 9:\n    d = 6\n" + rest).found, 0);
  EXPECT_EQ(changedIn("  d = 6\n" + rest).rewritten, 1);
}

TEST(ScatteredSlices, AreWrittenInPlaceBehindAReader) {
  const std::string body =
      "  r = torch.zeros_like(x)\n  r[:, 0] = y[0]\n  r[:, 1] = y[1]\n  s = r.sum()\n  r[:, 2] = s * y[2]\n"
      "  r[:, 3].copy_(y[3])\n  return r, s";
  auto passes = changedIn(body);
  EXPECT_EQ(passes.rewritten, 1) << passes.reasons;
  EXPECT_EQ(writesLeftIn(body), 2);
}

TEST(ScatteredSlices, BeyondTheEighthAreWrittenInPlace) {
  std::string body = "  r = torch.zeros_like(x)\n";
  for (int i = 0; i < 10; ++i)
    body += "  r[:, " + std::to_string(i % 6) + ", " + std::to_string(i % 5) + ":] = y[0, " +
            std::to_string(i % 5) + ":]\n";
  body += "  return r";
  EXPECT_EQ(changedIn(body).rewritten, 1);
  EXPECT_EQ(writesLeftIn(body), 2);
}

TEST(ScatteredSlices, StayWhereOrderMatters) {
  for (std::string body :
       {// what is written is, or may be, the tensor itself
        "  r = torch.zeros_like(x)\n  r[:, 0] = y[0]\n  r[:, 1] = r[:, 0] + 1\n  r[:, 2] = r[:, 1]\n  return "
        "r + y",
        "  r = torch.ones_like(x)\n  s = r[:, 1:]\n  r[:, :-1] = s\n  return r",
        // a source that is written between two reads of it
        "  r = torch.zeros_like(x)\n  r[:, 0] = y[0]\n  y.add_(1)\n  r[:, 1] = y[0]\n  return r",
        // a view that is read before and after
        "  r = torch.zeros_like(x)\n  s = r[:, 0]\n  t = s + 1\n  r[:, 0] = y[0]\n  return r, s + t",
        // in a branch, and in a loop
        "  r = torch.zeros_like(x)\n  if x.size(0) > 1:\n    r[:, 0] = y[0]\n  return r",
        "  r = torch.zeros_like(x)\n  for i in range(y.size(0)):\n    r[:, i] = y[i]\n  return r",
        // another dtype, and a number
        "  r = torch.zeros_like(x)\n  r[:, 0] = y[0].double()\n  return r",
        "  r = torch.zeros_like(x)\n  r[:, 0] = y[0, 0].item()\n  return r"}) {
    auto m = test::moduleOf(forwardOf(body));
    const auto inputs = inputsOf(6);
    std::vector<at::Tensor> copies = {inputs[0], inputs[1].clone()};
    const auto want = test::resultsOf(m, copies);
    auto passes = test::rewritePasses(m, {inputs[0], inputs[1].clone()}, findScatteredSlices);
    copies = {inputs[0], inputs[1].clone()};
    const auto have = test::resultsOf(m, copies);
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(torch::equal(have[i], want[i])) << body;
    EXPECT_EQ(passes.found, passes.rewritten) << passes.reasons;
  }
}

}  // namespace
}  // namespace kadvise::graph
