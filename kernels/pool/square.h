// What one thread of a pooling does where windows are the usual squares, known when the kernel is compiled: a
// few neighbouring rows and columns of the result, for a few neighbouring channels. All that it reads of a
// plane is on its way before the first of it is used.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/pool/squares.h"

namespace kadvise {

template <PoolKind kKind, class Form, class Memory>
class SquareThread {
 public:
  using T = typename Memory::Element;
  static constexpr int kChannels = Form::kChannels, kRows = Form::kRows, kColumns = Form::kColumns;
  static constexpr float kNothing = kKind == PoolKind::Max ? -HUGE_VALF : 0.0f;

  KADVISE_HOST_DEVICE SquareThread(const PoolArgs& a, const SquareGrid& g, std::uint32_t thread,
                                   const Memory& memory)
      : a_(a), g_(g), memory_(memory) {
    const auto split = [](std::uint32_t& n, const Divider& by) {
      const std::uint32_t quotient = quotient32(n, by);
      const int rest = static_cast<int>(n - quotient * static_cast<std::uint32_t>(by.divisor));
      n = quotient;
      return rest;
    };
    const int lane = kChannels > 1 ? split(thread, g.lanes) : 0;
    column_ = split(thread, g.strips) * kColumns;
    row_ = split(thread, g.rows) * kRows;
    depth_ = split(thread, g.depth);
    // `thread` is now the image, or the plane.
    const int channels = kChannels > 1 ? static_cast<int>(a.channels) : 1;
    step_ = channels;
    columns_ = static_cast<int>(a.columns.size);
    rows_ = static_cast<int>(a.rows.size);
    const int depth = static_cast<int>(a.depth.size), plane = static_cast<int>(thread) * channels;
    x_ = static_cast<const T*>(a.x) + plane * depth * rows_ * columns_ + lane * kChannels;
    result_ = static_cast<T*>(a.result) + lane * kChannels +
              (((plane / channels * static_cast<int>(a.depth.resultSize) + depth_) *
                    static_cast<int>(a.rows.resultSize) +
                row_) *
                   static_cast<int>(a.columns.resultSize) +
               column_) *
                  channels;
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void run(Finish finish) {
    const PoolSpan depth = poolSpan(a_.depth, depth_, false);
    if constexpr (kChannels > 1) {
      channelWindows(depth, finish);
    } else {
      columnWindows(depth, finish);
    }
  }

 private:
  KADVISE_HOST_DEVICE bool isRow(int y) const {
    return static_cast<unsigned>(y) < static_cast<unsigned>(rows_);
  }
  KADVISE_HOST_DEVICE bool isColumn(int x) const {
    return static_cast<unsigned>(x) < static_cast<unsigned>(columns_);
  }

  // ---- channels are neighbours

  template <class Finish>
  KADVISE_HOST_DEVICE void channelWindows(const PoolSpan& depth, Finish finish) {
    PoolTotal<kKind, kChannels, Memory> total[kRows][kColumns];
    for (int r = 0; r < kRows; ++r)
      for (int s = 0; s < kColumns; ++s) total[r][s].clear(memory_);
    const int top = row_ * Form::kStride - Form::kPad, left = column_ * Form::kStride - Form::kPad;
    for (int z = 0; z < depth.count; ++z) {
      const int first = (((depth.first + z) * rows_ + top) * columns_ + left) * step_;
      typename Memory::template Raw<kChannels> raw[Form::kRowsOfX][Form::kColumnsOfX];
#pragma unroll
      for (int y = 0; y < Form::kRowsOfX; ++y)
#pragma unroll
        for (int x = 0; x < Form::kColumnsOfX; ++x)
          raw[y][x] = memory_.template loadOr<kChannels>(x_ + first + (y * columns_ + x) * step_,
                                                         isRow(top + y) && isColumn(left + x), kNothing);
#pragma unroll
      for (int y = 0; y < Form::kRowsOfX; ++y)
#pragma unroll
        for (int x = 0; x < Form::kColumnsOfX; ++x)
#pragma unroll
          for (int r = 0; r < kRows; ++r)
#pragma unroll
            for (int s = 0; s < kColumns; ++s) {
              const int fromTop = y - r * Form::kStride, fromLeft = x - s * Form::kStride;
              if (fromTop >= 0 && fromTop < Form::kKernel && fromLeft >= 0 && fromLeft < Form::kKernel)
                total[r][s].take(memory_, raw[y][x]);
            }
    }
    float v[kRows * kColumns * kChannels];
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int s = 0; s < kColumns; ++s) {
        float one[kChannels];
        total[r][s].widen(memory_, one);
#pragma unroll
        for (int c = 0; c < kChannels; ++c) v[(r * kColumns + s) * kChannels + c] = one[c];
      }
    divide(depth, v);
    finish(v);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int s = 0; s < kColumns; ++s) {
        if (row_ + r >= a_.rows.resultSize || column_ + s >= a_.columns.resultSize) continue;
        float one[kChannels];
#pragma unroll
        for (int c = 0; c < kChannels; ++c) one[c] = v[(r * kColumns + s) * kChannels + c];
        memory_.store(result_ + (r * static_cast<int>(a_.columns.resultSize) + s) * step_, one);
      }
  }

  // ---- columns are neighbours

  // A row of x: the columns that begin with the result's, and one on either side.
  struct Row {
    typename Memory::template Raw<Form::kBody> body;
    typename Memory::template Raw<1> left, right;
  };

  KADVISE_HOST_DEVICE void loadRow(const T* plane, int y, Row& row) const {
    const int first = column_ * Form::kStride;
    const T* const at = plane + y * columns_ + first;
    if (g_.inPieces) {
      row.body = memory_.template loadOr<Form::kBody>(at, isRow(y), kNothing);
    } else {
      typename Memory::template Raw<1> one[Form::kBody];
#pragma unroll
      for (int i = 0; i < Form::kBody; ++i)
        one[i] = memory_.template loadOr<1>(at + i, isRow(y) && isColumn(first + i), kNothing);
      row.body = memory_.template joined<Form::kBody>(one);
    }
    if constexpr (Form::kPad > 0)
      row.left = memory_.template loadOr<1>(at - 1, isRow(y) && first > 0, kNothing);
    if constexpr (Form::kRight > 0)
      row.right =
          memory_.template loadOr<1>(at + Form::kBody, isRow(y) && isColumn(first + Form::kBody), kNothing);
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void columnWindows(const PoolSpan& depth, Finish finish) {
    PoolTotal<kKind, Form::kBody, Memory> body[kRows];  // down the rows of each column
    PoolTotal<kKind, 1, Memory> left[kRows], right[kRows];
    for (int r = 0; r < kRows; ++r) {
      body[r].clear(memory_);
      left[r].clear(memory_);
      right[r].clear(memory_);
    }
    const int top = row_ * Form::kStride - Form::kPad;
    for (int z = 0; z < depth.count; ++z) {
      const T* const plane = x_ + (depth.first + z) * rows_ * columns_;
      Row row[Form::kRowsOfX];
#pragma unroll
      for (int y = 0; y < Form::kRowsOfX; ++y) loadRow(plane, top + y, row[y]);
#pragma unroll
      for (int y = 0; y < Form::kRowsOfX; ++y)
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          if (y < r * Form::kStride || y >= r * Form::kStride + Form::kKernel) continue;
          body[r].take(memory_, row[y].body);
          if constexpr (Form::kPad > 0) left[r].take(memory_, row[y].left);
          if constexpr (Form::kRight > 0) right[r].take(memory_, row[y].right);
        }
    }
    float v[kRows * kColumns];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float column[Form::kColumnsOfX];
      widenRow(body[r], left[r], right[r], column);
#pragma unroll
      for (int s = 0; s < kColumns; ++s) {
        float total = column[s * Form::kStride];
#pragma unroll
        for (int i = 1; i < Form::kKernel; ++i) total = combined(total, column[s * Form::kStride + i]);
        v[r * kColumns + s] = total;
      }
    }
    divide(depth, v);
    finish(v);
#pragma unroll
    for (int r = 0; r < kRows; ++r) storeRow(r, v);
  }

  KADVISE_HOST_DEVICE void widenRow(const PoolTotal<kKind, Form::kBody, Memory>& body,
                                    const PoolTotal<kKind, 1, Memory>& left,
                                    const PoolTotal<kKind, 1, Memory>& right,
                                    float (&column)[Form::kColumnsOfX]) const {
    float inside[Form::kBody], one[1];
    body.widen(memory_, inside);
#pragma unroll
    for (int i = 0; i < Form::kBody; ++i) column[Form::kPad + i] = inside[i];
    if constexpr (Form::kPad > 0) {
      left.widen(memory_, one);
      column[0] = one[0];
    }
    if constexpr (Form::kRight > 0) {
      right.widen(memory_, one);
      column[Form::kPad + Form::kBody] = one[0];
    }
  }

  KADVISE_HOST_DEVICE float combined(float total, float v) const {
    if constexpr (kKind == PoolKind::Average) return total + v;
    return memory_.larger(total, v);
  }

  KADVISE_HOST_DEVICE void storeRow(int r, const float (&v)[kRows * kColumns]) {
    if (row_ + r >= a_.rows.resultSize) return;
    T* const to = result_ + r * static_cast<int>(a_.columns.resultSize);
    float row[kColumns];
#pragma unroll
    for (int s = 0; s < kColumns; ++s) row[s] = v[r * kColumns + s];
    if (g_.inPieces) return memory_.store(to, row);
#pragma unroll
    for (int s = 0; s < kColumns; ++s) {
      const float one[1] = {row[s]};
      if (column_ + s < a_.columns.resultSize) memory_.store(to + s, one);
    }
  }

  // ---- averages

  KADVISE_HOST_DEVICE void divide(const PoolSpan& depth, float (&v)[kRows * kColumns * kChannels]) const {
    if constexpr (kKind == PoolKind::Average) {
      const int layers = a_.countsPadding ? poolSpan(a_.depth, depth_, true).count : depth.count;
      const auto rows = [&](int r) { return poolSpan(a_.rows, row_ + r, a_.countsPadding).count; };
      const auto columns = [&](int s) { return poolSpan(a_.columns, column_ + s, a_.countsPadding).count; };
      const bool isFull = layers == a_.depth.kernel && rows(0) == Form::kKernel &&
                          rows(kRows - 1) == Form::kKernel && columns(0) == Form::kKernel &&
                          columns(kColumns - 1) == Form::kKernel;
      if (a_.divisor != 0 || isFull) {
#pragma unroll
        for (int i = 0; i < kRows * kColumns * kChannels; ++i) v[i] *= g_.inverse;
        return;
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int s = 0; s < kColumns; ++s) {
          const float inverse = 1.0f / static_cast<float>(layers * rows(r) * columns(s));
#pragma unroll
          for (int c = 0; c < kChannels; ++c) v[(r * kColumns + s) * kChannels + c] *= inverse;
        }
    }
  }

  const PoolArgs& a_;
  const SquareGrid& g_;
  const Memory& memory_;
  int column_, row_, depth_;   // the first of the result
  int columns_, rows_, step_;  // of x; elements from column to column
  const T* x_;                 // of the thread's first channel
  T* result_;
};

}  // namespace kadvise
