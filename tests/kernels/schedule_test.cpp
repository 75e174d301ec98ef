// The schedules of add + LayerNorm, as data: every row length has one, and it fits what the kernels are
// compiled for.
#include "kernels/add_layer_norm/schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace kadvise {
namespace {

constexpr std::int64_t kHopperShared = 227 * 1024, kAmpereShared = 163 * 1024, kHopperSms = 132;

std::vector<AddLayerNormShape> shapes() {
  std::vector<AddLayerNormShape> all;
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

TEST(AddLayerNormSchedule, holds_every_row_that_it_is_chosen_for) {
  for (const AddLayerNormShape& shape : shapes()) {
    SCOPED_TRACE(testing::Message() << shape.rows << " rows of " << shape.vectors << " x "
                                    << shape.vectorBytes);
    const AddLayerNormSchedule s = chooseAddLayerNorm(shape);
    EXPECT_GT(s.block, 0);
    EXPECT_EQ(s.block % 32, 0);
    if (s.kind == AddLayerNormKind::Registers) {
      const int threads = s.rowThreads > 0 ? s.rowThreads : s.block;
      EXPECT_EQ(shape.vectorBytes, 16);
      EXPECT_GE(threads * s.vectors, shape.vectors);
      EXPECT_LE(s.block, mostThreads(s.rowThreads, s.vectors));
    } else if (s.kind == AddLayerNormKind::Shared) {
      EXPECT_LE(shape.vectors * shape.vectorBytes + kReductionBytes, shape.sharedBytes);
      EXPECT_LE(s.block, kLongestBlock);
    } else {
      EXPECT_EQ(s.block, kLongestBlock);
      EXPECT_GE(s.splits, 1);
      EXPECT_LE(s.splits, shape.vectors);
    }
  }
}

TEST(AddLayerNormSchedule, leaves_few_threads_of_a_block_idle) {
  for (const AddLayerNormShape& shape : shapes()) {
    const AddLayerNormSchedule s = chooseAddLayerNorm(shape);
    if (s.kind == AddLayerNormKind::Split || shape.vectors < 256) continue;
    const std::int64_t perPass =
        s.kind == AddLayerNormKind::Registers ? s.block * s.vectors : s.block * kUnroll;
    const std::int64_t passes = ceilDiv(shape.vectors, perPass);
    EXPECT_LE(passes * perPass, shape.vectors * 3 / 2) << shape.vectors << " vectors, block of " << s.block;
  }
}

TEST(AddLayerNormSchedule, splits_rows_only_when_few_or_too_long) {
  const auto kind = [](std::int64_t rows, std::int64_t bytes) {
    return chooseAddLayerNorm({rows, bytes / 16, 16, kHopperSms, kHopperShared}).kind;
  };
  EXPECT_EQ(kind(1, 8 << 10), AddLayerNormKind::Registers);
  EXPECT_EQ(kind(4096, 160 << 10), AddLayerNormKind::Shared);
  EXPECT_EQ(kind(8, 160 << 10), AddLayerNormKind::Split);
  EXPECT_EQ(kind(4096, 400 << 10), AddLayerNormKind::Split);
}

TEST(AddLayerNormSchedule, gives_every_multiprocessor_work_when_one_row_is_split) {
  const AddLayerNormSchedule s = chooseAddLayerNorm({1, 4 << 20, 16, kHopperSms, kHopperShared});
  EXPECT_GE(s.splits, kHopperSms);
}

}  // namespace
}  // namespace kadvise
