// Rolling: a thread moves words of up to sixteen bytes, wherever pieces allow, once for all dimensions. torch
// moves an element a thread, and all of the tensor for each dimension.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/common/word.cuh"
#include "kernels/roll/launch.h"

namespace kadvise {

constexpr int kRollBlock = 256;
constexpr int kRollWords = 4;  // of a thread

struct RollPlan {
  RollArgs a;
  Divider perPiece;  // words
  Divider perSize[kMostRollDims];
  std::int64_t words;  // of all pieces
};

// The widest word that pieces consist of and begin at.
inline int rollWordBytes(const RollArgs& a) {
  const auto bits = static_cast<std::uint64_t>(a.pieceBytes) | reinterpret_cast<std::uintptr_t>(a.x) |
                    reinterpret_cast<std::uintptr_t>(a.result);
  for (const int bytes : {16, 8, 4, 2})
    if (bits % static_cast<unsigned>(bytes) == 0) return bytes;
  return 1;
}

inline RollPlan rollPlan(const RollArgs& a, int wordBytes) {
  RollPlan p{a, Divider(a.pieceBytes / wordBytes), {}, a.pieceBytes / wordBytes};
  for (int d = 0; d < a.dims; ++d) {
    p.perSize[d] = Divider(a.size[d]);
    p.words *= a.size[d];
  }
  return p;
}

inline std::int64_t rollBlocks(const RollPlan& p) {
  return (p.words + kRollBlock * kRollWords - 1) / (kRollBlock * kRollWords);
}

template <class Word>
__global__ void __launch_bounds__(kRollBlock) roll(const __grid_constant__ RollPlan p) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kRollBlock * kRollWords) + threadIdx.x;
  Word words[kRollWords];
#pragma unroll
  for (int i = 0; i < kRollWords; ++i) {
    const std::int64_t at = first + i * kRollBlock;
    if (at >= p.words) continue;
    std::int64_t rest = p.perPiece.quotient(at), stride = p.perPiece.divisor;
    std::int64_t from = at - rest * stride;
    for (int d = 0; d < p.a.dims; ++d) {
      const std::int64_t outer = p.perSize[d].quotient(rest);
      std::int64_t place = rest - outer * p.a.size[d] - p.a.shift[d];
      if (place < 0) place += p.a.size[d];
      from += place * stride;
      stride *= p.a.size[d];
      rest = outer;
    }
    words[i] = static_cast<const Word*>(p.a.x)[from];
  }
#pragma unroll
  for (int i = 0; i < kRollWords; ++i) {
    const std::int64_t at = first + i * kRollBlock;
    if (at < p.words) static_cast<Word*>(p.a.result)[at] = words[i];
  }
}

}  // namespace kadvise
