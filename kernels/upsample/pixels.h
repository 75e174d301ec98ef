// What one thread of an upsampling does by any ratio where channels are neighbours in memory.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/upsample/grid.h"

namespace kadvise {

template <UpsampleMode kMode, class Form, class Memory>
class PixelThread {
 public:
  using T = typename Memory::Element;
  static constexpr int kChannels = Form::kChannels, kColumns = Form::kColumns, kOf = kTaps<kMode>;

  KADVISE_HOST_DEVICE PixelThread(const UpsampleArgs& a, const UpsampleGrid& g, std::int64_t thread,
                                  const Memory& memory)
      : a_(a), memory_(memory) {
    channel_ = static_cast<std::int64_t>(takeRest(thread, g.lanes)) * kChannels;
    column_ = takeRest(thread, g.strips) * kColumns;
    row_ = takeRest(thread, g.rows);
    image_ = thread;
  }

  KADVISE_HOST_DEVICE void run() const {
    Taps<kMode> rows, columns[kColumns];
    findTaps(a_.rows, row_, rows);
    findColumns(a_.columns, column_, columns);
    float v[kColumns][kChannels] = {};
#pragma unroll
    for (int k = 0; k < kOf; ++k) addRow(within(rows.first + k, a_.rows.size), rows.weight[k], columns, v);
    store(v);
  }

 private:
  using Piece = typename Memory::template Raw<kChannels>;

  KADVISE_HOST_DEVICE void addRow(std::int32_t at, float weight, const Taps<kMode> (&columns)[kColumns],
                                  float (&v)[kColumns][kChannels]) const {
    const T* const row =
        static_cast<const T*>(a_.x) + channel_ + (image_ * a_.rows.size + at) * a_.columns.size * a_.channels;
    Piece raw[kColumns][kOf];
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
#pragma unroll
      for (int i = 0; i < kOf; ++i)
        raw[j][i] = memory_.template loadIf<kChannels>(
            row + within(columns[j].first + i, a_.columns.size) * a_.channels, true);
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      float along[kChannels] = {}, one[kChannels];
#pragma unroll
      for (int i = 0; i < kOf; ++i) {
        memory_.template widen<kChannels>(raw[j][i], one);
#pragma unroll
        for (int c = 0; c < kChannels; ++c) {
          const float part = columns[j].weight[i] * one[c];
          along[c] = i == 0 ? part : along[c] + part;
        }
      }
#pragma unroll
      for (int c = 0; c < kChannels; ++c)
        v[j][c] = kOf == 1 ? one[c] : v[j][c] + weight * along[c];  // of one, infinities stay
    }
  }

  KADVISE_HOST_DEVICE void store(const float (&v)[kColumns][kChannels]) const {
    const std::int64_t first = (image_ * a_.rows.resultSize + row_) * a_.columns.resultSize + column_;
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      if (a_.columns.resultSize - column_ > j)
        memory_.store(static_cast<T*>(a_.result) + (first + j) * a_.channels + channel_, v[j]);
  }

  const UpsampleArgs& a_;
  const Memory& memory_;
  std::int32_t column_, row_;  // of the result
  std::int64_t channel_, image_;
};

}  // namespace kadvise
