// Which kernel a norm chooses: by the tensors' alignment, and by row length.
#include "kernels/add_layer_norm/access.h"
#include "kernels/common/row_schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace kadvise {
namespace {

constexpr std::int64_t kHopperShared = 227 * 1024, kAmpereShared = 163 * 1024, kHopperSms = 132;

std::vector<RowShape> shapes() {
  std::vector<RowShape> all;
  for (const std::int64_t rows : {1LL, 30LL, 40LL, 4096LL, 1LL << 31}) {
    for (const std::int64_t bytes : {16, 4, 2}) {
      for (const std::int64_t shared : {kHopperShared, kAmpereShared}) {
        for (std::int64_t vectors = 1; vectors < 1 << 20; vectors += 1 + vectors / 50) {
          all.push_back({rows, vectors, bytes, kHopperSms, shared});
        }
      }
    }
  }
  return all;
}

TEST(RowSchedule, holds_every_row_that_it_is_chosen_for) {
  for (const RowShape& shape : shapes()) {
    SCOPED_TRACE(testing::Message() << shape.rows << " rows of " << shape.vectors << " x "
                                    << shape.vectorBytes);
    const RowSchedule s = chooseRowSchedule(shape);
    EXPECT_GT(s.block, 0);
    EXPECT_EQ(s.block % 32, 0);
    if (s.kind == RowKind::Registers) {
      const int threads = s.rowThreads > 0 ? s.rowThreads : s.block;
      EXPECT_EQ(shape.vectorBytes, 16);
      EXPECT_GE(threads * s.vectors, shape.vectors);
      EXPECT_LE(s.block, mostThreads(s.rowThreads, s.vectors));
    } else if (s.kind == RowKind::Shared) {
      EXPECT_LE(shape.vectors * shape.vectorBytes + kReductionBytes, shape.sharedBytes);
      EXPECT_LE(s.block, kLongestBlock);
    } else {
      EXPECT_EQ(s.block, kLongestBlock);
      EXPECT_GE(s.splits, 1);
      EXPECT_LE(s.splits, shape.vectors);
    }
  }
}

TEST(RowSchedule, leaves_few_threads_of_a_block_idle) {
  for (const RowShape& shape : shapes()) {
    const RowSchedule s = chooseRowSchedule(shape);
    if (s.kind == RowKind::Split || shape.vectors < 256) continue;
    const std::int64_t perPass = s.kind == RowKind::Registers ? s.block * s.vectors : s.block * kUnroll;
    const std::int64_t passes = ceilDiv(shape.vectors, perPass);
    EXPECT_LE(passes * perPass, shape.vectors * 3 / 2) << shape.vectors << " vectors, block of " << s.block;
  }
}

TEST(RowSchedule, splits_rows_only_when_few_or_too_long) {
  const auto kind = [](std::int64_t rows, std::int64_t bytes) {
    return chooseRowSchedule({rows, bytes / 16, 16, kHopperSms, kHopperShared}).kind;
  };
  EXPECT_EQ(kind(1, 8 << 10), RowKind::Registers);
  EXPECT_EQ(kind(4096, 160 << 10), RowKind::Shared);
  EXPECT_EQ(kind(8, 160 << 10), RowKind::Split);
  EXPECT_EQ(kind(4096, 400 << 10), RowKind::Split);
}

TEST(RowSchedule, gives_every_multiprocessor_work_when_one_row_is_split) {
  const RowSchedule s = chooseRowSchedule({1, 4 << 20, 16, kHopperSms, kHopperShared});
  EXPECT_GE(s.splits, kHopperSms);
}

// ---- access

// Contiguous bf16 rows at 16-byte addresses, as kernels/common/rows.cpp describes them: outer strides are 0.
AddLayerNormArgs contiguous(std::int64_t rows, std::int64_t length) {
  AddLayerNormArgs a{};
  a.x = a.residual = a.weight = a.bias = reinterpret_cast<const void*>(256);
  a.sum = a.normalized = reinterpret_cast<void*>(512);
  a.grid = {rows, rows};
  a.xStride = a.residualStride = a.sumStride = {0, rows > 1 ? length : 0};
  a.length = length;
  a.dtype = Dtype::BFloat16;
  return a;
}

const void* shifted(const void* p, std::int64_t bytes) { return static_cast<const char*>(p) + bytes; }

TEST(AddLayerNormAccess, is_aligned_when_rows_are_whole_vectors) {
  EXPECT_EQ(accessOf(contiguous(5, 1024)), Access::Aligned);
  EXPECT_EQ(accessOf(contiguous(1, 8)), Access::Aligned);
}

TEST(AddLayerNormAccess, has_edges_when_rows_are_not_whole_vectors) {
  EXPECT_EQ(accessOf(contiguous(5, 1023)), Access::Edges);
  EXPECT_EQ(accessOf(contiguous(1, 1023)), Access::Edges);
  EXPECT_EQ(accessOf(contiguous(5, 3)), Access::Edges);
}

TEST(AddLayerNormAccess, a_misaligned_weight_costs_vectors_of_weights_only) {
  auto a = contiguous(5, 1024);
  a.weight = shifted(a.weight, 2);
  EXPECT_EQ(accessOf(a), Access::Edges);
}

TEST(AddLayerNormAccess, a_broadcast_residual_is_aligned) {
  auto a = contiguous(6, 1024);
  a.residualStride = {0, 0};
  EXPECT_EQ(accessOf(a), Access::Aligned);
  a.grid.inner = 3;
  a.xStride = a.sumStride = {3 * 1024, 1024};
  a.residualStride = {0, 1024};
  EXPECT_EQ(accessOf(a), Access::Aligned);
}

TEST(AddLayerNormAccess, goes_by_elements_when_tensors_are_not_aligned_alike) {
  auto shiftedX = contiguous(5, 1024);
  shiftedX.x = shifted(shiftedX.x, 2);
  EXPECT_EQ(accessOf(shiftedX), Access::Elements);
  auto ownStride = contiguous(5, 1024);
  ownStride.residualStride = {0, 1025};
  EXPECT_EQ(accessOf(ownStride), Access::Elements);
  auto broadcast = contiguous(5, 1023);
  broadcast.residualStride = {0, 0};
  EXPECT_EQ(accessOf(broadcast), Access::Elements);
}

}  // namespace
}  // namespace kadvise
