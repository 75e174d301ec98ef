// What one thread of a depthwise convolution does: it goes down the rows of its strip of columns, reads each
// row of x once, and adds it to all the rows of the result that it belongs to, which it holds in registers.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/depthwise_conv/tiles.h"

namespace kadvise {

template <int kRows_, int kColumns_, int kStrideRows_, int kStrideColumns_, int kChannels_, int kStrip_>
struct DepthwiseForm {
  static constexpr int kRows = kRows_, kColumns = kColumns_, kTaps = kRows * kColumns;  // of the kernel
  static constexpr int kStrideRows = kStrideRows_, kStrideColumns = kStrideColumns_;
  static constexpr int kChannels = kChannels_;  // neighbours that a thread has
  static constexpr int kStrip = kStrip_;        // columns of the result that a thread has
  static constexpr int kReach = (kStrip - 1) * kStrideColumns + kColumns;  // columns of x that these need
  static constexpr int kOpen =
      (kRows + kStrideRows - 1) / kStrideRows;  // rows of the result that a row of x is part of
  static_assert(kStrideRows <= kRows);
};

// Output rows o takes row o * stride - pad + k of x by kernel row k. With k = q * stride + r, the rows
// m * stride - pad + r of x, r below the stride, belong to the rows m - q of the result: open[q] in step m.
// The last of them is complete when the step ends.
template <class Form, class Memory>
class DepthwiseMarch {
 public:
  using T = typename Memory::Element;
  using Raw = typename Memory::template Raw<Form::kChannels>;

  // `weight`: of tap t and channel v of this thread at [t * kChannels + v].
  KADVISE_HOST_DEVICE DepthwiseMarch(const DepthwiseArgs& a, const DepthwisePlace& place, Memory memory,
                                     const float (&weight)[Form::kTaps * Form::kChannels],
                                     const float (&bias)[Form::kChannels])
      : a_(a), place_(place), memory_(memory), weight_(weight), bias_(bias) {
    const std::int64_t channel = place.blockChannel + place.channelInBlock;
    in_ = a.steps;
    out_ = denseSteps(a, a.resultRows, a.resultColumns);
    const std::int64_t firstColumn = place.column * Form::kStrideColumns - a.padColumns;
    x_ = static_cast<const T*>(a.x) + place.image * in_.image + channel * in_.channel +
         firstColumn * in_.column;
    result_ = static_cast<T*>(a.result) + place.image * out_.image + channel * out_.channel +
              place.column * out_.column;
    for (int i = 0; i < Form::kReach; ++i) {
      const bool within = firstColumn + i >= 0 && firstColumn + i < a.columns;
      columnsWithin_ |= (within ? 1u : 0u) << i;
    }
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void run(Finish finish) {
    if (place_.row >= place_.endRow) return;
    const int begin = static_cast<int>(place_.row), end = static_cast<int>(place_.endRow) + Form::kOpen - 1;
    const int rows = static_cast<int>(a_.rows);
    int y = begin * Form::kStrideRows - a_.padRows;
    const T* at = x_ + y * in_.row;
    T* to = result_ + begin * out_.row;
    Raw next[Form::kReach];
    load(at, y >= 0 && y < rows, next);
    for (int m = begin; m < end; ++m) {
      openRow();
#pragma unroll
      for (int r = 0; r < Form::kStrideRows; ++r, ++y) {
        Raw row[Form::kReach];
#pragma unroll
        for (int i = 0; i < Form::kReach; ++i) row[i] = next[i];
        at += in_.row;
        load(at, y >= -1 && y < rows - 1, next);
        if (y >= 0 && y < rows) add(r, row);
      }
      if (m < begin + Form::kOpen - 1) continue;
      close(to, finish);
      to += out_.row;
    }
  }

 private:
  KADVISE_HOST_DEVICE void load(const T* at, bool within, Raw (&row)[Form::kReach]) const {
#pragma unroll
    for (int i = 0; i < Form::kReach; ++i) {
      row[i] = memory_.template loadIf<Form::kChannels>(at + i * in_.column,
                                                        within && (columnsWithin_ >> i & 1u) != 0);
    }
  }

  // A sum begins with the bias and takes the taps in order, as torch's does: what cancels there cancels here.
  KADVISE_HOST_DEVICE void openRow() {
#pragma unroll
    for (int q = Form::kOpen - 1; q > 0; --q)
#pragma unroll
      for (int s = 0; s < Form::kStrip; ++s)
#pragma unroll
        for (int v = 0; v < Form::kChannels; ++v) open_[q][s][v] = open_[q - 1][s][v];
#pragma unroll
    for (int s = 0; s < Form::kStrip; ++s)
#pragma unroll
      for (int v = 0; v < Form::kChannels; ++v) open_[0][s][v] = bias_[v];
  }

  KADVISE_HOST_DEVICE void add(int r, const Raw (&row)[Form::kReach]) {
#pragma unroll
    for (int i = 0; i < Form::kReach; ++i) {
      float in[Form::kChannels];
      memory_.widen(row[i], in);
#pragma unroll
      for (int q = 0; q < Form::kOpen; ++q) {
        const int k = q * Form::kStrideRows + r;
        if (k >= Form::kRows) continue;
#pragma unroll
        for (int s = 0; s < Form::kStrip; ++s) {
          const int column = i - s * Form::kStrideColumns;  // of the kernel
          if (column < 0 || column >= Form::kColumns) continue;
#pragma unroll
          for (int v = 0; v < Form::kChannels; ++v) {
            open_[q][s][v] += in[v] * weight_[(k * Form::kColumns + column) * Form::kChannels + v];
          }
        }
      }
    }
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void close(T* at, Finish finish) {
    float v[Form::kStrip * Form::kChannels];
#pragma unroll
    for (int s = 0; s < Form::kStrip; ++s)
#pragma unroll
      for (int c = 0; c < Form::kChannels; ++c) {
        v[s * Form::kChannels + c] = open_[Form::kOpen - 1][s][c];
      }
    finish(v);
    const int columns = static_cast<int>(a_.resultColumns - place_.column);
    if constexpr (Form::kChannels == 1) {
      if (memory_.template rowIsWhole<Form::kStrip>(at, columns, out_.column)) {
        memory_.store(at, v);
        return;
      }
    }
#pragma unroll
    for (int s = 0; s < Form::kStrip; ++s) {
      if (s >= columns) continue;
      float one[Form::kChannels];
#pragma unroll
      for (int c = 0; c < Form::kChannels; ++c) one[c] = v[s * Form::kChannels + c];
      memory_.store(at + s * out_.column, one);
    }
  }

  const DepthwiseArgs& a_;
  const DepthwisePlace& place_;
  Memory memory_;
  const float (&weight_)[Form::kTaps * Form::kChannels];
  const float (&bias_)[Form::kChannels];
  DepthwiseSteps in_, out_;
  const T* x_;
  T* result_;
  std::uint32_t columnsWithin_ = 0;
  float open_[Form::kOpen][Form::kStrip][Form::kChannels] = {};
};

}  // namespace kadvise
