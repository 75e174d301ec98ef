// What windows find in some neighbours at a time: the largest values, or sums.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/pool/launch.h"

namespace kadvise {

// Of windows that begin at each Of::kStride-th of some neighbours, whose totals are in `all`.
template <class Of, int kCount, class Total, class Memory>
KADVISE_HOST_DEVICE void addAlong(const Memory& memory, const Total* all, Total (&window)[kCount]) {
  if constexpr (Total::kSharesPairs && Of::kKernel == 3 && Of::kStride == 1) {
#pragma unroll
    for (int s = 0; s < kCount; s += 2) {
      Total pair = all[s + 1];
      pair.add(memory, all[s + 2]);
      window[s] = all[s];
      window[s].add(memory, pair);
      if (s + 1 == kCount) break;
      window[s + 1] = pair;
      window[s + 1].add(memory, all[s + 3]);
    }
  } else {
#pragma unroll
    for (int s = 0; s < kCount; ++s) {
      window[s] = all[s * Of::kStride];
#pragma unroll
      for (int i = 1; i < Of::kKernel; ++i) window[s].add(memory, all[s * Of::kStride + i]);
    }
  }
}

// What windows find in kLanes neighbours.
template <PoolKind kKind, int kLanes, class Memory>
struct PoolTotal;

template <int kLanes, class Memory>
struct PoolTotal<PoolKind::Max, kLanes, Memory> {  // as elements: none of them is rounded
  using Piece = typename Memory::template Raw<kLanes>;
  static constexpr bool kSharesPairs = false;  // the largest of three is one instruction
  Piece most;

  KADVISE_HOST_DEVICE static PoolTotal of(const Memory&, const Piece& piece) { return {piece}; }
  KADVISE_HOST_DEVICE void add(const Memory& memory, const PoolTotal& other) {
    most = memory.template larger<kLanes>(most, other.most);
  }
  KADVISE_HOST_DEVICE void widen(const Memory& memory, float (&v)[kLanes]) const {
    memory.template widen<kLanes>(most, v);
  }
  using Single = PoolTotal<PoolKind::Max, 1, Memory>;
  template <int kLane>
  KADVISE_HOST_DEVICE Single at(const Memory& memory) const {
    return {memory.template elementOf<kLanes>(most, kLane)};
  }
  // Of windows over columns, with one before them and one behind.
  template <class Of, int kBody>
  KADVISE_HOST_DEVICE static PoolTotal along(const Memory& memory, const Single& left,
                                             const PoolTotal<PoolKind::Max, kBody, Memory>& body,
                                             const Single& right) {
    static_assert(Of::kKernel == 2 || Of::kKernel == 3);
    const auto every = [&]<int kFirst>() {
      return memory.template every<kLanes, kFirst, Of::kStride, kBody>(left.most, body.most, right.most);
    };
    PoolTotal total { every.template operator()<-Of::kPad>() };
    total.add(memory, {every.template operator()<1 - Of::kPad>()});
    if constexpr (Of::kKernel == 3) total.add(memory, {every.template operator()<2 - Of::kPad>()});
    return total;
  }
};

template <int kLanes, class Memory>
struct PoolTotal<PoolKind::Average, kLanes, Memory> {
  using Piece = typename Memory::template Raw<kLanes>;
  static constexpr bool kSharesPairs = true;  // two neighbouring windows of three add up two of theirs once
  float sum[kLanes];

  KADVISE_HOST_DEVICE static PoolTotal of(const Memory& memory, const Piece& piece) {
    PoolTotal total;
    memory.template widen<kLanes>(piece, total.sum);
    return total;
  }
  KADVISE_HOST_DEVICE void add(const Memory&, const PoolTotal& other) {
#pragma unroll
    for (int j = 0; j < kLanes; ++j) sum[j] += other.sum[j];
  }
  KADVISE_HOST_DEVICE void widen(const Memory&, float (&v)[kLanes]) const {
#pragma unroll
    for (int j = 0; j < kLanes; ++j) v[j] = sum[j];
  }
  using Single = PoolTotal<PoolKind::Average, 1, Memory>;
  template <int kLane>
  KADVISE_HOST_DEVICE Single at(const Memory&) const {
    return {{sum[kLane]}};
  }
  template <class Of, int kBody>
  KADVISE_HOST_DEVICE static PoolTotal along(const Memory& memory, const Single& left,
                                             const PoolTotal<PoolKind::Average, kBody, Memory>& body,
                                             const Single& right) {
    Single column[Of::kPad + kBody + 1], window[kLanes];
    if constexpr (Of::kPad > 0) column[0] = left;
#pragma unroll
    for (int i = 0; i < kBody; ++i) column[Of::kPad + i].sum[0] = body.sum[i];
    column[Of::kPad + kBody] = right;
    addAlong<Of, kLanes>(memory, column, window);
    PoolTotal total;
#pragma unroll
    for (int s = 0; s < kLanes; ++s) total.sum[s] = window[s].sum[0];
    return total;
  }
};

}  // namespace kadvise
