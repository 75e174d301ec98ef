// A row of x at neighbouring columns of a plane of the result, where the ratio is at most a half: all that
// they are made of are a few neighbouring columns of x, and from one to the next it is one further at most.
// Those are read once, and moved along.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/upsample/columns.h"

namespace kadvise {

template <UpsampleMode kMode, int kCount, class Memory>
class WindowColumns {
 public:
  using T = typename Memory::Element;
  using Part = RowPart<kMode, kCount, Memory>;
  static constexpr int kOf = kTaps<kMode>;
  // How much further the last column is than the j-th, at most: rounding makes more of a whole number.
  KADVISE_HOST_DEVICE static constexpr int further(int j) {
    return j + 1 == kCount ? 0 : (kCount - 1 - j) / 2 + 1;
  }
  static constexpr int kWidth = further(0) + kOf, kWords = kWidth;
  struct Raw {
    typename Memory::template Raw<1> one[kWidth];
  };

  KADVISE_HOST_DEVICE WindowColumns(const UpsampleDim& d, const UpsampleGrid&, std::uint32_t column) {
    std::int32_t before = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      Taps<kMode> taps;
      findTaps(d, static_cast<std::int32_t>(column) + j, taps);
#pragma unroll
      for (int i = 0; i < kOf; ++i) weight_[i][j] = taps.weight[i];
      if (j == 0) {
#pragma unroll
        for (int c = 0; c < kWidth; ++c)
          offset_[c] = static_cast<std::uint32_t>(within(taps.first + c, d.size));
      }
      isFurther_[j] = j > 0 && taps.first > before;
      before = taps.first;
    }
  }

  KADVISE_HOST_DEVICE void load(const Memory& memory, const T* row, Raw& raw) const {
#pragma unroll
    for (int c = 0; c < kWidth; ++c) raw.one[c] = memory.template loadIf<1>(row + offset_[c], true);
  }

  KADVISE_HOST_DEVICE Part part(const Memory& memory, const Raw& raw) const {
    float x[kWidth];
#pragma unroll
    for (int c = 0; c < kWidth; ++c) {
      float one[1];
      memory.template widen<1>(raw.one[c], one);
      x[c] = one[0];
    }
    Part part;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
#pragma unroll
      for (int c = 0; c + 1 < kWidth && c < kOf + further(j); ++c)
        if (j > 0) x[c] = isFurther_[j] ? x[c + 1] : x[c];
      part.v[j] = weight_[0][j] * x[0];
#pragma unroll
      for (int i = 1; i < kOf; ++i) part.v[j] += weight_[i][j] * x[i];
    }
    return part;
  }

 private:
  std::uint32_t offset_[kWidth];  // in a row of x
  bool isFurther_[kCount];        // than the column before
  float weight_[kOf][kCount];
};

template <int kCount_>
struct WindowForm {
  static constexpr int kCount = kCount_, kBlocks = 4;
  template <UpsampleMode kMode, class Memory>
  using Columns = WindowColumns<kMode, kCount, Memory>;
};

}  // namespace kadvise
