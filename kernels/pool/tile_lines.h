// Shared memory of a block of tiles.h: one number for each element of x in a line, the rows of windows added
// up.
#pragma once

#include "kernels/common/divider.h"

namespace kadvise {

template <class Form>
class TileLines {
  static constexpr int kLanes = Form::kLanes;

 public:
  static constexpr int kAtOnce = Form::kByChannels ? kLanes : 1;  // neighbours of the result

  struct Sums {
    float of[kAtOnce];
  };

  // length: numbers of a line. skew: log2 of how many elements have a number more behind them, so that
  // columns of windows are not an even number of banks apart; only where lines are columns.
  KADVISE_HOST_DEVICE TileLines(float* shared, int length, int skew)
      : shared_(shared), length_(length), skew_(skew) {}

  KADVISE_HOST_DEVICE void keep(int line, int element, const float (&v)[kLanes]) const {
    float* const to = shared_ + line * length_;
    if constexpr (Form::kByChannels && kLanes % 4 == 0) {
#pragma unroll
      for (int j = 0; j < kLanes; j += 4)
        *reinterpret_cast<Quad*>(to + element + j) = {v[j], v[j + 1], v[j + 2], v[j + 3]};
    } else {
#pragma unroll
      for (int j = 0; j < kLanes; ++j) to[skewed(element + j)] = v[j];
    }
  }

  KADVISE_HOST_DEVICE Sums kept(int line, int element) const {
    const float* const from = shared_ + line * length_;
    Sums sums;
    if constexpr (kAtOnce % 4 == 0) {
#pragma unroll
      for (int j = 0; j < kAtOnce; j += 4) {
        const Quad quad = *reinterpret_cast<const Quad*>(from + element + j);
#pragma unroll
        for (int k = 0; k < 4; ++k) sums.of[j + k] = quad.of[k];
      }
    } else {
      sums.of[0] = from[skewed(element)];
    }
    return sums;
  }

 private:
  struct alignas(16) Quad {
    float of[4];
  };

  KADVISE_HOST_DEVICE int skewed(int element) const {
    return Form::kByChannels ? element : element + (element >> skew_);
  }

  float* shared_;
  int length_, skew_;
};

}  // namespace kadvise
