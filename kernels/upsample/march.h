// What one thread of an upsampling does by any ratio: it goes down its rows of the result, and with them down
// x, whose next row is on its way while the rows above it are made.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/upsample/columns.h"

namespace kadvise {

template <UpsampleMode kMode, class Form, class Memory>
class MarchThread {
 public:
  using T = typename Memory::Element;
  static constexpr int kCount = Form::kCount, kOf = kTaps<kMode>;
  using Columns = typename Form::template Columns<kMode, Memory>;
  using Part = typename Columns::Part;
  using Raw = typename Columns::Raw;
  // Rows of x on their way: no more than registers hold.
  static constexpr int kAtOnce = Columns::kWords * (kOf + 1) <= 48 ? kOf + 1 : 2;

  KADVISE_HOST_DEVICE MarchThread(const UpsampleArgs& a, const UpsampleGrid& g, std::int64_t thread,
                                  const Memory& memory)
      : MarchThread{a,
                    g,
                    memory,
                    takeRest(thread, g.strips, g.isSmall) * kCount,
                    takeRest(thread, g.parts, g.isSmall),
                    thread} {
    // In braces, so that the rests are taken in this order.
  }

  KADVISE_HOST_DEVICE void run() {
    Taps<kMode> taps;
    findTaps(rows_, end_ - 1, taps);
    const std::int32_t last = taps.first + kOf - 1;  // of x, that is asked for
    findTaps(rows_, row_, taps);
    std::int32_t first = taps.first;  // of those in `parts`
    Raw raw[kOf + 1] = {};
    Raw& next = raw[kOf];
    const auto loadIfAsked = [&](int k) {
      if (k < kOf || first + k <= last) load(first + k, raw[k]);
    };
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) loadIfAsked(k);
    Part parts[kOf];
#pragma unroll
    for (int k = 0; k < kOf; ++k) {
      parts[k] = columns_.part(memory_, raw[k]);
      if (k + kAtOnce <= kOf) loadIfAsked(k + kAtOnce);
    }
    while (true) {
      do {
        store(parts, taps);
        if (++row_ == end_) return;
        findTaps(rows_, row_, taps);
      } while (taps.first == first);
      first = taps.first;
#pragma unroll
      for (int k = 0; k + 1 < kOf; ++k) parts[k] = parts[k + 1];
      parts[kOf - 1] = columns_.part(memory_, next);
      if (first + kOf <= last) load(first + kOf, next);
    }
  }

 private:
  KADVISE_HOST_DEVICE MarchThread(const UpsampleArgs& a, const UpsampleGrid& g, const Memory& memory,
                                  std::int32_t element, std::int32_t part, std::int64_t image)
      : memory_(memory),
        columns_(a.columns, g, static_cast<std::uint32_t>(element)),
        rows_(a.rows),
        row_(part * g.rowsOfPart) {
    const auto channels = static_cast<std::int32_t>(g.channels.divisor);
    end_ = a.rows.resultSize - row_ > g.rowsOfPart ? row_ + g.rowsOfPart : a.rows.resultSize;
    stepOfX_ = static_cast<std::uint32_t>(a.columns.size * channels) * static_cast<std::uint32_t>(sizeof(T));
    step_ = a.columns.resultSize * channels;
    x_ = static_cast<const char*>(a.x) + image * (std::int64_t{a.rows.size} * stepOfX_);
    result_ = static_cast<T*>(a.result) + image * (std::int64_t{a.rows.resultSize} * step_) +
              std::int64_t{row_} * step_ + element;
  }

  KADVISE_HOST_DEVICE void load(std::int32_t row, Raw& raw) const {
    const auto at = static_cast<std::uint32_t>(within(row, rows_.size));
    columns_.load(memory_, reinterpret_cast<const T*>(x_ + std::uint64_t{at} * stepOfX_), raw);
  }

  // Goes on to the row below.
  KADVISE_HOST_DEVICE void store(const Part (&parts)[kOf], const Taps<kMode>& taps) {
    if constexpr (kMode == UpsampleMode::Nearest) {
      memory_.storePiece(result_, parts[0].piece);
    } else {
      float v[kCount];
#pragma unroll
      for (int k = 0; k < kOf; ++k)
#pragma unroll
        for (int j = 0; j < kCount; ++j)
          v[j] = k == 0 ? taps.weight[0] * parts[0].v[j] : v[j] + taps.weight[k] * parts[k].v[j];
      memory_.store(result_, v);
    }
    result_ += step_;
  }

  const Memory& memory_;
  const Columns columns_;
  const UpsampleDim& rows_;
  std::int32_t row_, end_;  // of the result
  std::uint32_t stepOfX_;   // bytes from row to row
  std::int32_t step_;       // elements from row to row of the result
  const char* x_;           // of the image, or the plane
  T* result_;               // of row_
};

}  // namespace kadvise
