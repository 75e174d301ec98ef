// The kernel of scatter_slices on an emulated GPU: every word, with guards around all memory.
#include "tests/kernels/emulated_cuda.h"
//
#include "kernels/scatter_slices/kernel.cuh"
#include "tests/kernels/guarded_memory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kadvise::test {
namespace {

// [rows, columns] of -2 with `inner` in rows 1, 3, … and every `step` columns from `begin`, and a row of its
// own over it.
void expectRight(std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t count, int bytes,
                 std::int64_t step = 1, std::int64_t enoughBlocks = kEnoughBlocks) {
  SCOPED_TRACE(testing::Message() << rows << "x" << columns << ", " << count << " columns from " << begin);
  const at::Tensor inner = at::randn({rows / 2, count}), row = at::randn({columns});
  Guarded<float> from(inner.numel(), 0), over(row.numel(), 0), to(rows * columns, 0);
  fill(from.data(), inner);
  fill(over.data(), row);
  ScatterArgs a{to.data(), 2, 2, 4, {columns, rows}, {}, {}};
  const float rest = -2;
  std::memcpy(a.rest, &rest, sizeof rest);
  a.part[0] = {from.data(), {begin, 1}, {step, 2}, {count, rows / 2}, {1, count}};
  a.part[1] = {over.data(), {0, rows - 1}, {1, 1}, {columns, 1}, {1, 0}};
  EXPECT_EQ(scatterWordBytes(a), bytes);
  const ScatterPlan p = scatterPlan(a, bytes, enoughBlocks);
  withWord(bytes, [&]<class Word>() {
    const auto blocks = static_cast<unsigned>(scatterBlocks(p));
    if (liesDense(p)) emulated::launch(blocks, kScatterBlock, 0, [&] { scatterSlices<Word, 4, true>(p); });
    else
      emulated::launch(blocks, kScatterBlock, 0, [&] { scatterSlices<Word, kMostScatterParts, false>(p); });
  });
  EXPECT_TRUE(to.isUntouchedAround());
  at::Tensor exact = at::full({rows, columns}, -2.0);
  exact.slice(0, 1, rows / 2 * 2, 2).slice(1, begin, begin + (count - 1) * step + 1, step).copy_(inner);
  exact.select(0, rows - 1).copy_(row);
  for (std::int64_t i = 0; i < exact.numel(); ++i)
    ASSERT_EQ(to.data()[i], exact.const_data_ptr<float>()[i]) << i;
}

TEST(ScatterSlices, writes_every_element_once) {
  expectRight(7, 12, 4, 8, 16);
  expectRight(8, 12, 2, 8, 8);
  expectRight(8, 13, 2, 8, 4);
  expectRight(33, 5, 0, 3, 4);
  expectRight(4, 513, 257, 256, 4);
  expectRight(35, 513, 257, 256, 4, 1, 1);  // several rows one after the other
  expectRight(4, 64, 1, 30, 4, 2);
  expectRight(5, 33, 0, 11, 4, 3);
  expectRight(3, 2 * 4 * 4 * 128 + 5, 1, 2000, 4);
  expectRight(2, 4 * 4 * 4 * 128 * 2 + 4, 4, 4000, 16);
}

}  // namespace
}  // namespace kadvise::test
