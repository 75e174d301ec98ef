// What one thread of a pooling does where nothing is known of the windows, and memory may be of any size: one
// element of the result.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/common/ceil_div.h"
#include "kernels/common/divider.h"
#include "kernels/pool/launch.h"

#include <cmath>

namespace kadvise {

// Threads, numbered along the memory of the result.
struct PoolGrid {
  Divider fast, middle, rows, depth;  // fast: channels or columns; middle: the other of them
  std::int64_t threads;
};

inline PoolGrid poolGrid(const PoolArgs& a) {
  const std::int64_t columns = a.columns.resultSize;
  PoolGrid g;
  g.fast = Divider(a.channelsLast ? a.channels : columns);
  g.middle = Divider(a.channelsLast ? columns : a.channels);
  g.rows = Divider(a.rows.resultSize);
  g.depth = Divider(a.depth.resultSize);
  g.threads = a.images * a.channels * columns * a.rows.resultSize * a.depth.resultSize;
  return g;
}

struct PoolPlace {
  std::int64_t image, channel, depth, row, column;
};

// The remainder; `n` becomes the quotient.
KADVISE_HOST_DEVICE std::int64_t split(std::int64_t& n, const Divider& by) {
  const std::int64_t quotient = by.quotient(n), rest = n - quotient * by.divisor;
  n = quotient;
  return rest;
}

KADVISE_HOST_DEVICE PoolPlace poolPlace(const PoolArgs& a, const PoolGrid& g, std::int64_t thread) {
  PoolPlace p;
  const std::int64_t fast = split(thread, g.fast);
  if (a.channelsLast) {
    p.channel = fast;
    p.column = split(thread, g.middle);
    p.row = split(thread, g.rows);
    p.depth = split(thread, g.depth);
    p.image = thread;
  } else {
    p.column = fast;
    p.row = split(thread, g.rows);
    p.depth = split(thread, g.depth);
    p.channel = split(thread, g.middle);
    p.image = thread;
  }
  return p;
}

// The elements of x along one dimension that belong to a window: first, first + dilation, … below end.
struct PoolRange {
  std::int64_t first, end;
  std::int64_t padded;  // with what lies in the padding, as far as it reaches
};

KADVISE_HOST_DEVICE PoolRange poolRange(const PoolDim& d, std::int64_t at) {
  const std::int64_t begin = at * d.stride - d.pad;
  const std::int64_t end = begin + static_cast<std::int64_t>(d.kernel - 1) * d.dilation + 1;
  const std::int64_t padEnd = d.size + d.pad;
  const std::int64_t skipped = begin < 0 ? (-begin + d.dilation - 1) / d.dilation * d.dilation : 0;
  return {begin + skipped, end < d.size ? end : d.size, (end < padEnd ? end : padEnd) - begin};
}

template <PoolKind kKind>
KADVISE_HOST_DEVICE float pooled(float total, float v) {
  if constexpr (kKind == PoolKind::Average) return total + v;
  return v > total || v != v ? v : total;
}
template <PoolKind kKind>
constexpr float kPoolNothing = kKind == PoolKind::Max ? -HUGE_VALF : 0.0f;

template <PoolKind kKind, class Memory>
class PoolThread {
 public:
  using T = typename Memory::Element;

  KADVISE_HOST_DEVICE PoolThread(const PoolArgs& a, const PoolPlace& place, Memory memory)
      : a_(a), place_(place), memory_(memory) {
    step_ = a.channelsLast ? a.channels : 1;
    const std::int64_t plane = a.channelsLast ? 1 : a.rows.size * a.columns.size * a.depth.size;
    image_ = static_cast<const T*>(a.x) +
             place.image * a.channels * a.depth.size * a.rows.size * a.columns.size + place.channel * plane;
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void run(Finish finish) {
    const PoolRange depth = poolRange(a_.depth, place_.depth), rows = poolRange(a_.rows, place_.row),
                    columns = poolRange(a_.columns, place_.column);
    for (std::int64_t z = depth.first; z < depth.end; z += a_.depth.dilation) {
      for (std::int64_t y = rows.first; y < rows.end; y += a_.rows.dilation)
        addRow(image_ + (z * a_.rows.size + y) * a_.columns.size * step_, columns);
    }
    divide(depth, rows, columns);
    finish(total_);
    store();
  }

 private:
  KADVISE_HOST_DEVICE void addRow(const T* row, const PoolRange& columns) {
    for (std::int64_t x = columns.first; x < columns.end; x += a_.columns.dilation) {
      float v[1];
      memory_.widen(memory_.template loadIf<1>(row + x * step_, true), v);
      total_[0] = pooled<kKind>(total_[0], v[0]);
    }
  }

  KADVISE_HOST_DEVICE void divide(const PoolRange& depth, const PoolRange& rows, const PoolRange& columns) {
    if constexpr (kKind == PoolKind::Average) {
      const std::int64_t count = a_.divisor != 0    ? a_.divisor
                                 : a_.countsPadding ? depth.padded * rows.padded * columns.padded
                                                    : (depth.end - depth.first) * (rows.end - rows.first) *
                                                          (columns.end - columns.first);
      total_[0] /= static_cast<float>(count);
    }
  }

  KADVISE_HOST_DEVICE void store() {
    const std::int64_t pixels = a_.depth.resultSize * a_.rows.resultSize * a_.columns.resultSize;
    const std::int64_t pixel =
        (place_.depth * a_.rows.resultSize + place_.row) * a_.columns.resultSize + place_.column;
    const std::int64_t plane =
        a_.channelsLast ? pixel * a_.channels + place_.channel : place_.channel * pixels + pixel;
    memory_.store(static_cast<T*>(a_.result) + place_.image * a_.channels * pixels + plane, total_);
  }

  const PoolArgs& a_;
  const PoolPlace& place_;
  Memory memory_;
  std::int64_t step_;  // elements from column to column
  const T* image_;     // of the thread's channel
  float total_[1] = {kPoolNothing<kKind>};
};

}  // namespace kadvise
