// What is read of the runners that a module owns: with the kernel library's own class, on a CPU.
#include "profiler/runner_state.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "analyzer/core/operator_library.h"

namespace kadvise {
namespace {

using torch::jit::Module;

c10::IValue newRunner() {
  loadOperatorLibrary(KADVISE_BIN_DIR "/../lib/libkadvise_kernels.so");
  Module inner("Inner");
  inner.define(
      "def captured(self, inputs: List[Tensor]) -> List[Tensor]:\n  return [inputs[0] * 2]\n"
      "def plain(self, inputs: List[Tensor]) -> List[Tensor]:\n  return [inputs[0] * 2]\n");
  std::ostringstream file;
  inner.save(file);
  auto text = file.str();
  auto bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
  std::memcpy(bytes.data_ptr(), text.data(), text.size());
  auto type = torch::getCustomClass("__torch__.torch.classes.kadvise.GraphRunner");
  c10::IValue runner = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
  type->getMethod("__init__")({runner, bytes});
  return runner;
}

Module withRunners(int count) {
  Module m("Owner");
  std::string forward = "def forward(self, x: Tensor) -> Tensor:\n";
  for (int i = 0; i < count; ++i) {
    auto name = "kadvise_runner_" + std::to_string(i);
    auto runner = newRunner();
    m.register_attribute(name, runner.type(), runner);
    forward += "  x = self." + name + ".run([x])[0]\n";
  }
  m.define(forward + "  return x\n");
  return m;
}

TEST(RunnerState, CountsTheCallsOfAllRunnersAndSaysWhyTheyRanPlainly) {
  auto m = withRunners(2);
  EXPECT_TRUE(ownsRunner(m));
  for (int call = 0; call < 3; ++call)
    EXPECT_TRUE(torch::equal(m.forward({torch::ones({2})}).toTensor(), torch::full({2}, 4)));
  Measurement measured;
  EXPECT_NE(addRunnerState(measured, m).find("on the CPU"), std::string::npos);
  EXPECT_EQ(measured.counters.at("graphPlainCalls"), 6);
  EXPECT_EQ(measured.counters.at("graphReplays"), 0);
  EXPECT_EQ(measured.counters.at("graphPoolBytes"), 0);
  forgetCaptures(m);
  EXPECT_TRUE(torch::equal(m.forward({torch::ones({2})}).toTensor(), torch::full({2}, 4)));
}

TEST(RunnerState, SaysNothingOfAModuleWithout) {
  Module m("Plain");
  m.register_attribute("training", c10::BoolType::get(), false);
  Measurement measured;
  EXPECT_EQ(addRunnerState(measured, m), "");
  EXPECT_TRUE(measured.counters.empty());
  EXPECT_FALSE(ownsRunner(m));
  forgetCaptures(m);
}

}  // namespace
}  // namespace kadvise
