// Operators of extensions whose callers stand in other files.
#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

const char* const kOperator = R"(#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2.f; }
at::Tensor run(at::Tensor x) {
  scale<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>());
  return x;
}
)";

CallElsewhere call(bool isBinding, bool isGuarded, std::vector<std::string> facts) {
  CallElsewhere out;
  out.file = "ops.cpp";
  out.caller.isEntry = out.isReached = !isBinding;
  out.call.callee = {"run", 1, ""};
  out.call.isBinding = isBinding;
  out.call.arguments = {std::move(facts)};
  out.isGuarded = isGuarded;
  return out;
}

std::size_t found(const char* rule, std::vector<CallElsewhere> calls) {
  LintInput input{"test.cu", kOperator, std::nullopt, {}, {}};
  input.surroundings.calls = std::move(calls);
  return lintFile(rulesNamed({rule}), stubSettings(), input).findings.size();
}

TEST(DeviceGuard, CountsInTheCallerOfAnotherFile) {
  const char* rule = "libtorch/missing-device-guard";
  EXPECT_EQ(found(rule, {}), 0u);
  EXPECT_EQ(found(rule, {call(true, false, {})}), 1u);
  EXPECT_EQ(found(rule, {call(false, false, {"tensor"})}), 1u);
  EXPECT_EQ(found(rule, {call(false, true, {"tensor"})}), 0u);
  EXPECT_EQ(found(rule, {call(false, false, {"tensor"}), call(false, true, {"tensor"})}), 0u);
}

// op() is bound in this file or, where isReached, somewhere else; what launches stands in scale.cu.
std::vector<Finding> foundOfWrapper(const std::string& before, bool isReached) {
  const std::string text =
      "#include <torch/extension.h>\nvoid launchScale(float* x, int n);\nat::Tensor op(at::Tensor x) {\n" +
      before + "  launchScale(x.data_ptr<float>(), x.numel());\n  return x;\n}\n";
  LintInput input{"op.cpp", text, std::nullopt, {}, {}};
  input.surroundings.launchers = {{{"launchScale", 2, ""}, {"ops::scale", 2, ""}, "scale.cu", 7}};
  CallElsewhere from = call(false, false, {"tensor"});
  from.call.callee = {"op", 1, ""};
  from.caller.isEntry = false, from.isReached = isReached;
  input.surroundings.calls = {from};
  return lintFile(rulesNamed({"libtorch/missing-device-guard"}), stubSettings(), input).findings;
}

TEST(DeviceGuard, IsMissedAroundLaunchesOfAnotherFile) {
  auto found = foundOfWrapper("", true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("op launches scale on"), std::string::npos) << found[0].message;
  ASSERT_EQ(found[0].related.size(), 1u);
  EXPECT_EQ(found[0].related[0].file, "scale.cu");
  EXPECT_EQ(found[0].related[0].line, 7);
  EXPECT_TRUE(foundOfWrapper("  at::DeviceGuard guard(x.device());\n", true).empty());
  EXPECT_TRUE(foundOfWrapper("", false).empty());
}

TEST(UncheckedPointer, IsCheckedByTheCallerOfAnotherFile) {
  const char* rule = "libtorch/unchecked-data-pointer";
  EXPECT_EQ(found(rule, {}), 0u);
  EXPECT_EQ(found(rule, {call(true, false, {})}), 1u);
  EXPECT_EQ(found(rule, {call(false, false, {"tensor"})}), 1u);
  EXPECT_EQ(found(rule, {call(false, false, {"contiguous", "tensor"})}), 0u);
  EXPECT_EQ(found(rule, {call(false, false, {})}), 0u);
}

}  // namespace
}  // namespace kadvise::source
