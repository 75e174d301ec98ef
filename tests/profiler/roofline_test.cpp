// What a GPU cannot have done faster is told from what it can; a doubt too many would be as wrong as one too
// few.
#include "profiler/roofline.h"
#include "profiler/forked.h"

#include <gtest/gtest.h>

#include "profiler/equivalence.h"
#include "profiler/nvml.h"
#include "tests/profiler/modules.h"

namespace kadvise {
namespace {

const Gpu& h200() { return *gpuNamed("H200"); }

LeastWork workOf(const std::string& result, const std::vector<c10::IValue>& inputs) {
  std::string arguments = inputs.size() > 1 ? "x, w" : "x";
  auto module = moduleFrom("def forward(self, " + arguments + "):\n  return " + result + "\n");
  return leastWorkOf([&] { return forward(module, inputs); }, inputs, h200());
}

TEST(Roofline, CountsTheProductsOfMatricesThatWereCalled) {
  std::vector<c10::IValue> half = {at::ones({256, 512}, at::kHalf), at::ones({512, 128}, at::kHalf)};
  double seconds = 2.0 * 256 * 512 * 128 / h200().fp16FlopPerSecond;
  EXPECT_NEAR(workOf("torch.mm(x, w)", half).tensorSeconds / seconds, 1, 1e-9);
  EXPECT_NEAR(workOf("torch.matmul(x, w) + torch.matmul(x, w * 2)", half).tensorSeconds / seconds, 2, 1e-9);
  std::vector<c10::IValue> layer = {at::ones({3, 7, 64}), at::ones({32, 64})};
  EXPECT_NEAR(workOf("torch.linear(x, w)", layer).tensorSeconds,
              2.0 * 21 * 64 * 32 / h200().tf32FlopPerSecond, 1e-15);
}

TEST(Roofline, DoesNotCountWhatCanBeDoneWithLess) {
  EXPECT_EQ(workOf("torch.conv2d(x, w)", {at::ones({1, 4, 16, 16}), at::ones({4, 4, 3, 3})}).tensorSeconds,
            0);
  EXPECT_EQ(
      workOf("torch.mm(x, w)", {at::ones({4, 4}, at::kLong), at::ones({4, 4}, at::kLong)}).tensorSeconds, 0);
}

TEST(Roofline, CountsWhatWasWrittenOnceAndNoViews) {
  at::Tensor x = at::ones({64, 32});
  EXPECT_EQ(workOf("x + 1", {x}).writtenBytes, 64 * 32 * 4);
  EXPECT_EQ(workOf("x.view(-1)", {x}).writtenBytes, 0);
  EXPECT_EQ(workOf("(x + 1)[0].expand(64, 32)", {x}).writtenBytes, 0);
  EXPECT_EQ(workOf("torch.unbind(torch.stack([x, x]))[0]", {x}).writtenBytes, 64 * 32 * 4);
}

TEST(Roofline, DoubtsOnlyWhatIsBeyondIt) {
  LeastWork product{1e-4, 0};  // 100 us at the peak
  EXPECT_EQ(implausible(100, product, h200()), "");
  EXPECT_EQ(implausible(90, product, h200()), "") << "a cool GPU's clock is above the data sheet's";
  EXPECT_NE(implausible(50, product, h200()).find("beyond the roofline"), std::string::npos);
}

TEST(Roofline, WhatFitsInTheCacheNeedNotReachMemory) {
  EXPECT_EQ(leastUs({0, 32e6}, h200()), 0);
  EXPECT_GT(leastUs({0, 1e9}, h200()), 100);
  EXPECT_LT(leastUs({0, 1e9}, h200()), 1e15 / h200().dramBytesPerSecond);
}

TEST(Nvml, SaysWhyItCannotBeAskedAndThenKnowsNothing) {
  Nvml nvml("0000:ff:1f.7");  // where no GPU is, if there is a driver at all
  EXPECT_NE(nvml.refused(), "");
  EXPECT_EQ(nvml.clock().mhz, 0);
  EXPECT_FALSE(nvml.clock().isHeldBack);
  EXPECT_EQ(nvml.condition().powerW, 0);
}

}  // namespace
}  // namespace kadvise
