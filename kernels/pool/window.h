// What one thread of a pooling does: a strip of neighbouring columns of the result, for a few neighbouring
// channels. Each row of the windows is read once.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/pool/launch.h"

#include <cmath>

namespace kadvise {

// Kernel, stride and padding along the columns, where they are known when the kernel is compiled; kColumns 0:
// when it runs.
template <int kColumns_, int kStride_, int kPad_, int kChannels_, int kStrip_>
struct PoolForm {
  static constexpr bool kKnown = kColumns_ > 0;
  static constexpr int kColumns = kColumns_, kStride = kStride_, kPad = kPad_;
  static constexpr int kChannels = kChannels_;  // neighbours that a thread has
  static constexpr int kStrip = kKnown ? kStrip_ : 1;
  static constexpr int kBody = kKnown ? kStrip * kStride : 1;  // columns of x that begin where the strip does
  static constexpr int kReach = kBody + kColumns - kStride;    // that its windows cover, from kPad before
  static_assert(!kKnown || (kPad <= kColumns - kStride && kStride <= kColumns));
};

// Threads, numbered along the memory of the result.
struct PoolGrid {
  Divider fast, middle, rows, depth;  // fast: channels or strips; middle: the other of them
  std::int64_t threads;
};

constexpr std::int64_t poolCeil(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

inline PoolGrid poolGrid(const PoolArgs& a, int channels, int strip) {
  const std::int64_t strips = poolCeil(a.columns.resultSize, strip), lanes = a.channels / channels;
  PoolGrid g;
  g.fast = Divider(a.channelsLast ? lanes : strips);
  g.middle = Divider(a.channelsLast ? strips : lanes);
  g.rows = Divider(a.rows.resultSize);
  g.depth = Divider(a.depth.resultSize);
  g.threads = a.images * lanes * strips * a.rows.resultSize * a.depth.resultSize;
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

KADVISE_HOST_DEVICE PoolPlace poolPlace(const PoolArgs& a, const PoolGrid& g, std::int64_t thread,
                                        int channels, int strip) {
  PoolPlace p;
  const std::int64_t fast = split(thread, g.fast);
  if (a.channelsLast) {
    p.channel = fast * channels;
    p.column = split(thread, g.middle) * strip;
    p.row = split(thread, g.rows);
    p.depth = split(thread, g.depth);
    p.image = thread;
  } else {
    p.column = fast * strip;
    p.row = split(thread, g.rows);
    p.depth = split(thread, g.depth);
    p.channel = split(thread, g.middle) * channels;
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

template <PoolKind kKind, class Form, class Memory>
class PoolThread {
 public:
  using T = typename Memory::Element;
  using Raw = typename Memory::template Raw<Form::kChannels>;
  static constexpr int kChannels = Form::kChannels, kStrip = Form::kStrip;

  KADVISE_HOST_DEVICE PoolThread(const PoolArgs& a, const PoolPlace& place, Memory memory)
      : a_(a), place_(place), memory_(memory) {
    step_ = a.channelsLast ? a.channels : 1;
    const std::int64_t rows = a.channelsLast ? 1 : a.rows.size * a.columns.size * a.depth.size;
    image_ = static_cast<const T*>(a.x) +
             place.image * a.channels * a.depth.size * a.rows.size * a.columns.size + place.channel * rows;
    for (int s = 0; s < kStrip; ++s)
      for (int c = 0; c < kChannels; ++c) total_[s][c] = kPoolNothing<kKind>;
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void run(Finish finish) {
    const PoolRange depth = poolRange(a_.depth, place_.depth), rows = poolRange(a_.rows, place_.row);
    for (std::int64_t z = depth.first; z < depth.end; z += a_.depth.dilation) {
      for (std::int64_t y = rows.first; y < rows.end; y += a_.rows.dilation) {
        const T* row = image_ + (z * a_.rows.size + y) * a_.columns.size * step_;
        if constexpr (Form::kKnown) {
          addRow(row);
        } else {
          addAnyRow(row);
        }
      }
    }
    divide(depth, rows);
    store(finish);
  }

 private:
  KADVISE_HOST_DEVICE void addRow(const T* row) {
    Raw raw[Form::kReach];
    float v[Form::kReach][kChannels];
    const std::int64_t first = place_.column * Form::kStride - Form::kPad;
    if constexpr (kChannels == 1) {
      const T* body = row + first + Form::kPad;
      if (memory_.template rowIsWhole<Form::kBody>(body, a_.columns.size - first - Form::kPad, step_)) {
        const auto whole = memory_.template loadIf<Form::kBody>(body, true);
        float inside[Form::kBody];
#pragma unroll
        for (int i = 0; i < Form::kReach; ++i)
          if (!isInBody(i)) raw[i] = loadOne(row, first + i);
        memory_.widen(whole, inside);
#pragma unroll
        for (int i = 0; i < Form::kReach; ++i) {
          if (isInBody(i)) {
            v[i][0] = inside[i - Form::kPad];
          } else {
            memory_.widen(raw[i], v[i]);
          }
        }
        return addColumns(first, v);
      }
    }
#pragma unroll
    for (int i = 0; i < Form::kReach; ++i) raw[i] = loadOne(row, first + i);
#pragma unroll
    for (int i = 0; i < Form::kReach; ++i) memory_.widen(raw[i], v[i]);
    addColumns(first, v);
  }

  KADVISE_HOST_DEVICE static constexpr bool isInBody(int i) {
    return i >= Form::kPad && i < Form::kPad + Form::kBody;
  }

  KADVISE_HOST_DEVICE bool isColumn(std::int64_t x) const { return x >= 0 && x < a_.columns.size; }

  KADVISE_HOST_DEVICE Raw loadOne(const T* row, std::int64_t x) const {
    return memory_.template loadIf<kChannels>(row + x * step_, isColumn(x));
  }

  KADVISE_HOST_DEVICE void addColumns(std::int64_t first, float (&v)[Form::kReach][kChannels]) {
#pragma unroll
    for (int i = 0; i < Form::kReach; ++i) {
#pragma unroll
      for (int c = 0; c < kChannels; ++c) v[i][c] = isColumn(first + i) ? v[i][c] : kPoolNothing<kKind>;
#pragma unroll
      for (int s = 0; s < kStrip; ++s) {
        if (i < s * Form::kStride || i >= s * Form::kStride + Form::kColumns) continue;
#pragma unroll
        for (int c = 0; c < kChannels; ++c) total_[s][c] = pooled<kKind>(total_[s][c], v[i][c]);
      }
    }
  }

  KADVISE_HOST_DEVICE void addAnyRow(const T* row) {
    const PoolRange columns = poolRange(a_.columns, place_.column);
    for (std::int64_t x = columns.first; x < columns.end; x += a_.columns.dilation) {
      float v[kChannels];
      memory_.widen(memory_.template loadIf<kChannels>(row + x * step_, true), v);
#pragma unroll
      for (int c = 0; c < kChannels; ++c) total_[0][c] = pooled<kKind>(total_[0][c], v[c]);
    }
  }

  KADVISE_HOST_DEVICE void divide(const PoolRange& depth, const PoolRange& rows) {
    if constexpr (kKind == PoolKind::Average) {
#pragma unroll
      for (int s = 0; s < kStrip; ++s) {
        const PoolRange columns = poolRange(a_.columns, place_.column + s);
        const std::int64_t count = a_.divisor != 0    ? a_.divisor
                                   : a_.countsPadding ? depth.padded * rows.padded * columns.padded
                                                      : (depth.end - depth.first) * (rows.end - rows.first) *
                                                            (columns.end - columns.first);
#pragma unroll
        for (int c = 0; c < kChannels; ++c) total_[s][c] /= static_cast<float>(count);
      }
    }
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void store(Finish finish) {
    float v[kStrip * kChannels];
#pragma unroll
    for (int s = 0; s < kStrip; ++s)
#pragma unroll
      for (int c = 0; c < kChannels; ++c) v[s * kChannels + c] = total_[s][c];
    finish(v);
    const std::int64_t pixels = a_.depth.resultSize * a_.rows.resultSize * a_.columns.resultSize;
    const std::int64_t pixel =
        (place_.depth * a_.rows.resultSize + place_.row) * a_.columns.resultSize + place_.column;
    const std::int64_t plane =
        a_.channelsLast ? pixel * a_.channels + place_.channel : place_.channel * pixels + pixel;
    T* at = static_cast<T*>(a_.result) + place_.image * a_.channels * pixels + plane;
    const std::int64_t columns = a_.columns.resultSize - place_.column;
    if constexpr (kChannels == 1) {
      if (memory_.template rowIsWhole<kStrip>(at, columns, step_)) return memory_.store(at, v);
    }
#pragma unroll
    for (int s = 0; s < kStrip; ++s) {
      if (s >= columns) continue;
      float one[kChannels];
#pragma unroll
      for (int c = 0; c < kChannels; ++c) one[c] = v[s * kChannels + c];
      memory_.store(at + s * step_, one);
    }
  }

  const PoolArgs& a_;
  const PoolPlace& place_;
  Memory memory_;
  std::int64_t step_;  // elements from column to column
  const T* image_;     // of the thread's first channel
  float total_[kStrip][kChannels];
};

}  // namespace kadvise
