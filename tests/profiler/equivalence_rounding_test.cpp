// Outputs that rounding decides: the order of ties, truncated products, digits that nobody has.
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "judging.h"
#include "profiler/other_draws.h"

namespace kadvise {
namespace {

using at::Tensor;
using torch::jit::Module;

// Sorting scores that differ by less than a rounding: the original's own order is chance. Far from a tie it
// is not.
TEST(Equivalence, TheOrderOfTiesSaysNothing) {
  auto sorting = [](const std::string& scores) {
    return "def forward(self, x):\n  s = " + scores + "\n  return torch.argsort(s, 0), x.sin()\n";
  };
  std::string ties = "(x * 0.0 + 1.0) * (1.0 + x * 1e-7)";
  Equivalence e = judge(sorting(ties), sorting("(1.0 + x * 1e-7)"), batchOf({"float32[4000]"}));
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  refuse(sorting("x"), sorting("-x"), batchOf({"float32[4000]"}), "differs in");
}

// Truncating products is chance in few elements, by one: what is more than that is none, nor is what else is
// returned.
TEST(Equivalence, OnlyTheWholeNumbersThatRoundingDecidesAreExcused) {
  auto returning = [](const std::string& hash, const std::string& other) {
    return "def forward(self, x):\n  return (" + hash + ").long(), " + other + "\n";
  };
  std::string hash = "x * 777.7 * 1234.5", reordered = "x * (777.7 * 1234.5)";
  Values batch = {at::rand({40000}, at::make_generator<at::CPUGeneratorImpl>(3)) + 0.5};
  Equivalence e = judge(returning(hash, "x * 2"), returning(reordered, "x * 2"), batch);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_EQ(e.accuracy.grade, "within-bound") << e.reason;
  EXPECT_NE(e.reason.find("whole numbers of output 0 that rounding decides: differ in "), std::string::npos)
      << e.reason;
  refuse(returning(hash, "x * 2"), returning(reordered, "x * 5"), batch, "output 1");
  refuse(returning(hash, "x.size(0)"), returning(reordered, "x.size(0) + 1"), batch, "output 1");
  refuse(returning(hash, "x * 2"), returning(hash + " + 7", "x * 2"), batch, "output 0 (int64) differs in");
}

// A library that adds up in a tree is almost exact; a kernel with eight accumulators is as good as others.
// One that leaves out a term of the thousands is not.
TEST(Equivalence, LongSumsMayBeAddedUpInOrder) {
  std::string original = "def forward(self, x):\n  return x.sum(-1)\n";
  auto inOrder = [](const std::string& terms) {
    return "def forward(self, x):\n"
           "  parts = torch.zeros_like(x[:, :8])\n"
           "  for i in range(0, " +
           terms +
           ", 8):\n"
           "    parts = parts + x[:, i:i + 8]\n"
           "  return parts.sum(-1)\n";
  };
  Values batch = batchOf({"float32[512,4096]"});
  Equivalence e = judge(original, inOrder("x.size(1)"), batch);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  refuse(original, inOrder("x.size(1) - 8"), batch, "output 0");
}

// A long sum beside it explains no factor, no constant and nothing that is larger than its roundings.
TEST(Equivalence, LongSumsExcuseRoundingOnly) {
  auto beside = [](const std::string& y) {
    return "def forward(self, x):\n  return " + y + ", x.sum(), torch.relu(x).mean()\n";
  };
  Values batch = batchOf({"float32[600,1000]"});
  refuse(beside("x * 1.0"), beside("x * 1.000004"), batch, "output 0");
  refuse(beside("x * 1.0"), beside("x + 0.000001"), batch, "output 0");
  refuse(beside("x * torch.rsqrt(x.var(-1, keepdim=True) + 1e-5)"),
         beside("x * torch.rsqrt(x.var(-1, keepdim=True))"), batch, "output 0");
}

// sin(1e9 x) has no digit that another way of writing the product would keep.
TEST(Equivalence, AnOutputThatNoCaseCanJudgeIsUndecided) {
  Equivalence e =
      judge("def forward(self, x):\n  return x * 2, torch.sin(x * 1e18)\n",
            "def forward(self, x):\n  return x * 2, torch.sin(x * 1e9 * 1e9)\n", {at::rand({64, 64}) + 1});
  EXPECT_EQ(e.outcome, Outcome::Failed) << e.reason;
  EXPECT_NE(e.reason.find("output 1 differs and is judged in no case"), std::string::npos) << e.reason;
}

// Positions of float32 that float64 truncates to others: the original is wrong itself next to it in nearly
// all cases, and one in which all is equal says nothing of a factor.
TEST(Equivalence, WhatFloat64DecidesOtherwiseIsAskedOfTheOriginal) {
  auto picking = [](const std::string& result, int dtype = 6) {
    return "def forward(self, x):\n  i = (torch.arange(0.0, 0.7 * x.size(1), 0.7, dtype=" +
           std::to_string(dtype) + ") * 10).long() % x.size(1)\n  return torch.index_select(x.sin(), 1, i) " +
           result + "\n";
  };
  auto judged = [&](const std::string& result) {
    const std::string before = picking("/ 3.0");
    Subjects subjects{moduleFrom(before), moduleFrom(picking(result)),
                      [&] { return moduleFrom(picking("/ 3.0", 7)); }};
    Pulse silent;
    return judgeEquivalence(subjects, batchOf({"float32[8,100]"}), cpuDevice(), {}, silent);
  };
  const Equivalence e = judged("* (1.0 / 3.0)");
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(judged("/ 2.5").outcome, Outcome::Same);
}

// In float64 the original would draw other numbers, and be called wrong itself whatever the candidate does.
TEST(Equivalence, RandomNumbersAreComparedUnderOneSeed) {
  auto drawing = [](const std::string& result) { return "def forward(self, x):\n  return " + result + "\n"; };
  Values batch = batchOf({"float32[8,32]"});
  refuse(drawing("x + torch.rand_like(x)"), drawing("x + 0.5"), batch, "output 0");
  refuse(drawing("x + torch.rand_like(x)"), drawing("x + 1.0 - torch.rand_like(x)"), batch, "output 0");
  refuse(drawing("torch.dropout(x, 0.5, True)"), drawing("torch.dropout(x * 1.1, 0.5, True)"), batch,
         "output 0");
  Equivalence e =
      judge(drawing("x.sin() + torch.rand_like(x)"), drawing("torch.rand_like(x) + x.sin()"), batch);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("under the same seed"), std::string::npos) << e.reason;
}

// The small budget ends before the third case, and the difference is in the last one.
TEST(Equivalence, TheQuestionsOfTheBatchAreAskedToTheLastOne) {
  EquivalencePlan plan;
  plan.budgetSeconds = 0;
  auto judged = [&] {
    return judge("def forward(self, x):\n  return x.sin()\n",
                 "def forward(self, x):\n  return x.sin() if bool((x != 0).any(-1).all()) else x.sin() * 2\n",
                 batchOf({"float32[8,32]"}), plan);
  };
  Equivalence e = judged();
  EXPECT_EQ(e.outcome, Outcome::WrongOutput) << e.reason;
  EXPECT_EQ(e.accuracy.worstCase, "sparse");
  plan.mostSeconds = 0;  // where another comparison asks them
  e = judged();
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_EQ(e.cases, 1);
  EXPECT_GT(e.casesLeftOut, 3);
}

// Signs hold still when the inputs move: what decides the order of near ties is the rounding of products with
// weights.
TEST(Equivalence, TheOrderThatRoundedWeightsDecideSaysNothing) {
  at::manual_seed(7);
  Tensor weight = at::randn({512, 8192});
  auto sorting = [&](const std::string& scores) {
    Module out(c10::QualifiedName("__torch__.Sorting" + std::to_string(scores.size())));
    out.register_parameter("w", weight.clone(), false);
    out.define("def forward(self, x):\n  s = " + scores + "\n  return torch.argsort(s, 0), x.sin()\n");
    return out;
  };
  std::string scores = "torch.matmul(x.sign(), self.w)";
  std::string halves =
      "torch.matmul(x.sign()[:200], self.w[:200]) + torch.matmul(x.sign()[200:], self.w[200:])";
  auto verdict = [&](const std::string& other) {
    Subjects subjects{sorting(scores), sorting(other), nullptr};
    EquivalencePlan plan;
    plan.candidate = "C1";
    Pulse silent;
    return judgeEquivalence(subjects, batchOf({"float32[512]"}), cpuDevice(), plan, silent);
  };
  Equivalence equal = verdict(halves);
  EXPECT_EQ(equal.outcome, Outcome::Same) << equal.reason;
  EXPECT_EQ(verdict(halves + " * 1.001 + self.w[0]").outcome, Outcome::WrongOutput);
}

// Products on a GPU round both operands to TF32. With the scale of a norm folded into them the weights round
// otherwise: in channels whose result is next to nothing that decides, and the original may have been lucky.
constexpr double kTf32 = 8193, kTwoBitsLess = 32769;  // Dekker's splitting: 1 + 2^13 leaves 11 bits

enum class Names { Plain, WithUnused, Tied };

Module withScaledWeights(const std::string& name, Names names) {
  Module out(c10::QualifiedName("__torch__." + name));
  at::manual_seed(5);
  Tensor weight = at::randn({64, 200});
  out.register_parameter("w", weight, false);
  out.register_parameter("s", at::rand({64, 1}) + 0.5, false);
  if (names == Names::WithUnused) out.register_parameter("unused", at::rand({3}), false);
  if (names == Names::Tied) out.register_parameter("v", weight, false);
  return out;
}

Module product(const std::string& weight, const std::string& after, double split, Names names) {
  Module out =
      withScaledWeights("Rounding" + std::to_string(weight.size()) + "_" + std::to_string(int(split)), names);
  out.define("def rounded(self, x):\n  c = x * " + std::to_string(split) + "\n  return c - (c - x)\n");
  out.define("def forward(self, x):\n  return torch.matmul(self.rounded(" + weight + "), self.rounded(x))" +
             after + "\n");
  return out;
}

// As freezing leaves it: without the names that forward does not read, and with one of two that are tied.
Module exactProduct(Names names) {
  Module own = withScaledWeights("Own", names), out(c10::QualifiedName("__torch__.Exact"));
  auto give = [&](const char* name) {
    out.register_parameter(name, own.attr(name).toTensor().to(at::kDouble), false);
  };
  give("w"), give("s");
  out.define("def forward(self, x):\n  return torch.matmul(self.w, x) * self.s\n");
  return out;
}

Equivalence foldedScale(int seed, double split, Names names) {
  // Read as v where the reference knows the tensor as w.
  std::string weight = names == Names::Plain || names == Names::WithUnused ? "self.w" : "self.v";
  Values batch = {at::randn({200, 8}, at::make_generator<at::CPUGeneratorImpl>(seed)) + 20};
  Subjects subjects{product(weight, " * self.s", kTf32, names),
                    product(weight + " * self.s", "", split, names), [=] { return exactProduct(names); }};
  EquivalencePlan plan;
  plan.candidate = "C1";
  Pulse silent;
  return judgeEquivalence(subjects, batch, cpuDevice(), plan, silent);
}

// Two bits less are no luck.
void expectLuckIsSeen(Names names) {
  for (int seed = 1; seed <= 20; ++seed) {
    Equivalence e = foldedScale(seed, kTf32, names);
    EXPECT_EQ(e.outcome, Outcome::Same) << "seed " << seed << ": " << e.reason;
  }
  EXPECT_EQ(foldedScale(1, kTwoBitsLess, names).outcome, Outcome::WrongOutput);
}

TEST(Equivalence, WeightsThatProductsRoundAreDrawnAgain) { expectLuckIsSeen(Names::Plain); }
TEST(Equivalence, WeightsAreDrawnAgainBesideOnesThatNobodyReads) { expectLuckIsSeen(Names::WithUnused); }
TEST(Equivalence, TiedWeightsAreDrawnAgainAlike) { expectLuckIsSeen(Names::Tied); }

// Of two names the reference has one, and the other's tensor as a constant, which nothing moves: the original
// must not compute with another one.
TEST(Equivalence, WeightsThatTheReferenceHoldsAsConstantsStay) {
  at::manual_seed(5);
  Tensor weight = at::rand({64}) + 1;
  Module original(c10::QualifiedName("__torch__.Both"));
  for (const char* name : {"w", "v"}) original.register_parameter(name, weight, false);
  original.define("def forward(self, x):\n  return x * self.w + self.v\n");
  Float64Reference reference(
      [&] {
        Module exact(c10::QualifiedName("__torch__.Frozen"));
        exact.register_parameter("w", weight.to(at::kDouble), false);
        exact.define("def forward(self, x):\n  return x * self.w + x\n");
        auto graph = exact.get_method("forward").graph();
        auto* sum = graph->outputs()[0]->node();
        torch::jit::WithInsertPoint here(sum);
        sum->replaceInput(1, graph->insertConstant(weight.to(at::kDouble)));
        return exact;
      },
      cpuDevice(), 1);
  Tensor x = at::rand({64}) + 1;
  auto draw = drawAgain(original, reference, cpuDevice(), 1, {"inputs", {x}}, 1);
  ASSERT_TRUE(draw.has_value());
  Tensor output = draw->output[0].value.toTensor();
  EXPECT_TRUE(output.to(at::kDouble).allclose(draw->truth[0].value.toTensor(), 1e-6));
  EXPECT_GT((output - x * weight - weight).abs().max().item<double>(), 1e-4);
}

// One number is one draw: the original may be exact by chance, and another order of adding is no worse for a
// rounding or two. A tenth of a per mille is no rounding.
TEST(Equivalence, AnOriginalThatIsExactByChanceIsNoMeasure) {
  auto meaning = [](const std::string& mean) { return "def forward(self, x):\n  return " + mean + "\n"; };
  for (int seed = 1; seed <= 30; ++seed) {
    Values batch = {at::randn({64, 300}, at::make_generator<at::CPUGeneratorImpl>(seed))};
    Equivalence e = judge(meaning("x.mean()"), meaning("x.mean(1).mean()"), batch);
    EXPECT_EQ(e.outcome, Outcome::Same) << "seed " << seed << ": " << e.reason;
    refuse(meaning("x.mean()"), meaning("x.mean(1).mean() * 1.0001"), batch, "output 0");
  }
}

}  // namespace
}  // namespace kadvise
