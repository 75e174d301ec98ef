#include "analyzer/core/device_word.h"

#include <gtest/gtest.h>

namespace kadvise {
namespace {

TEST(DeviceWord, NamesAKindOrOneOfItsDevices) {
  for (auto* word : {"auto", "cpu", "cuda", "cuda:0", "cuda:127"}) EXPECT_TRUE(isDeviceWord(word)) << word;
  for (auto* word : {"", "gpu", "cuda:", "cuda:1000", "cuda:-1", "cuda:x", "CUDA", "cpu:0", "cuda:0 "})
    EXPECT_FALSE(isDeviceWord(word)) << word;
}

}  // namespace
}  // namespace kadvise
