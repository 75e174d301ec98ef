// The verifier is tested by wrong candidates: each of them must be refused, and for the right reason.
#include "profiler/equivalence.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "modules.h"

namespace kadvise {
namespace {

using at::Tensor;
using torch::jit::Module;

Values batchOf(const std::vector<std::string>& specs) {
  return inputsFromSpecs(specs, "float32", cpuDevice(), 3);
}

Equivalence judge(const std::string& before, const std::string& after, const Values& batch,
                  EquivalencePlan plan = {}) {
  Subjects subjects{moduleFrom(before), moduleFrom(after), [=] { return moduleFrom(before); }};
  plan.candidate = "C1";
  Pulse silent;
  return judgeEquivalence(subjects, batch, cpuDevice(), plan, silent);
}

void accept(const std::string& before, const std::string& after, const Values& batch,
            const std::string& grade = "") {
  Equivalence e = judge(before, after, batch);
  EXPECT_EQ(e.outcome, Outcome::Same) << after << e.reason;
  EXPECT_NE(e.accuracy.grade, "different");
  if (!grade.empty()) {
    EXPECT_EQ(e.accuracy.grade, grade);
  }
}

void refuse(const std::string& before, const std::string& after, const Values& batch, const std::string& why,
            Outcome outcome = Outcome::WrongOutput) {
  Equivalence e = judge(before, after, batch);
  EXPECT_EQ(e.outcome, outcome) << after << e.reason;
  EXPECT_NE(e.reason.find(why), std::string::npos) << e.reason;
}

const std::string kNorm = R"(
def forward(self, x, w):
  v = x - x.mean(-1, keepdim=True)
  return v * torch.rsqrt((v * v).mean(-1, keepdim=True) + 1e-5) * w
)";
Values normBatch() { return batchOf({"float32[16,64]", "float32[64]"}); }

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

TEST(Right, TheNativeOperator) {
  accept(kNorm, "def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 1e-5)\n", normBatch());
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

TEST(Wrong, TwiceTheValue) {
  refuse(kNorm, "def forward(self, x, w):\n  return 2 * torch.layer_norm(x, [64], w, None, 1e-5)\n",
         normBatch(), "scaled by 2");
}

TEST(Wrong, NoEpsilon) {
  refuse(kNorm, "def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 1e-12)\n", normBatch(),
         "output 0");
}

TEST(Wrong, TheOtherDimension) {
  refuse("def forward(self, x):\n  return torch.softmax(x, -1)\n",
         "def forward(self, x):\n  return torch.softmax(x, 0)\n", batchOf({"float32[16,16]"}), "output 0");
}

TEST(Wrong, TanhForErf) {
  refuse("def forward(self, x):\n  return torch.gelu(x)\n",
         "def forward(self, x):\n  return torch.gelu(x, approximate='tanh')\n", batchOf({"float32[16,64]"}),
         "output 0");
}

TEST(Wrong, IdentityForRelu) {
  // On uniform inputs nothing would show.
  refuse("def forward(self, x):\n  return torch.relu(x - 0.0)\n", "def forward(self, x):\n  return x - 0.0\n",
         batchOf({"float32[16,64]"}), "output 0");
}

TEST(Wrong, AVarianceThatCancels) {
  refuse(kNorm,
         "def forward(self, x, w):\n  m = x.mean(-1, keepdim=True)\n  var = (x * x).mean(-1, keepdim=True) - "
         "m * m\n"
         "  return (x - m) * torch.rsqrt(torch.clamp(var, min=0.) + 1e-5) * w\n",
         normBatch(), "case offset");
}

TEST(Wrong, TheLastElements) {
  refuse("def forward(self, x):\n  return x * 3\n",
         "def forward(self, x):\n  y = x * 3\n  y[-1, -1] = 0\n  return y\n", batchOf({"float32[100,1000]"}),
         "output 0");
}

TEST(Wrong, AWrittenInput) {
  refuse("def forward(self, x):\n  return x + 1\n",
         "def forward(self, x):\n  x.add_(1)\n  return x.clone()\n", batchOf({"float32[8,8]"}), "input 0");
}

TEST(Wrong, AnInputHandedBack) {
  refuse("def forward(self, x):\n  return x.clone()\n", "def forward(self, x):\n  return x\n",
         batchOf({"float32[8,8]"}), "memory of input 0");
}

TEST(Wrong, OutputsThatShareMemory) {
  refuse("def forward(self, x):\n  return x + 1, x + 1\n",
         "def forward(self, x):\n  y = x + 1\n  return y, y\n", batchOf({"float32[8,8]"}), "same memory");
}

TEST(Wrong, OutputsThatNoLongerShareMemory) {
  refuse("def forward(self, x):\n  y = x + 1\n  return y, y.t()\n",
         "def forward(self, x):\n  return x + 1, (x + 1).t()\n", batchOf({"float32[8,8]"}),
         "are not the same memory");
}

TEST(Wrong, AnotherDtype) {
  refuse("def forward(self, x):\n  return x * 2\n", "def forward(self, x):\n  return (x * 2).double()\n",
         batchOf({"float32[8,8]"}), "dtype float64");
}

TEST(Wrong, AnotherShape) {
  refuse("def forward(self, x):\n  return x.sum(-1, keepdim=True)\n",
         "def forward(self, x):\n  return x.sum(-1)\n", batchOf({"float32[8,8]"}), "shape [8]");
}

TEST(Wrong, AnotherStructure) {
  refuse("def forward(self, x):\n  return x * 2, x * 3\n", "def forward(self, x):\n  return [x * 2, x * 3]\n",
         batchOf({"float32[8,8]"}), "returns");
}

TEST(Wrong, HalfPrecisionInside) {
  refuse("def forward(self, a, b):\n  return torch.matmul(a, b)\n",
         "def forward(self, a, b):\n  return torch.matmul(a.to(15), b.to(15)).to(6)\n",
         batchOf({"float32[32,64]", "float32[64,32]"}), "output 0");
}

TEST(Wrong, NaNWhereThereWasNone) {
  // 0 * inf: only the sparse case divides by zero.
  refuse("def forward(self, x):\n  return x.sign()* x.abs().sqrt()\n",
         "def forward(self, x):\n  return x / x.abs().sqrt()\n", batchOf({"float32[64,64]"}), "NaN differs");
}

TEST(Wrong, ANumberWhereTheOriginalIsNaNAndTheTruthIsNot) {
  refuse("def forward(self, x):\n  e = torch.exp(x * 100)\n  return e / e * x\n",
         "def forward(self, x):\n  e = torch.exp(x * 100)\n  return torch.nan_to_num(e / e * x, 0.0)\n",
         batchOf({"float32[64,64]"}), "not right either");
}

TEST(Wrong, ARankThatTies) {
  refuse("def forward(self, x):\n  return torch.argmax(x, -1)\n",
         "def forward(self, x):\n  return torch.argmin(x, -1)\n", batchOf({"float32[8,32]"}), "int64");
}

TEST(Wrong, AnExceptionIsAFailure) {
  refuse("def forward(self, x):\n  return x + 1\n", "def forward(self, x):\n  return x.view(7, 9)\n",
         batchOf({"float32[8,8]"}), "the candidate fails", Outcome::Failed);
  refuse("def forward(self, x):\n  return x.view(7, 9)\n", "def forward(self, x):\n  return x + 1\n",
         batchOf({"float32[8,8]"}), "the original fails", Outcome::Failed);
}

TEST(Wrong, AnOutputThatLivesInABuffer) {
  Module after = moduleFrom("def forward(self, x):\n  return x\n");
  Module cached("__torch__.Cached");
  Tensor x = at::randn({8, 8});
  cached.register_buffer("last", x * 2);
  cached.define("def forward(self, x):\n  return self.last\n");
  Subjects subjects{moduleFrom("def forward(self, x):\n  return x * 2\n"), cached, nullptr};
  Pulse silent;
  EquivalencePlan plan;
  Equivalence e = judgeEquivalence(subjects, {x}, cpuDevice(), plan, silent);
  EXPECT_EQ(e.outcome, Outcome::WrongOutput) << e.reason;
}

TEST(State, AModuleThatWritesItsBuffersIsNotDecided) {
  Module counts("__torch__.Counts");
  counts.register_buffer("n", at::zeros({1}));
  counts.define("def forward(self, x):\n  self.n.add_(1)\n  return x + self.n\n");
  Subjects subjects{counts, counts, nullptr};
  Pulse silent;
  EquivalencePlan plan;
  Equivalence e = judgeEquivalence(subjects, batchOf({"float32[8,8]"}), cpuDevice(), plan, silent);
  EXPECT_EQ(e.outcome, Outcome::NotRun);
  EXPECT_NE(e.reason.find("its own n"), std::string::npos) << e.reason;
}

TEST(Reference, ThatDoesNotRunIsSaid) {
  Subjects subjects{
      moduleFrom(kNorm),
      moduleFrom("def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 1e-5)\n"),
      [] { return moduleFrom("def forward(self, x, w):\n  return x.view(7)\n"); }};
  Pulse silent;
  EquivalencePlan plan;
  // Against the original alone a cancelling case says little, so the plain ones are enough here.
  Equivalence e = judgeEquivalence(subjects, normBatch(), cpuDevice(), plan, silent);
  EXPECT_NE(e.reason.find("reference") == std::string::npos ? e.reason.find("output 0") : 0,
            std::string::npos)
      << e.reason;
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

TEST(Degenerate, ConstantOutputsProveNothing) {
  Equivalence e = judge("def forward(self, x):\n  return torch.ones_like(x) / 3 + 1e-9 * x\n",
                        "def forward(self, x):\n  return 1 / (3 * torch.ones_like(x)) - 1e-9 * x\n",
                        {at::rand({8, 8}).sub_(0.5)});
  EXPECT_NE(e.outcome, Outcome::Same) << e.reason;
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

// Each candidate has the batch's own argument written into it.
TEST(Arguments, OfOtherValuesAreAsked) {
  struct {
    std::string parameter, before, after, argument, why;
  } const kCandidates[] = {
      {"n: int", "x * n", "x * 3", "3", "case input 1 as 4"},
      {"f: float", "x * f", "x * 0.5", "0.5", "case input 1 as 1.0"},
      {"flag: bool", "x * 2 if flag else x * 3", "x * 2", "true", "case input 1 as false"},
      {"dims: List[int]", "x.sum(dims)", "x.sum([0])", "[0]", "case input 1 as [1]"},
      {"dims: List[int]", "x.sum(dims)", "x.sum([0, 1])", "[0, 1]", "case input 1 as [0]"},
      {"dim: int", "x.cumsum(dim)", "x.cumsum(1)", "1", "case input 1 as -2"}};
  for (const auto& c : kCandidates) {
    auto forward = [&](const std::string& body) {
      return "def forward(self, x, " + c.parameter + "):\n  return " + body + "\n";
    };
    EquivalencePlan plan;
    plan.breadth = Breadth::Wide;
    Values batch = batchOf({"float32[8,8]", c.argument});
    Equivalence e = judge(forward(c.before), forward(c.after), batch, plan);
    EXPECT_EQ(e.outcome, Outcome::WrongOutput) << c.after << e.reason;
    EXPECT_NE(e.reason.find(c.why), std::string::npos) << c.after << ": " << e.reason;
    EXPECT_EQ(judge(forward(c.before), forward(c.before), batch, plan).accuracy.grade, "bitwise") << c.before;
    EXPECT_EQ(judge(forward(c.before), forward(c.after), batch).outcome, Outcome::Same) << c.after;
  }
}

TEST(Arguments, ThatAModuleSaysItIsNotWrittenForSayNothing) {
  std::string before = "def forward(self, x, flag: bool):\n  return x * 2 if flag else x * 3\n";
  auto checked = [](const std::string& message) {
    return "def forward(self, x, flag: bool):\n  assert flag, \"" + message + "\"\n  return x * 2\n";
  };
  EquivalencePlan plan;
  plan.breadth = Breadth::Wide;
  Values batch = batchOf({"float32[8,8]", "true"});
  Equivalence e = judge(before, checked("kadvise specialised this module to flag: True"), batch, plan);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("input 1 as false (the candidate was written for the value given"),
            std::string::npos)
      << e.reason;
  EXPECT_EQ(judge(before, checked("no"), batch, plan).outcome, Outcome::Failed);
}

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

// sin(1e9 x) has no digit that another way of writing the product would keep.
TEST(Equivalence, AnOutputThatNoCaseCanJudgeIsNamed) {
  Equivalence e =
      judge("def forward(self, x):\n  return x * 2, torch.sin(x * 1e18)\n",
            "def forward(self, x):\n  return x * 2, torch.sin(x * 1e9 * 1e9)\n", {at::rand({64, 64}) + 1});
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_EQ(e.accuracy.grade, "within-bound") << e.reason;
  EXPECT_NE(e.reason.find("output 1 differs and is judged in no case"), std::string::npos) << e.reason;
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

}  // namespace
}  // namespace kadvise
