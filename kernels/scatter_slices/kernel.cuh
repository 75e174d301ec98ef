// Slices written into a tensor: every word of the result is written once, by the part that covers it last.
// torch fills all of it, and then each part in a kernel of its own.
#pragma once

#include "kernels/common/ceil_div.h"
#include "kernels/common/divider.h"
#include "kernels/common/word.cuh"
#include "kernels/scatter_slices/launch.h"

#include <cstring>

namespace kadvise {

constexpr int kScatterBlock = 128;
constexpr int kScatterWords = 4;                              // that a thread has in flight
constexpr int kScatterPasses = 4;                             // of those, at most, in each row
constexpr int kFewestOfRow = 8;                               // threads
constexpr int kMostRows = kScatterBlock / kMostScatterParts;  // of a block: a thread looks at a part of a row
constexpr std::int64_t kEnoughBlocks = 2048;                  // beyond them, each takes more rows

// Of the last dimension, in words.
struct ScatterSpan {
  std::uint32_t begin;
  std::uint32_t extent;  // from the first of its own to behind the last
  std::uint32_t step;
  SmallDivider perStep;
  std::int64_t stride;
};

// Lengths of the last dimension, and strides of the others, are in words.
struct ScatterPlan {
  ScatterArgs a;
  ScatterSpan span[kMostScatterParts];
  Divider perSize[kMostScatterDims];  // of the dimensions but the last
  Divider perStep[kMostScatterParts][kMostScatterDims];
  std::int64_t rows;
  std::int32_t ofRow;        // threads, a power of two
  std::int32_t rowsOfBlock;  // at least those of all threads at once
  std::int32_t perRow;       // words that a block takes of a row
  Divider chunks;            // of a row
  unsigned char rest[16];
};

// The widest word that all of the last dimension's pieces consist of and begin at.
inline int scatterWordBytes(const ScatterArgs& a) {
  auto bits =
      static_cast<std::uint64_t>(a.size[0] * a.elementBytes) | reinterpret_cast<std::uintptr_t>(a.result);
  for (int i = 0; i < a.parts; ++i) {
    const ScatterPart& part = a.part[i];
    if (part.step[0] != 1 || part.stride[0] != 1) return a.elementBytes;
    bits |= static_cast<std::uint64_t>(part.begin[0] * a.elementBytes) |
            static_cast<std::uint64_t>(part.count[0] * a.elementBytes) |
            reinterpret_cast<std::uintptr_t>(part.data);
    for (int d = 1; d < a.dims; ++d)
      if (part.count[d] > 1) bits |= static_cast<std::uint64_t>(part.stride[d] * a.elementBytes);
  }
  int bytes = 16;
  while (bytes > a.elementBytes && bits % static_cast<unsigned>(bytes) != 0) bytes /= 2;
  return bytes;
}

inline ScatterPlan scatterPlan(const ScatterArgs& args, int wordBytes,
                               std::int64_t enoughBlocks = kEnoughBlocks) {
  ScatterPlan p{};
  p.a = args;
  ScatterArgs& a = p.a;
  const int per = wordBytes / a.elementBytes;
  a.size[0] /= per;
  for (int i = 0; i < a.parts; ++i) {
    ScatterPart& part = a.part[i];
    const auto step = static_cast<std::uint32_t>(part.step[0]);
    p.span[i] = {static_cast<std::uint32_t>(part.begin[0] / per),
                 (static_cast<std::uint32_t>(part.count[0] / per) - 1) * step + 1, step, SmallDivider(step),
                 part.stride[0]};
    for (int d = 1; d < a.dims; ++d) {
      p.perStep[i][d] = Divider(part.step[d]);
      if (per > 1) part.stride[d] /= per;
    }
  }
  p.rows = 1;
  for (int d = 1; d < a.dims; ++d) {
    p.perSize[d] = Divider(a.size[d]);
    p.rows *= a.size[d];
  }
  p.ofRow = kFewestOfRow;
  while (p.ofRow < kScatterBlock && p.ofRow * kScatterWords * 2 < a.size[0]) p.ofRow *= 2;
  p.rowsOfBlock = kScatterBlock / p.ofRow;
  while (p.rowsOfBlock < kMostRows && p.rows > 2 * p.rowsOfBlock * enoughBlocks) p.rowsOfBlock *= 2;
  p.perRow = p.ofRow * kScatterWords * kScatterPasses;
  p.chunks = Divider(ceilDiv(a.size[0], std::int64_t{p.perRow}));
  for (int i = 0; i < wordBytes; i += a.elementBytes)
    std::memcpy(p.rest + i, a.rest, static_cast<std::size_t>(a.elementBytes));
  return p;
}

inline std::int64_t scatterBlocks(const ScatterPlan& p) {
  return ceilDiv(p.rows, std::int64_t{p.rowsOfBlock}) * p.chunks.divisor;
}

// Every part's words lie beside each other, here and there.
inline bool liesDense(const ScatterPlan& p) {
  for (int i = 0; i < p.a.parts; ++i)
    if (p.span[i].step != 1 || p.span[i].stride != 1) return false;
  return true;
}

// Where the part's words for a row begin; null where the row is none of its.
template <class Word>
__device__ __forceinline__ const Word* partInRow(const ScatterPlan& p, int i, std::int64_t row) {
  const ScatterPart& part = p.a.part[i];
  std::int64_t from = 0;
  for (int d = 1; d < p.a.dims; ++d) {
    const std::int64_t outer = p.perSize[d].quotient(row);
    const std::int64_t behind = row - outer * p.a.size[d] - part.begin[d];
    row = outer;
    if (behind < 0) return nullptr;
    const std::int64_t own = p.perStep[i][d].quotient(behind);
    if (own * part.step[d] != behind || own >= part.count[d]) return nullptr;
    from += own * part.stride[d];
  }
  return static_cast<const Word*>(part.data) + from;
}

// The last of kParts to cover the column. kDense: liesDense().
template <class Word, int kParts, bool kDense>
__device__ __forceinline__ Word wordAt(const ScatterPlan& p, const Word* const (&parts)[kParts],
                                       std::uint32_t column) {
  const Word* found = nullptr;
#pragma unroll
  for (int i = 0; i < kParts; ++i) {
    const ScatterSpan& span = p.span[i];
    const std::uint32_t behind = column - span.begin;  // of columns before it beyond every extent
    bool covers = parts[i] != nullptr && behind < span.extent;
    std::int64_t at = behind;
    if (!kDense) {
      const std::uint32_t own = span.perStep.quotient(covers ? behind : 0);
      covers = covers && own * span.step == behind;
      at = own * span.stride;
    }
    if (covers) found = parts[i] + at;
  }
  Word word;
  memcpy(&word, p.rest, sizeof(Word));
  if (found != nullptr) word = *found;
  return word;
}

template <class Word, int kParts, bool kDense>
__global__ void __launch_bounds__(kScatterBlock) scatterSlices(const __grid_constant__ ScatterPlan p) {
  __shared__ const Word* looked[kMostRows][kMostScatterParts];
  const std::int64_t block = p.chunks.quotient(blockIdx.x), chunk = blockIdx.x - block * p.chunks.divisor;
  const std::int64_t firstRow = block * p.rowsOfBlock;
  const int thread = static_cast<int>(threadIdx.x), row = thread / kMostScatterParts,
            part = thread % kMostScatterParts;
  const bool isThere = part < p.a.parts && firstRow + row < p.rows;
  looked[row][part] = isThere ? partInRow<Word>(p, part, firstRow + row) : nullptr;
  __syncthreads();

  const int lane = thread % p.ofRow;
  const auto size = static_cast<std::uint32_t>(p.a.size[0]),
             begin = static_cast<std::uint32_t>(chunk * p.perRow);
  const std::uint32_t end = size - begin < static_cast<std::uint32_t>(p.perRow) ? size : begin + p.perRow;
  for (int own = thread / p.ofRow; own < p.rowsOfBlock && firstRow + own < p.rows;
       own += kScatterBlock / p.ofRow) {
    const Word* parts[kParts];
#pragma unroll
    for (int i = 0; i < kParts; ++i) parts[i] = looked[own][i];
    Word* const to = static_cast<Word*>(p.a.result) + (firstRow + own) * p.a.size[0];
    for (std::uint32_t first = begin + lane; first < end; first += p.ofRow * kScatterWords) {
      Word words[kScatterWords];
#pragma unroll
      for (int k = 0; k < kScatterWords; ++k)
        if (first + k * p.ofRow < end) words[k] = wordAt<Word, kParts, kDense>(p, parts, first + k * p.ofRow);
#pragma unroll
      for (int k = 0; k < kScatterWords; ++k)
        if (first + k * p.ofRow < end) to[first + k * p.ofRow] = words[k];
    }
  }
}

}  // namespace kadvise
