// A row of x at the places of a thread's neighbours in a row of the result.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/upsample/grid.h"

namespace kadvise {

// The nearest moves elements, and never looks into them.
template <UpsampleMode kMode, int kCount, class Memory>
struct RowPart {
  float v[kCount];
};
template <int kCount, class Memory>
struct RowPart<UpsampleMode::Nearest, kCount, Memory> {
  typename Memory::template Raw<kCount> piece;
};

// ---- channels of one pixel

template <UpsampleMode kMode, int kCount, class Memory>
class PixelColumns {
 public:
  using T = typename Memory::Element;
  using Part = RowPart<kMode, kCount, Memory>;
  static constexpr int kOf = kTaps<kMode>;
  static constexpr int kWords = kOf * static_cast<int>((sizeof(T) * kCount + 3) / 4);  // of Raw
  struct Raw {
    typename Memory::template Raw<kCount> piece[kOf];
  };

  KADVISE_HOST_DEVICE PixelColumns(const UpsampleDim& d, const UpsampleGrid& g, std::uint32_t element) {
    const auto ofPixel = static_cast<std::uint32_t>(g.channels.divisor);
    const std::uint32_t column = g.channels.quotientOfSmall(element), channel = element - column * ofPixel;
    Taps<kMode> taps;
    findTaps(d, static_cast<std::int32_t>(column), taps);
#pragma unroll
    for (int i = 0; i < kOf; ++i) {
      offset_[i] = static_cast<std::uint32_t>(within(taps.first + i, d.size)) * ofPixel + channel;
      weight_[i] = taps.weight[i];
    }
  }

  KADVISE_HOST_DEVICE void load(const Memory& memory, const T* row, Raw& raw) const {
#pragma unroll
    for (int i = 0; i < kOf; ++i) raw.piece[i] = memory.template loadIf<kCount>(row + offset_[i], true);
  }

  KADVISE_HOST_DEVICE Part part(const Memory& memory, const Raw& raw) const {
    if constexpr (kMode == UpsampleMode::Nearest) {
      return {raw.piece[0]};
    } else {
      Part part;
#pragma unroll
      for (int i = 0; i < kOf; ++i) {
        float one[kCount];
        memory.template widen<kCount>(raw.piece[i], one);
#pragma unroll
        for (int c = 0; c < kCount; ++c)
          part.v[c] = i == 0 ? weight_[0] * one[c] : part.v[c] + weight_[i] * one[c];
      }
      return part;
    }
  }

 private:
  std::uint32_t offset_[kOf];  // in a row of x
  float weight_[kOf];
};

// kBlocks: that an SM has room for at least; fewer leave a thread more registers.
template <int kCount_>
struct PixelForm {
  static constexpr int kCount = kCount_, kBlocks = 5;
  template <UpsampleMode kMode, class Memory>
  using Columns = PixelColumns<kMode, kCount, Memory>;
};

// ---- whatever follows each other in a row, each element with a place of its own: columns of a plane, or
// pixels of few channels

template <UpsampleMode kMode, int kCount, class Memory>
class RunningColumns {
 public:
  using T = typename Memory::Element;
  using Part = RowPart<kMode, kCount, Memory>;
  static constexpr int kOf = kTaps<kMode>, kWords = kOf * kCount;
  struct Raw {
    typename Memory::template Raw<1> one[kOf][kCount];
  };

  KADVISE_HOST_DEVICE RunningColumns(const UpsampleDim& d, const UpsampleGrid& g, std::uint32_t element) {
    const auto ofPixel = static_cast<std::uint32_t>(g.channels.divisor);
    std::uint32_t column = g.channels.quotientOfSmall(element), channel = element - column * ofPixel;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      Taps<kMode> taps;
      findTaps(d, static_cast<std::int32_t>(column), taps);
#pragma unroll
      for (int i = 0; i < kOf; ++i) {
        offset_[i][j] = static_cast<std::uint32_t>(within(taps.first + i, d.size)) * ofPixel + channel;
        weight_[i][j] = taps.weight[i];
      }
      const bool isLast = ++channel == ofPixel;
      channel = isLast ? 0 : channel;
      column += isLast ? 1 : 0;
    }
  }

  KADVISE_HOST_DEVICE void load(const Memory& memory, const T* row, Raw& raw) const {
#pragma unroll
    for (int i = 0; i < kOf; ++i)
#pragma unroll
      for (int j = 0; j < kCount; ++j) raw.one[i][j] = memory.template loadIf<1>(row + offset_[i][j], true);
  }

  KADVISE_HOST_DEVICE Part part(const Memory& memory, const Raw& raw) const {
    if constexpr (kMode == UpsampleMode::Nearest) {
      return {memory.template joined<kCount>(raw.one[0])};
    } else {
      Part part;
#pragma unroll
      for (int i = 0; i < kOf; ++i)
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
          float one[1];
          memory.template widen<1>(raw.one[i][j], one);
          part.v[j] = i == 0 ? weight_[0][j] * one[0] : part.v[j] + weight_[i][j] * one[0];
        }
      return part;
    }
  }

 private:
  std::uint32_t offset_[kOf][kCount];  // in a row of x
  float weight_[kOf][kCount];
};

template <int kCount_>
struct RunningForm {
  static constexpr int kCount = kCount_, kBlocks = 4;
  template <UpsampleMode kMode, class Memory>
  using Columns = RunningColumns<kMode, kCount, Memory>;
};

}  // namespace kadvise
