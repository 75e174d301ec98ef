// Calls with other arguments that are no tensors: a candidate that has the batch's own written into it is
// wrong, and what may be an index is left alone where an index out of range ends the process.
#include <gtest/gtest.h>

#include "judging.h"
#include "profiler/case_arguments.h"
#include "profiler/case_choice.h"

namespace kadvise {
namespace {

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

const std::string kLookup =
    "def forward(self, x, n: int):\n  return torch.embedding(x, torch.full([4], n))\n";

// No GPU is needed to choose the cases of one.
std::vector<std::string> asked(const std::string& source, Breadth breadth, const Device& device,
                               bool& isKept) {
  CaseChoice choice =
      casesToAsk(moduleFrom(source), batchOf({"float32[8,8]", "6"}), breadth, breadth, device);
  isKept = choice.areWholeNumbersKept;
  std::erase_if(choice.names, [](auto& name) { return !changesArgument(name); });
  return choice.names;
}

TEST(WholeNumbers, ThatMayBeIndicesAreKeptOnAGpu) {
  Device gpu;
  gpu.torch = c10::Device(c10::kCUDA, 0);
  const std::vector<std::string> both = {"input 1 as 7", "input 1 as 5"}, none;
  const std::string scale = "def forward(self, x, n: int):\n  return x * n\n";
  bool isKept = false;
  EXPECT_EQ(asked(kLookup, Breadth::Wide, cpuDevice(), isKept), both);
  EXPECT_FALSE(isKept);
  EXPECT_EQ(asked(kLookup, Breadth::Wide, gpu, isKept), none);
  EXPECT_TRUE(isKept);
  EXPECT_EQ(asked(scale, Breadth::Wide, gpu, isKept), both);  // nothing is looked up
  EXPECT_FALSE(isKept);
  EXPECT_EQ(asked(scale, Breadth::AsGiven, gpu, isKept), none);
}

// Row 7 is the last: one more is out of range, which ends every later call on a GPU.
Equivalence lookedUpOn(const Device& device) {
  const std::string source =
      "def forward(self, x, n: int):\n  i = torch.full([4], n, device=x.device)\n  "
      "return torch.embedding(x, i) + x[:4]\n";
  Subjects subjects{moduleFrom(source), moduleFrom(source), nullptr};
  EquivalencePlan plan;
  plan.breadth = Breadth::Wide;
  Pulse silent;
  return judgeEquivalence(subjects, inputsFromSpecs({"float32[8,8]", "7"}, "float32", device, 3), device,
                          plan, silent);
}

TEST(WholeNumbers, OutOfRangeAreAnExceptionOnTheCpu) {
  Equivalence e = lookedUpOn(cpuDevice());
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("refused by the original itself"), std::string::npos) << e.reason;
  EXPECT_NE(e.reason.find("input 1 as 8"), std::string::npos) << e.reason;
}

TEST(WholeNumbersOnCuda, OutOfRangeAreNeverAsked) {
  if (!isGpuThere()) GTEST_SKIP() << "no NVIDIA GPU on this machine";
  Device device = chooseDevice("cuda");
  Equivalence e = lookedUpOn(device);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("whole numbers among the inputs are as given"), std::string::npos) << e.reason;
  EXPECT_FALSE(isLost(device));
}

}  // namespace
}  // namespace kadvise
