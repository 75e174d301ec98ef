// Norms and the generated kernels beside them as one: the same results, of other sizes and in CUDA graphs,
// too, and sizes are asked of what is left.
#include "analyzer/graph/norm_between_programs.h"

#include "tests/analyzer/graph/captures.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

const std::string kBefore =
    "    p = \"row_program 1\\nrank 4\\na = in float32\\nc = in float32\\nb = add a c\\ns = silu b\\nout s "
    "float32\\n\"\n"
    "    q = \"row_program 1\\nrank 4\\na = in float32\\nr = in float32\\nb = hardswish a\\nc = add b "
    "r\\nout c float32\\n\"\n"
    "    s = \"row_program 1\\nrank 4\\na = in float32\\nb = hardswish a\\nout b float32\\n\"\n"
    "    y = ops.kadvise.row_program(p, [x, self.c])[0]\n";
const std::string kNorm = "ops.kadvise.group_norm(y, 4, self.gamma, self.beta, 1e-5, \"relu\")";

torch::jit::Module moduleFor(const std::string& body) {
  at::manual_seed(5);
  test::loadKernels();
  return test::moduleOf("def forward(self, x, r):\n" + kBefore + body,
                        {{"c", at::randn({8, 1, 1})}, {"gamma", at::randn({8})}, {"beta", at::randn({8})}});
}

std::vector<at::Tensor> inputs() { return {at::randn({3, 8, 6, 7}), at::randn({3, 8, 6, 7})}; }

void expectOneKernel(const std::string& body) {
  const auto m = moduleFor(body);
  const auto seen = inputs();
  const std::vector<at::Tensor> others = {at::randn({2, 8, 5, 9}), at::randn({2, 8, 5, 9})};
  const at::Tensor want = test::resultsOf(m, seen)[0], wantOther = test::resultsOf(m, others)[0];
  const auto did = test::rewritePasses(m, seen, findNormsBetweenPrograms);
  ASSERT_EQ(did.rewritten, 1) << did.reasons << body;
  torch::jit::EliminateDeadCode(test::graphOf(m));
  const at::Tensor have = test::resultsOf(m, seen)[0];
  EXPECT_TRUE(at::allclose(want, have, 1e-4, 1e-5)) << body;
  EXPECT_EQ(want.strides(), have.strides());
  EXPECT_TRUE(at::allclose(wantOther, test::resultsOf(m, others)[0], 1e-4, 1e-5)) << body;
  const std::string text = test::graphOf(m)->toString();
  EXPECT_EQ(text.find("group_norm"), std::string::npos) << text;
  EXPECT_EQ(text.find("kadvise::row_program"), text.rfind("kadvise::row_program")) << text;
  test::expectSame(m.clone(), test::wrap(m).module, {seen[0], seen[1]});
}

TEST(NormBetweenPrograms, AreOneKernel) {
  expectOneKernel("    n = " + kNorm + "\n    return ops.kadvise.row_program(q, [n, r])[0]");
  expectOneKernel("    n = " + kNorm + "\n    return ops.kadvise.row_program(q, [r, n])[0]");
  expectOneKernel("    return torch.group_norm(y, 2, self.gamma, None, 1e-5)");
  expectOneKernel("    return torch.group_norm(y, 8, None, self.beta, 1e-5)");
}

TEST(NormBetweenPrograms, AreAskedForTheirSizes) {
  const std::string checked = "    assert y.size(0) * y.size(1) // 4 * y.size(2) > 1, \"too small\"\n";
  expectOneKernel(checked + "    return " + kNorm);
  expectOneKernel(checked + "    n = " + kNorm +
                  "\n    assert n.size(1) == 8\n    return ops.kadvise.row_program(s, [n])[0]");
}

// The kernel behind may read what makes its result larger than the image that is asked.
TEST(NormBetweenPrograms, AnswerForSizesOfTheirOwnAlone) {
  const auto m =
      moduleFor("    n = " + kNorm + "\n    return ops.kadvise.row_program(q, [n, r])[0] * y.size(0)");
  const auto did = test::rewritePasses(m, inputs(), findNormsBetweenPrograms);
  EXPECT_EQ(did.rewritten, 1) << did.reasons;
  const std::vector<at::Tensor> others = {at::randn({1, 8, 6, 7}), at::randn({3, 8, 6, 7})};
  const auto plain =
      moduleFor("    n = " + kNorm + "\n    return ops.kadvise.row_program(q, [n, r])[0] * y.size(0)");
  EXPECT_TRUE(at::allclose(test::resultsOf(plain, others)[0], test::resultsOf(m, others)[0], 1e-4, 1e-5));
}

TEST(NormBetweenPrograms, AreLeftWhereOthersReadWhatIsBetween) {
  for (const std::string& body :
       {"    return " + kNorm + ", y", "    return " + kNorm + " + y.mean(1, keepdim=True)"})
    EXPECT_EQ(test::rewritePasses(moduleFor(body), inputs(), findNormsBetweenPrograms).found, 0) << body;
}

// Who reads what stands beside the norm may be about to become a kernel that goes with it.
TEST(NormBetweenPrograms, WaitForWhatOtherRulesReplace) {
  const auto m = moduleFor("    return torch.hardswish(" + kNorm + ")");
  auto graph = test::graphOf(m);
  auto traced = test::tracedOf(m, *graph, inputs());
  auto aliases = aliasesOf(graph, &m);
  const Target target{"cuda", 90};
  EXPECT_EQ(findNormsBetweenPrograms(RulePage(), {*graph, &m, traced, target, *aliases}).findings.size(), 1u);
  std::unordered_set<const torch::jit::Node*> taken = {graph->outputs()[0]->node()};
  const auto waits = findNormsBetweenPrograms(RulePage(), {*graph, &m, traced, target, *aliases, taken});
  EXPECT_TRUE(waits.findings.empty() && waits.looksAgain);
}

// Channels of another number would be cut into groups of another width, and what is broadcast over them today
// would be broadcast over groups.
TEST(NormBetweenPrograms, OtherChannelsAreAnError) {
  test::loadKernels();
  const std::string product =
      "    p = \"row_program 1\\nrank 4\\na = in float32\\nb = in float32\\ns = mul a b\\nout s "
      "float32\\n\"\n";
  for (const char* norm :
       {"torch.group_norm(y, 4)", "torch.instance_norm(y, None, None, None, None, True, 0.1, 1e-5, True)",
        "torch.group_norm(y, 1)"}) {
    const auto m = test::moduleOf("def forward(self, x, r):\n" + product +
                                      "    y = ops.kadvise.row_program(p, [x, r])[0]\n    return " + norm,
                                  {});
    ASSERT_EQ(
        test::rewritePasses(m, {at::randn({3, 8, 6, 7}), at::randn({3, 1, 6, 7})}, findNormsBetweenPrograms)
            .rewritten,
        1);
    EXPECT_NO_THROW(test::resultsOf(m, {at::randn({2, 8, 6, 7}), at::randn({1, 1, 6, 1})}));
    EXPECT_ANY_THROW(test::resultsOf(m, {at::randn({3, 12, 6, 7}), at::randn({3, 1, 6, 7})})) << norm;
    EXPECT_ANY_THROW(test::resultsOf(m, {at::randn({3, 8, 6, 7}), at::randn({3, 8, 6, 7})})) << norm;
  }
}

// One norm whose arguments are computed costs no other its place.
TEST(NormBetweenPrograms, ComputedArgumentsAreRefused) {
  const auto m = moduleFor(
      "    z = torch.group_norm(y, 4)\n    v = ops.kadvise.row_program(s, [z])[0]\n"
      "    return torch.group_norm(v, 2, None, None, 1e-5 * x.size(0))");
  const auto did = test::rewritePasses(m, inputs(), findNormsBetweenPrograms);
  EXPECT_EQ(did.rewritten, 1) << did.reasons;
  EXPECT_NE(did.reasons.find("computed"), std::string::npos) << did.reasons;
}

}  // namespace
}  // namespace kadvise::graph
