// Right candidates that are not the same text: another order, a more accurate or a native operator, a
// difference that was declared. All are accepted.
#include <gtest/gtest.h>

#include <set>

#include "judging.h"

namespace kadvise {
namespace {

TEST(Right, TheSameText) { accept(kNorm, kNorm, normBatch(), "bitwise"); }

TEST(Right, CasesThatTheOriginalRaisesAnExceptionOnAreNamed) {
  const std::string one = "def forward(self, x):\n  assert x.size(0) == 8\n  return torch.tanh(x)\n";
  EquivalencePlan plan;
  plan.breadth = Breadth::Wide;
  Equivalence e = judge(one, one, batchOf({"float32[8,32]"}), plan);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(
      e.reason.find("6 cases are refused by the original itself, which raises an exception on such inputs "
                    "(size 8 as 9, size 8 as 1, size 8 as 17 and 3 more)"),
      std::string::npos)
      << e.reason;
}

TEST(Right, OffsetsThatAreOutOfOrderOnceOneIsChangedShowNothing) {
  const std::string bags =
      "def forward(self, table, ids, offsets):\n  return torch.embedding_bag(table, ids, offsets)[0]\n";
  Values batch = batchOf({"float32[50,16]", "int64[48]<50"});
  batch.push_back(at::arange(16) * 3);
  Equivalence e = judge(bags, bags, batch);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
}

// contiguous() hands its input on in the case of a contiguous one, which the run was not.
TEST(Right, ACopyOfItsOwnWhereTheOriginalCopiedTheInputsOfTheRun) {
  Values batch = {torch::randn({8, 6}).t()};
  accept("def forward(self, x):\n  return x.contiguous()\n",
         "def forward(self, x):\n  return x.clone(memory_format=0)\n", batch, "bitwise");
}

TEST(Right, TheNativeOperator) {
  accept(kNorm, "def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 1e-5)\n", normBatch());
}

const CaseErrors* caseOf(const Equivalence& e, const std::string& name) {
  for (auto& c : e.caseErrors)
    if (c.name == name) return &c;
  return nullptr;
}

TEST(Right, EachCaseHasItsErrorsAndBounds) {
  Equivalence e = judge(
      kNorm, "def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 1e-5)\n", normBatch());
  ASSERT_EQ(e.outcome, Outcome::Same) << e.reason;
  ASSERT_GT(e.caseErrors.size(), 3u);
  const CaseErrors* worst = worstOf(e.caseErrors);
  ASSERT_NE(worst, nullptr);
  EXPECT_EQ(worst->name, e.accuracy.worstCase);
  EXPECT_EQ(worst->maxUlp, e.accuracy.maxUlp);
  std::set<std::string> names;
  for (auto& c : e.caseErrors) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " has two rows";
    EXPECT_NE(c.grade.empty(), c.unjudged.empty()) << c.name;
    if (c.output.empty()) continue;
    EXPECT_EQ(c.output, "output 0");
    EXPECT_GT(c.maxBound, c.maxUlp) << c.name;
    EXPECT_GE(c.ofBound, c.maxUlp / c.maxBound) << c.name;
    EXPECT_LE(c.ofBound, worst->ofBound);
  }
  EXPECT_NE(caseOf(e, "inputs"), nullptr);
}

TEST(Right, CasesThatAreEqualBitByBitOrSayNothingAreToldApart) {
  Equivalence same = judge(kNorm, kNorm, normBatch());
  for (auto& c : same.caseErrors) EXPECT_TRUE(c.grade == "bitwise" || !c.unjudged.empty()) << c.name;
  EXPECT_EQ(worstOf(same.caseErrors), nullptr);
  const std::string relu = "def forward(self, x):\n  return torch.relu(x)\n";
  Equivalence silent = judge(relu, relu, batchOf({"float32[8,32]>0"}));
  const CaseErrors* own = caseOf(silent, "inputs");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->grade, "");
  EXPECT_EQ(own->unjudged, "output equals input 0");
}

TEST(Right, AReorderedReduction) {
  accept("def forward(self, a, b):\n  return torch.matmul(a, b).relu()\n",
         "def forward(self, a, b):\n  k = a.size(-1) // 2\n  return torch.relu(torch.matmul(a[:, k:], b[k:]) "
         "+ torch.matmul(a[:, :k], b[:k]))\n",
         batchOf({"float32[32,512]", "float32[512,32]"}));
}

TEST(Right, AttentionInOneCall) {
  accept(
      "def forward(self, q, k, v):\n  return torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-2, -1)) "
      "* 0.125, -1), v)\n",
      "def forward(self, q, k, v):\n  return torch.scaled_dot_product_attention(q, k, v)\n",
      batchOf({"float32[2,4,32,64]", "float32[2,4,32,64]", "float32[2,4,32,64]"}));
}

TEST(Right, IntegersTuplesAndLists) {
  accept("def forward(self, x, i):\n  return torch.topk(x, 3), [x.size(0), 2], i + 1, 'text', None\n",
         "def forward(self, x, i):\n  return torch.topk(x, 3), [x.size(0), 2], 1 + i, 'text', None\n",
         batchOf({"float32[8,32]", "int64[8]<100"}), "bitwise");
}

TEST(Right, DictionariesThatAreFilledInAnotherOrder) {
  std::string before = "def forward(self, x):\n  return {'sum': x + 1, 'product': x * 2}\n";
  accept(before, "def forward(self, x):\n  return {'product': x * 2, 'sum': x + 1}\n",
         batchOf({"float32[8,32]"}), "bitwise");
  refuse(before, "def forward(self, x):\n  return {'product': x + 1, 'sum': x * 2}\n",
         batchOf({"float32[8,32]"}), "output 0[product]");
  refuse(before, "def forward(self, x):\n  return {'quotient': x * 2, 'sum': x + 1}\n",
         batchOf({"float32[8,32]"}), "it returns {quotient: Tensor, sum: Tensor}");
  refuse("def forward(self, x):\n  return {1: x + 1}\n", "def forward(self, x):\n  return {2: x + 1}\n",
         batchOf({"float32[8,32]"}), "it returns {int 2: Tensor}");
}

TEST(Right, AnInputThatBothWrite) {
  accept("def forward(self, x):\n  x.add_(1)\n  return x * 2\n",
         "def forward(self, x):\n  x += 1\n  return x * 2\n", batchOf({"float32[8,32]"}));
}

TEST(Domain, DeclaredNaNsMayBecomeNumbers) {
  const std::string before = "def forward(self, x):\n  return torch.log(x)\n";
  const std::string after =
      "def forward(self, x):\n  y = torch.log(x)\n  return torch.where(torch.isnan(y), torch.zeros_like(y), "
      "y)\n";
  Values batch = batchOf({"float32[16,64]"});
  EXPECT_EQ(judge(before, after, batch).outcome, Outcome::WrongOutput);
  EquivalencePlan plan;
  plan.domain = "the logarithm of a negative number is 0";
  Equivalence e = judge(before, after, batch, plan);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("declared"), std::string::npos);
}

TEST(Approximation, IsJudgedByItsRelativeError) {
  EquivalencePlan plan;
  plan.approximates = true;
  const std::string before = "def forward(self, x):\n  return torch.gelu(x)\n";
  Values batch = batchOf({"float32[16,64]"});
  Equivalence e =
      judge(before, "def forward(self, x):\n  return torch.gelu(x, approximate='tanh')\n", batch, plan);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("approximates: rms error"), std::string::npos) << e.reason;
  EXPECT_EQ(judge(before, "def forward(self, x):\n  return torch.gelu(x) * 1.2\n", batch, plan).outcome,
            Outcome::WrongOutput);
}

TEST(Half, IsJudgedInItsOwnUlp) {
  for (const char* dtype : {"float16", "bfloat16"}) {
    Values batch = inputsFromSpecs({"float[16,64]", "float[64]"}, dtype, cpuDevice(), 3);
    Subjects right{
        moduleFrom(kNorm),
        moduleFrom("def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 1e-5)\n"),
        [] { return moduleFrom(kNorm); }};
    Pulse silent;
    EquivalencePlan plan;
    Equivalence e = judgeEquivalence(right, batch, cpuDevice(), plan, silent);
    EXPECT_EQ(e.outcome, Outcome::Same) << dtype << e.reason;
    Subjects wrong{moduleFrom(kNorm),
                   moduleFrom("def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 0.1)\n"),
                   [] { return moduleFrom(kNorm); }};
    EXPECT_EQ(judgeEquivalence(wrong, batch, cpuDevice(), plan, silent).outcome, Outcome::WrongOutput)
        << dtype;
  }
}

}  // namespace
}  // namespace kadvise
