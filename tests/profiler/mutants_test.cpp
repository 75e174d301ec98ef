// The verifier is tested by wrong candidates, each of which it must refuse for the right reason on every
// device where it is wrong, and by right ones in another form, which it must accept.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "profiler/equivalence.h"
#include "tests/profiler/modules.h"
#include "tests/profiler/mutants/mutant.h"
#include "tests/profiler/mutants/operators.h"

namespace kadvise {
namespace {

using mutants::Mutant;
using mutants::Variant;
using mutants::Where;
using torch::jit::Module;

Module moduleOf(const std::string& text, const Device& device, void (*prepare)(Module&) = nullptr) {
  static int count = 0;
  Module m(c10::QualifiedName("__torch__.Mutant" + std::to_string(count++)));
  if (prepare) prepare(m);
  m.define(text, std::make_shared<OperatorNames>("mutants"));
  m.eval();
  m.to(device.torch);
  return m;
}

// One entry of the tables on one device.
template <class Entry>
struct OnDevice {
  Entry entry;
  std::string device;
};

template <class Entry>
std::string nameOf(const OnDevice<Entry>& one) {
  std::string out = std::string(one.entry.name) + "_on_" + one.device;
  std::replace_if(out.begin(), out.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return out;
}
void PrintTo(const OnDevice<Mutant>& one, std::ostream* out) { *out << one.entry.name; }
void PrintTo(const OnDevice<Variant>& one, std::ostream* out) { *out << one.entry.name; }

template <class Entry>
Equivalence judge(const OnDevice<Entry>& one, EquivalencePlan plan, void (*prepare)(Module&) = nullptr) {
  // The cases' shapes are many, and what is tested is not LibTorch's fuser, which would compile for each.
  torch::jit::setTensorExprFuserEnabled(false);
  Device device = chooseDevice(one.device);
  mutants::registerOperators();
  Values batch = inputsFromSpecs(one.entry.inputs, one.entry.dtype, device, 3);
  Subjects subjects{moduleOf(one.entry.original, device), moduleOf(one.entry.candidate, device, prepare),
                    [&] { return moduleOf(one.entry.original, device); }};
  plan.candidate = one.entry.name;
  plan.breadth = Breadth::Wide;
  Pulse silent;
  Equivalence verdict = judgeEquivalence(subjects, batch, device, plan, silent);
  mutants::undo();
  return verdict;
}

template <class Test>
class EachDevice : public testing::TestWithParam<Test> {
 protected:
  void SetUp() override {
    at::set_num_threads(1);  // the tensors are small, and threads that wait for each other are not
    if (this->GetParam().device == "cuda" && !isGpuThere()) GTEST_SKIP() << "no NVIDIA GPU on this machine";
  }
};

class Wrong : public EachDevice<OnDevice<Mutant>> {};
class Right : public EachDevice<OnDevice<Variant>> {};
class Declared : public EachDevice<OnDevice<Variant>> {};

TEST_P(Wrong, IsRefused) {
  const Mutant& m = GetParam().entry;
  Equivalence e = judge(GetParam(), {}, m.prepare);
  EXPECT_TRUE(e.outcome == Outcome::WrongOutput || e.outcome == Outcome::Failed) << e.reason;
  EXPECT_NE(e.reason.find(m.reason), std::string::npos) << e.reason;
}

TEST_P(Right, IsAccepted) {
  EquivalencePlan plan;
  plan.domain = GetParam().entry.domain;
  Equivalence e = judge(GetParam(), plan);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.accuracy.grade, "different");
  RecordProperty("grade", e.accuracy.grade);
}

TEST_P(Declared, IsRefusedWithoutItsDeclaration) {
  EXPECT_EQ(judge(GetParam(), {}).outcome, Outcome::WrongOutput);
}

std::vector<OnDevice<Mutant>> wrongOnes() {
  std::vector<OnDevice<Mutant>> out;
  for (auto table : {mutants::wrongFormulas, mutants::wrongAtTheEdges, mutants::wrongElsewhere,
                     mutants::wrongContracts, mutants::wrongMemory})
    for (const Mutant& m : table()) {
      if (m.where != Where::Cuda) out.push_back({m, "cpu"});
      if (m.where != Where::Cpu) out.push_back({m, "cuda"});
    }
  return out;
}

std::vector<OnDevice<Variant>> rightOnes() {
  std::vector<OnDevice<Variant>> out;
  for (const Variant& v : mutants::rightOnes()) {
    if (v.where != Where::Cuda) out.push_back({v, "cpu"});
    if (v.where != Where::Cpu) out.push_back({v, "cuda"});
  }
  return out;
}

std::vector<OnDevice<Variant>> declaredOnes() {
  auto out = rightOnes();
  std::erase_if(out, [](const auto& one) { return !*one.entry.domain; });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Mutants, Declared, testing::ValuesIn(declaredOnes()),
                         [](const auto& info) { return nameOf(info.param); });
INSTANTIATE_TEST_SUITE_P(Mutants, Wrong, testing::ValuesIn(wrongOnes()),
                         [](const auto& info) { return nameOf(info.param); });
INSTANTIATE_TEST_SUITE_P(Mutants, Right, testing::ValuesIn(rightOnes()),
                         [](const auto& info) { return nameOf(info.param); });

}  // namespace
}  // namespace kadvise
