// The verifier is tested by wrong candidates: each of them must be refused, and for the right reason.
#include <gtest/gtest.h>

#include "judging.h"

namespace kadvise {
namespace {

using at::Tensor;
using torch::jit::Module;

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

TEST(Wrong, ACopyWhereTheOriginalHandsTheInputOn) {
  refuse("def forward(self, x):\n  return x.contiguous()\n",
         "def forward(self, x):\n  return x.clone(memory_format=0)\n", batchOf({"float32[8,8]"}),
         "memory of its own");
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

TEST(Degenerate, ConstantOutputsProveNothing) {
  Equivalence e = judge("def forward(self, x):\n  return torch.ones_like(x) / 3 + 1e-9 * x\n",
                        "def forward(self, x):\n  return 1 / (3 * torch.ones_like(x)) - 1e-9 * x\n",
                        {at::rand({8, 8}).sub_(0.5)});
  EXPECT_NE(e.outcome, Outcome::Same) << e.reason;
}

}  // namespace
}  // namespace kadvise
