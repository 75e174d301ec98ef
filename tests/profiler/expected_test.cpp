// A module against an output that was saved, and what a reader of that verdict has to know.
#include "profiler/expected.h"

#include "judging.h"

namespace kadvise {
namespace {

Equivalence held(const std::string& source, const c10::IValue& file, const Values& batch) {
  torch::jit::Module module = moduleFrom(source);
  return judgeExpected(module, file, batch, [=] { return moduleFrom(source); }, cpuDevice(), 3);
}

c10::IValue tupleOf(std::vector<c10::IValue> values) { return c10::ivalue::Tuple::create(std::move(values)); }

TEST(Expected, AnEqualOutputIsEqualAndNothingIsAdded) {
  at::Tensor x = at::rand({8, 8}) + 1;
  Equivalence e = held("def forward(self, x):\n  return x * 2\n", x * 2, {x});
  EXPECT_EQ(e.outcome, Outcome::Same);
  EXPECT_EQ(e.accuracy.grade, "bitwise");
  EXPECT_EQ(e.reason, "");
}

TEST(Expected, WhereOneOutputIsNotJudgedNothingIsDecided) {
  at::Tensor x = at::rand({64, 64}) + 1;
  Equivalence e = held("def forward(self, x):\n  return x * 2, torch.sin(x * 1e18)\n",
                       tupleOf({x * 2, at::sin(x * 1e9 * 1e9)}), {x});
  EXPECT_EQ(e.outcome, Outcome::Failed) << e.reason;
  EXPECT_NE(e.reason.find("output 1 differs and is judged in no case"), std::string::npos) << e.reason;
}

TEST(Expected, WhereNoOutputCanBeJudgedNothingIsDecided) {
  at::Tensor x = at::rand({64, 64}) + 1;
  Equivalence e = held("def forward(self, x):\n  return torch.sin(x * 1e18)\n", at::sin(x * 1e9 * 1e9), {x});
  EXPECT_EQ(e.outcome, Outcome::Failed) << e.reason;
  EXPECT_NE(e.reason.find("no output could be judged"), std::string::npos) << e.reason;
}

TEST(Expected, WhatAFileCannotShowIsSaid) {
  at::Tensor x = at::rand({8, 8}) + 1;
  Equivalence e = held("def forward(self, x):\n  y = x + 1\n  return x, y, y.t()\n",
                       tupleOf({x.clone(), x + 1, (x + 1).t()}), {x});
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(
      e.reason.find("a file cannot show it: output 0 is the memory of input 0; output 1 and output 2 are the "
                    "same memory"),
      std::string::npos)
      << e.reason;
  e = held("def forward(self, x):\n  x.add_(1)\n  return x * 2\n", (x + 1) * 2, {x});
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("the module writes into input 0"), std::string::npos) << e.reason;
}

TEST(Expected, HowFarBeyondTheBoundsADifferenceIsIsSaid) {
  at::Tensor x = at::rand({64, 64}) + 1;
  Equivalence e = held("def forward(self, x):\n  return torch.tanh(x)\n", at::tanh(x) * 1.05, {x});
  EXPECT_EQ(e.outcome, Outcome::WrongOutput);
  EXPECT_NE(e.reason.find("scaled by 1.05"), std::string::npos) << e.reason;
}

}  // namespace
}  // namespace kadvise
