// What one thread of an upsampling does by any ratio where columns are neighbours in memory.
//
// Where the ratio is at most 3/4, all that its columns of the result are made of are a few neighbouring
// columns of x, and from one to the next it is one further at most: those are read once, brought to the
// height of the result's row, and moved along. By larger ratios every column reads its own.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/upsample/grid.h"

namespace kadvise {

// Whether floats tell neighbours apart to 1/16: from one element of the result to the next it is less than
// one of x.
inline bool isWithinQuarters(const UpsampleDim& d, int quarters) {
  constexpr int kMost = 1 << 20;
  return d.ratio <= 0.25f * static_cast<float>(quarters) && d.size <= kMost && d.resultSize <= kMost;
}

template <UpsampleMode kMode, class Form, class Memory>
class PlaneThread {
 public:
  using T = typename Memory::Element;
  static constexpr int kColumns = Form::kColumns, kOf = kTaps<kMode>;

  KADVISE_HOST_DEVICE PlaneThread(const UpsampleArgs& a, const UpsampleGrid& g, std::int64_t thread,
                                  const Memory& memory)
      : a_(a), g_(g), memory_(memory) {
    column_ = takeRest(thread, g.strips) * kColumns;
    row_ = takeRest(thread, g.rows);
    plane_ = thread * Form::kPlanes;
    findTaps(a.rows, row_, rows_);
    findColumns(a.columns, column_, columns_);
  }

  KADVISE_HOST_DEVICE void run() const {
    const std::int64_t planes = a_.images * a_.channels;
    const std::int64_t end = plane_ + Form::kPlanes < planes ? plane_ + Form::kPlanes : planes;
    for (std::int64_t plane = plane_; plane < end; ++plane) {
      const T* const x = static_cast<const T*>(a_.x) + plane * a_.rows.size * a_.columns.size;
      float v[kColumns] = {};
      if constexpr (Form::kQuarters > 0) {
        moveAlong(x, v);
      } else {
        gather(x, v);
      }
      store(plane, v);
    }
  }

 private:
  using One = typename Memory::template Raw<1>;

  KADVISE_HOST_DEVICE const T* rowOf(const T* plane, int k) const {
    return plane + static_cast<std::int64_t>(within(rows_.first + k, a_.rows.size)) * a_.columns.size;
  }

  // ---- by at most some quarters

  static constexpr int kFurther = ((kColumns - 1) * Form::kQuarters + 3) / 4;  // the last column at most
  static constexpr int kWidth = kFurther + kOf;                                // columns of x
  static_assert(Form::kQuarters == 0 || (kColumns - 1) * Form::kQuarters % 4 != 0, "rounding has room");

  KADVISE_HOST_DEVICE void moveAlong(const T* plane, float (&v)[kColumns]) const {
    float x[kWidth];
    readWindow(plane, x);
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const bool further = j > 0 && columns_[j].first > columns_[j > 0 ? j - 1 : 0].first;
      if (j > 0) {
#pragma unroll
        for (int c = 0; c + 1 < kWidth; ++c) x[c] = further ? x[c + 1] : x[c];
      }
      v[j] = columns_[j].weight[0] * x[0];
#pragma unroll
      for (int i = 1; i < kOf; ++i) v[j] += columns_[j].weight[i] * x[i];
    }
  }

  // At the height of the row.
  KADVISE_HOST_DEVICE void readWindow(const T* plane, float (&x)[kWidth]) const {
    One raw[kOf][kWidth];
#pragma unroll
    for (int k = 0; k < kOf; ++k) {
      const T* const row = rowOf(plane, k);
#pragma unroll
      for (int c = 0; c < kWidth; ++c)
        raw[k][c] = memory_.template loadIf<1>(row + within(columns_[0].first + c, a_.columns.size), true);
    }
#pragma unroll
    for (int c = 0; c < kWidth; ++c) {
      float one[1];
#pragma unroll
      for (int k = 0; k < kOf; ++k) {
        memory_.template widen<1>(raw[k][c], one);
        x[c] = k == 0 ? rows_.weight[0] * one[0] : x[c] + rows_.weight[k] * one[0];
      }
    }
  }

  // ---- by any ratio

  KADVISE_HOST_DEVICE void gather(const T* plane, float (&v)[kColumns]) const {
#pragma unroll
    for (int k = 0; k < kOf; ++k) {
      const T* const row = rowOf(plane, k);
      One raw[kColumns][kOf];
#pragma unroll
      for (int j = 0; j < kColumns; ++j)
#pragma unroll
        for (int i = 0; i < kOf; ++i)
          raw[j][i] = memory_.template loadIf<1>(row + within(columns_[j].first + i, a_.columns.size), true);
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        const float along = sumOf(raw[j], columns_[j]);
        if constexpr (kOf == 1) {
          v[j] = along;
        } else {
          v[j] += rows_.weight[k] * along;
        }
      }
    }
  }

  KADVISE_HOST_DEVICE float sumOf(const One (&raw)[kOf], const Taps<kMode>& taps) const {
    float total = 0, one[1];
#pragma unroll
    for (int i = 0; i < kOf; ++i) {
      memory_.template widen<1>(raw[i], one);
      total = i == 0 ? taps.weight[0] * one[0] : total + taps.weight[i] * one[0];
    }
    return kOf == 1 ? one[0] : total;
  }

  KADVISE_HOST_DEVICE void store(std::int64_t plane, const float (&v)[kColumns]) const {
    T* const to =
        static_cast<T*>(a_.result) + (plane * a_.rows.resultSize + row_) * a_.columns.resultSize + column_;
    if (g_.inPieces) return memory_.store(to, v);
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const float one[1] = {v[j]};
      if (a_.columns.resultSize - column_ > j) memory_.store(to + j, one);
    }
  }

  const UpsampleArgs& a_;
  const UpsampleGrid& g_;
  const Memory& memory_;
  std::int32_t column_, row_;  // of the result
  std::int64_t plane_;         // the first
  Taps<kMode> rows_, columns_[kColumns];
};

}  // namespace kadvise
