// Which kernel of a norm serves which row length. The table is the whole policy;
// tests/bench/kernels/add_layer_norm_sweep.py measures the alternatives.
#pragma once

#include "kernels/common/ceil_div.h"

#include <algorithm>
#include <cstdint>

namespace kadvise {

enum class RowKind : std::int32_t {
  Registers = 0,  // a row is held in registers by some lanes of a warp, or by a block
  Shared = 1,     // a row is held in shared memory by a block
  Split = 2,      // a row is shared by several blocks: a kernel a step, the row is read back in each
};

struct RowSchedule {
  RowKind kind;
  std::int32_t rowThreads;   // Registers: lanes that share a row, 8, 16 or 32; 0: the whole block
  std::int32_t vectors;      // Registers: 16-byte vectors a thread holds
  std::int32_t block;        // threads of a block
  std::int32_t blocksPerSm;  // 0: as many blocks as rows need; else so many, which loop over rows
  std::int32_t splits;       // Split: blocks that share a row
};

// What the choice depends on. A vector is 16 bytes, or one element where alignment forbids more.
struct RowShape {
  std::int64_t rows;
  std::int64_t vectors;      // that cover a row, wherever it begins
  std::int64_t vectorBytes;  // 16, or the size of an element
  std::int64_t sms;          // multiprocessors of the device
  std::int64_t sharedBytes;  // shared memory that a block may have
};

struct RowTableEntry {
  std::int64_t upTo;  // vectors of a row
  std::int32_t rowThreads, vectors, blocksPerSm;
};

// Registers, by row length. Rows of a warp or less: blocks of kWarpRowsBlock threads; longer ones have a
// block as large as they need. A thread holds at most 4 vectors of a row, and of weight and bias.
constexpr RowTableEntry kRowTable[] = {
    {8, 8, 1, 0},     // bf16 rows of up to   64 elements
    {16, 16, 1, 0},   //                     128
    {32, 32, 1, 0},   //                     256
    {64, 32, 2, 0},   //                     512
    {96, 32, 3, 0},   //                     768
    {128, 32, 4, 0},  //                    1024
    {1024, 0, 4, 0},  //                    8192
};
constexpr std::int32_t kWarpRowsBlock = 128;
constexpr std::int32_t kLongestBlock = 512;  // of the kernels that give a row to a block
constexpr std::int32_t kUnroll = 4;          // vectors of each tensor that a thread of these has in flight
constexpr std::int64_t kReductionBytes = 32 * 12;  // shared memory of a block reduction

// What the register kernels are compiled for: the largest block, and how many blocks must fit a
// multiprocessor (65536 registers) so that enough loads are in flight. Left alone, the compiler keeps floats
// of everything and halves that.
constexpr int mostThreads(int rowThreads, int vectors) {
  return rowThreads > 0 ? kWarpRowsBlock : vectors == 4 ? 256 : kLongestBlock;
}
constexpr int leastBlocks(int rowThreads, int vectors, bool edges) {
  const int registers = vectors == 1 ? 40 : vectors == 2 ? 56 : edges ? 80 : 72;
  return 65536 / (registers * mostThreads(rowThreads, vectors));
}

// A row at least this long is split when there are too few rows to occupy a quarter of the multiprocessors:
// one block moves about 0.1 TB/s, and 128 KiB take it as long as the two extra launches.
constexpr std::int64_t kSplitBytes = 128 * 1024;
// Vectors below which another block is not worth starting.
constexpr std::int64_t kSplitSpan = kUnroll * kLongestBlock;

constexpr RowSchedule splitSchedule(const RowShape& shape) {
  const std::int64_t wanted = std::max<std::int64_t>(1, ceilDiv(8 * shape.sms, shape.rows));
  const std::int64_t most = ceilDiv(shape.vectors, kSplitSpan);
  return {RowKind::Split, 0, 0, kLongestBlock, 0, static_cast<std::int32_t>(std::min(wanted, most))};
}

// The fewest passes of kUnroll vectors a thread, then the fewest threads for them: no pass is half empty.
constexpr std::int64_t sharedBlock(std::int64_t vectors) {
  const std::int64_t passes = ceilDiv(vectors, kUnroll * kLongestBlock);
  return ceilDiv(ceilDiv(vectors, kUnroll * passes), 32) * 32;
}

constexpr RowSchedule chooseRowSchedule(const RowShape& shape) {
  const std::int64_t rowBytes = shape.vectors * shape.vectorBytes;
  const bool fewRows = 4 * shape.rows <= shape.sms;
  if (rowBytes + kReductionBytes > shape.sharedBytes || (fewRows && rowBytes >= kSplitBytes)) {
    return splitSchedule(shape);
  }
  if (shape.vectorBytes == 16) {
    for (const RowTableEntry& row : kRowTable) {
      if (shape.vectors > row.upTo) continue;
      const std::int64_t wholeBlock = ceilDiv(ceilDiv(shape.vectors, row.vectors), 32) * 32;
      const std::int64_t block = row.rowThreads > 0 ? kWarpRowsBlock : wholeBlock;
      return {RowKind::Registers, row.rowThreads,
              row.vectors,        static_cast<std::int32_t>(block),
              row.blocksPerSm,    0};
    }
  }
  return {RowKind::Shared, 0, 0, static_cast<std::int32_t>(sharedBlock(shape.vectors)), 0, 0};
}

}  // namespace kadvise
