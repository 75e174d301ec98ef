#include "profiler/values.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

namespace kadvise {
namespace {

using at::Tensor;

TEST(Clone, KeepsStridesOfViewsAndRepeats) {
  Tensor base = at::randn({6, 10});
  for (const Tensor& t : {base, base.t(), base.slice(1, 1, 9, 2), base.narrow(0, 2, 3), base.select(1, 3),
                          at::randn({4, 1}).expand({4, 7}), at::scalar_tensor(3.0), at::empty({0, 3}),
                          at::randn({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast)}) {
    Tensor c = cloneOf(t);
    EXPECT_EQ(c.sizes(), t.sizes());
    if (t.numel()) {
      EXPECT_EQ(c.strides(), t.strides());
    }
    EXPECT_TRUE(at::equal(c, t));
    if (t.numel()) {
      EXPECT_NE(c.data_ptr(), t.data_ptr());
    }
  }
}

TEST(Clone, KeepsMisalignment) {
  Tensor t = at::randn({65}).narrow(0, 1, 64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cloneOf(t).data_ptr()) % 64,
            reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 64);
}

TEST(Clone, OfOverlappingWindowsIsContiguous) {
  Tensor t = at::arange(10).unfold(0, 4, 1);
  EXPECT_TRUE(at::equal(cloneOf(t), t));
  EXPECT_TRUE(cloneOf(t).is_contiguous());
}

TEST(SameBits, OfASingleElementWithAWideStride) {
  at::Tensor column = at::cumsum(at::ones({1, 4096}), -1).select(1, 4095);
  EXPECT_EQ(column.stride(0), 4096);
  EXPECT_TRUE(sameBits(column, at::full({1}, 4096.f)));
  EXPECT_FALSE(sameBits(column, at::ones({1})));
}

TEST(SameBits, TellsZerosApartAndNaNsTogether) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(sameBits(at::tensor({nan, 1.0f}), at::tensor({nan, 1.0f})));
  EXPECT_FALSE(sameBits(at::tensor({0.0f}), at::tensor({-0.0f})));
  EXPECT_FALSE(sameBits(at::zeros({2}), at::zeros({2}, at::kDouble)));
  EXPECT_FALSE(sameBits(at::zeros({2, 1}), at::zeros({1, 2})));
  EXPECT_TRUE(sameBits(at::zeros({2, 3}).t(), at::zeros({3, 2})));
  EXPECT_TRUE(sameBits(at::scalar_tensor(true), at::scalar_tensor(true)));
  EXPECT_TRUE(sameBits(c10::IValue(std::nan("")), c10::IValue(std::nan(""))));
  EXPECT_FALSE(sameBits(c10::IValue(1), c10::IValue(2)));
}

TEST(Structure, IsNamedByItsLeaves) {
  auto value = c10::ivalue::Tuple::create({at::zeros({1}), std::vector<std::int64_t>{1, 2}, c10::IValue()});
  EXPECT_EQ(structureOf(value), "(Tensor, [Int, Int], None)");
  auto leaves = leavesOf(value, "output");
  ASSERT_EQ(leaves.size(), 4u);
  EXPECT_EQ(leaves[0].at, "output 0");
  EXPECT_EQ(leaves[2].at, "output 1[1]");
}

TEST(MapTensors, KeepsListTypes) {
  c10::IValue list(std::vector<Tensor>{at::ones({2}), at::ones({3})});
  auto mapped = mapTensors(list, [](const Tensor& t) { return t * 2; });
  ASSERT_TRUE(mapped.isTensorList());
  EXPECT_EQ(mapped.toTensorVector()[1].sum().item<float>(), 6);
  EXPECT_TRUE(
      mapTensors(c10::IValue(std::vector<std::int64_t>{1}), [](const Tensor& t) { return t; }).isIntList());
}

}  // namespace
}  // namespace kadvise
