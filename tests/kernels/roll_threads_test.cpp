// The kernel of roll on an emulated GPU: every word, with guards around all memory.
#include "tests/kernels/emulated_cuda.h"
//
#include "kernels/roll/kernel.cuh"
#include "tests/kernels/guarded_memory.h"

#include <gtest/gtest.h>

namespace kadvise::test {
namespace {

// x of [n0, n1, inner] floats, rolled in the first two dimensions.
void expectRight(std::int64_t n0, std::int64_t n1, std::int64_t inner, std::int64_t s0, std::int64_t s1,
                 std::int64_t offset) {
  SCOPED_TRACE(testing::Message() << n0 << "x" << n1 << "x" << inner << " by " << s0 << ", " << s1
                                  << ", offset " << offset);
  const at::Tensor x = at::randn({n0, n1, inner});
  Guarded<float> from(x.numel(), offset), to(x.numel(), offset);
  fill(from.data(), x);
  const RollArgs a{from.data(), to.data(), 2, {n1, n0}, {s1, s0}, inner * 4};
  const int bytes = rollWordBytes(a);
  EXPECT_EQ(bytes, offset % 4 == 0 && inner % 4 == 0 ? 16 : offset % 2 == 0 && inner % 2 == 0 ? 8 : 4);
  const RollPlan p = rollPlan(a, bytes);
  withWord(bytes, [&]<class Word>() {
    emulated::launch(static_cast<unsigned>(rollBlocks(p)), kRollBlock, 0, [&] { roll<Word>(p); });
  });
  EXPECT_TRUE(to.isUntouchedAround());
  const at::Tensor exact = at::roll(x, {s0, s1}, {0, 1}).contiguous();
  for (std::int64_t i = 0; i < x.numel(); ++i) ASSERT_EQ(to.data()[i], exact.const_data_ptr<float>()[i]) << i;
}

TEST(Roll, moves_every_element_once) {
  for (const std::int64_t inner : {1, 2, 3, 8, 12})
    for (const std::int64_t offset : {0, 1, 2, 4}) expectRight(5, 7, inner, 3, 4, offset);
  expectRight(31, 40, 8, 0, 39, 0);
  expectRight(1, 1, 4, 0, 0, 0);
}

}  // namespace
}  // namespace kadvise::test
