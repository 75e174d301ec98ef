// What is a state-space recurrence but not one that the operator computes: the reason is named. This program
// does not load the operators; the examples of the page show what is found with them.
#include "analyzer/graph/selective_scan.h"

#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;

struct Text {
  std::string power = "A[None, :, None, :] * d", C = "C", start = "torch.zeros([2, 6, A.size(1)])",
              results = "y";
};

// Two steps of x and dt [2, 6, 2], A [6, n], B and C [2, 2, n].
std::string forwardOf(const Text& t) {
  return "def forward(self, x, dt, A, B, C):\n"
         "  d = torch.softplus(dt).unsqueeze(-1)\n"
         "  a = torch.exp(" +
         t.power +
         ")\n"
         "  b = d * B[:, None] * x.unsqueeze(-1)\n"
         "  h = a[:, :, 0] * " +
         t.start +
         " + b[:, :, 0]\n"
         "  y0 = torch.matmul(h, " +
         t.C +
         "[:, 0].unsqueeze(-1))[:, :, 0]\n"
         "  h = a[:, :, 1] * h + b[:, :, 1]\n"
         "  y1 = torch.matmul(h, " +
         t.C +
         "[:, 1].unsqueeze(-1))[:, :, 0]\n"
         "  y = torch.stack([y0, y1], -1)\n"
         "  return " +
         t.results + "\n";
}

CodedResult lookAt(const Text& text, std::int64_t states = 4, std::int64_t times = 2) {
  test::Shaped s(forwardOf(text), {meta({2, 6, times}), meta({2, 6, times}), meta({6, states}),
                                   meta({2, times, states}), meta({2, times, states})});
  Target target{"cuda", 90};
  return findSelectiveScans(RulePage(), {*s.graph, &s.module, s.traced, target, *aliasesOf(s.graph)});
}

TEST(SelectiveScan, IsRefusedWithTheReason) {
  const auto reasonOf = [](const CodedResult& r) {
    return r.findings.empty() && r.refused.size() == 1 ? r.refused[0].why.reason : "(" + r.whyNothing + ")";
  };
  EXPECT_EQ(reasonOf(lookAt({})), "libkadvise_kernels.so, which has the operator, is not loaded");
  EXPECT_EQ(reasonOf(lookAt({.power = "A[None, :, None, :] + d"})),
            "what is scanned is not exp(A dt) and dt B x");
  EXPECT_EQ(reasonOf(lookAt({.power = "A[None, :, None, :] * d * d"})),
            "what is scanned is not exp(A dt) and dt B x");
  EXPECT_EQ(reasonOf(lookAt({.start = "torch.zeros([1])"})),
            "the states at the start have another shape than those behind");
  EXPECT_EQ(reasonOf(lookAt({}, 65)), "there are more than 64 states");
  EXPECT_EQ(reasonOf(lookAt({}, 4, 3)), "the steps are not all times of the sequence");
  EXPECT_EQ(reasonOf(lookAt({.results = "y, h"})).substr(0, 33), "a value between is used elsewhere");
}

TEST(SelectiveScan, IsNotSeenInAnotherRecurrence) {
  EXPECT_TRUE(lookAt({.start = "torch.ones([2, 6, A.size(1)])"}).refused.empty());
  EXPECT_TRUE(lookAt({.start = "torch.ones([2, 6, A.size(1)])"}).findings.empty());
}

}  // namespace
}  // namespace kadvise::graph
