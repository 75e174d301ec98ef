// Two modules from their texts, judged on the CPU.
#pragma once

#include <gtest/gtest.h>

#include "profiler/equivalence.h"
#include "tests/profiler/modules.h"

namespace kadvise {

inline Values batchOf(const std::vector<std::string>& specs) {
  return inputsFromSpecs(specs, "float32", cpuDevice(), 3);
}

inline Equivalence judge(const std::string& before, const std::string& after, const Values& batch,
                         EquivalencePlan plan = {}) {
  Subjects subjects{moduleFrom(before), moduleFrom(after), [=] { return moduleFrom(before); }};
  plan.candidate = "C1";
  Pulse silent;
  return judgeEquivalence(subjects, batch, cpuDevice(), plan, silent);
}

inline void accept(const std::string& before, const std::string& after, const Values& batch,
                   const std::string& grade = "") {
  Equivalence e = judge(before, after, batch);
  EXPECT_EQ(e.outcome, Outcome::Same) << after << e.reason;
  EXPECT_NE(e.accuracy.grade, "different");
  if (!grade.empty()) {
    EXPECT_EQ(e.accuracy.grade, grade);
  }
}

inline void refuse(const std::string& before, const std::string& after, const Values& batch,
                   const std::string& why, Outcome outcome = Outcome::WrongOutput) {
  Equivalence e = judge(before, after, batch);
  EXPECT_EQ(e.outcome, outcome) << after << e.reason;
  EXPECT_NE(e.reason.find(why), std::string::npos) << e.reason;
}

inline constexpr const char* kNorm = R"(
def forward(self, x, w):
  v = x - x.mean(-1, keepdim=True)
  return v * torch.rsqrt((v * v).mean(-1, keepdim=True) + 1e-5) * w
)";
inline Values normBatch() { return batchOf({"float32[16,64]", "float32[64]"}); }

}  // namespace kadvise
