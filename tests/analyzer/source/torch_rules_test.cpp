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
  out.caller.isEntry = !isBinding;
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
