#include "profiler/fuser_limits.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kadvise {
namespace {

constexpr const char* kDontFuse = "PYTORCH_TENSOREXPR_DONT_FUSE";

torch::jit::Module joining(int tensors) {
  std::string list = "x";
  for (int i = 1; i < tensors; ++i) list += ", x + " + std::to_string(i);
  torch::jit::Module part("__torch__.Part"), whole("__torch__.Whole");
  part.define("def forward(self, x):\n  return torch.cat([" + list + "], 1)\n");
  whole.register_module("part", part);
  whole.define("def forward(self, x):\n  return self.part.forward(x)\n");
  return whole;
}

TEST(FuserLimits, ManyTensorsPutTogetherAtOnceAreSaidAndLeftAlone) {
  ::unsetenv(kDontFuse);
  EXPECT_EQ(keepFuserFromLargeCats(joining(8)), "");
  EXPECT_EQ(std::getenv(kDontFuse), nullptr);
  EXPECT_NE(keepFuserFromLargeCats(joining(9)).find("more than 8 tensors"), std::string::npos);
  EXPECT_STREQ(std::getenv(kDontFuse), "cat");
  ::unsetenv(kDontFuse);
}

TEST(FuserLimits, WhatTheUserAskedForStays) {
  ::setenv(kDontFuse, "mul", 1);
  EXPECT_EQ(keepFuserFromLargeCats(joining(9)), "");
  EXPECT_STREQ(std::getenv(kDontFuse), "mul");
  ::unsetenv(kDontFuse);
}

}  // namespace
}  // namespace kadvise
