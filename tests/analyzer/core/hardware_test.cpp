// The GPUs that estimates are made for: found by name, by architecture and by what the driver calls the
// device.
#include "analyzer/core/hardware.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

TEST(Hardware, IsFoundByNameAndArchitecture) {
  EXPECT_STREQ(gpuNamed("h100 pcie")->name, "H100 PCIe");
  EXPECT_STREQ(gpuNamed("RTX-4090")->name, "RTX 4090");
  EXPECT_STREQ(gpuNamed("sm_90")->name, "H100");
  EXPECT_STREQ(gpuNamed("120")->name, "RTX 5090");
  for (const char* wrong : {"", "sm_", "sm_91", "H1000", "sm_99999999999", "RTX", "-1"})
    EXPECT_EQ(gpuNamed(wrong), nullptr) << wrong;
}

TEST(Hardware, OfADeviceIsTheMostSpecificEntry) {
  EXPECT_STREQ(chooseGpu("", "NVIDIA L4", 89).gpu->name, "L4");
  EXPECT_STREQ(chooseGpu("", "NVIDIA L40S", 89).gpu->name, "L40S");
  EXPECT_STREQ(chooseGpu("", "NVIDIA A100-SXM4-40GB", 80).gpu->name, "A100 40GB");
  EXPECT_STREQ(chooseGpu("", "NVIDIA A100-SXM4-80GB", 80).gpu->name, "A100");
  EXPECT_STREQ(chooseGpu("", "NVIDIA H100 80GB HBM3", 90).gpu->name, "H100");
  EXPECT_STREQ(chooseGpu("", "NVIDIA H200", 90).gpu->name, "H200");
}

TEST(Hardware, ThatIsNotInTheTableIsSaidToBeStoodFor) {
  auto other = chooseGpu("", "NVIDIA GH200 480GB", 90);
  EXPECT_STREQ(other.gpu->name, "H100");
  EXPECT_EQ(other.reason, "stands for sm_90, since NVIDIA GH200 480GB is not in the table");
  auto none = chooseGpu("", "a processor", 0);
  EXPECT_STREQ(none.gpu->name, "H100");
  EXPECT_EQ(none.reason, "no GPU is in use; --arch names another");
  EXPECT_STREQ(chooseGpu("", "a GPU of the future", 555).gpu->name, "H100");
}

TEST(Hardware, AskedForWinsOverTheDevice) {
  EXPECT_STREQ(chooseGpu("sm_80", "NVIDIA H200", 90).gpu->name, "A100");
  try {
    chooseGpu("K80", "NVIDIA H200", 90);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.where, "--arch K80");
    EXPECT_NE(e.reason.find("RTX 4090"), std::string::npos);
    EXPECT_NE(e.reason.find("sm_75"), std::string::npos);
  }
}

TEST(Hardware, HasPlausibleFigures) {
  for (auto& g : gpus()) {
    EXPECT_GE(g.tf32FlopPerSecond, g.fp32FlopPerSecond) << g.name;
    EXPECT_GE(g.fp16FlopPerSecond, 1.9 * g.fp32FlopPerSecond) << g.name;
    EXPECT_LT(g.fp64FlopPerSecond, g.fp32FlopPerSecond) << g.name;
    double flopPerByte = g.fp32FlopPerSecond / g.dramBytesPerSecond;
    EXPECT_GT(flopPerByte, 5) << g.name;
    EXPECT_LT(flopPerByte, 200) << g.name;
  }
}

}  // namespace
}  // namespace kadvise
