// Upsampling by 2, 4 or 8 in both dimensions, the pixels' middles kept apart evenly (no aligned corners):
// which elements of x a thread's part of the result is made of is known when the kernel is compiled.
#pragma once

#include "kernels/upsample/grid.h"

namespace kadvise {

// Some neighbouring rows or columns of the result, a thread's. The first is a multiple of them.
//
// Bilinear element i lies at (i + 0.5) / factor - 0.5 of x: half a factor of neighbours lie between the same
// two elements.
template <UpsampleMode kMode, int kFactor, int kCount>
struct WholeSpan {
  static constexpr bool kNearest = kMode == UpsampleMode::Nearest;
  static constexpr int kHalf = kFactor / 2;
  static constexpr bool kSteady = kCount % kFactor == 0;  // every thread's begins a factor
  static constexpr int kOfX = (kSteady ? kCount / kFactor : 1) + (kNearest ? 0 : kSteady ? 2 : 1);
  static_assert(kSteady || (kNearest ? kFactor : kHalf) % kCount == 0);

  // The elements of x that the t-th lies in or behind, counted from firstOfX.
  KADVISE_HOST_DEVICE static constexpr int offset(int t) {
    return !kSteady ? 0 : kNearest ? t / kFactor : (t + kHalf) / kFactor;
  }

  // -1 where the part begins ahead of the middle of x's first element.
  KADVISE_HOST_DEVICE static int firstOfX(int first) {
    return kNearest ? first / kFactor : (first + kHalf) / kFactor - 1;
  }
  // How far the t-th lies behind that element; all of it, and so on the next, ahead of the first one's
  // middle. Every number here is a sum of few powers of two, and exact.
  KADVISE_HOST_DEVICE static float fraction(int first, int t) {
    if (firstOfX(first) < 0 && offset(t) == 0) return 1.0f;
    const int inFactor = kSteady ? 0 : (first + kHalf) % kFactor;
    constexpr float kStep = 1.0f / kFactor;
    const float begin = kSteady ? 0.5f + 0.5f * kStep : (static_cast<float>(inFactor) + 0.5f) * kStep;
    return begin + static_cast<float>(t) * kStep - static_cast<float>(offset(t));
  }
};

// What torch multiplies by zero ahead of the first element's middle is the second element, not the first: one
// that is no number must show.
KADVISE_HOST_DEVICE int elementOfWhole(int at, int size) {
  if (at < 0) return size > 1 ? 1 : 0;
  return at < size ? at : size - 1;
}

// kChannels: neighbours in memory, or 1: columns are.
template <UpsampleMode kMode, int kFactor_, int kChannels_, int kRows_, int kColumns_>
struct WholeForm {
  static constexpr int kFactor = kFactor_, kChannels = kChannels_, kRows = kRows_, kColumns = kColumns_;
  using Rows = WholeSpan<kMode, kFactor, kRows>;
  using Columns = WholeSpan<kMode, kFactor, kColumns>;
  static constexpr int kBody = Columns::kSteady ? kColumns / kFactor : 1;  // columns of x that lie together
  static_assert(kChannels == 1 || (kFactor % kRows == 0 && kFactor % kColumns == 0), "no part is ragged");
};

// Threads, numbered along the memory of the result. All counts are of 31 bits.
struct WholeGrid {
  Divider lanes, strips, rows;  // lanes: of neighbouring channels; 1 where columns are neighbours
  std::int64_t threads;
  bool inPieces;  // rows of x and of the result are whole pieces of what a thread has
};

// Floats count a dimension's halves exactly, and 32 bits all elements.
inline bool isWhole(const UpsampleArgs& a, int factor) {
  const auto isOf = [&](const UpsampleDim& d) {
    const bool keeps = a.mode == UpsampleMode::Nearest || d.center == 0.5f;
    return keeps && d.resultSize <= 1 << 22 && d.resultSize == std::int64_t{d.size} * factor &&
           d.ratio == 1.0f / static_cast<float>(factor);
  };
  if (a.mode == UpsampleMode::Bicubic || !isOf(a.rows) || !isOf(a.columns)) return false;
  const std::int64_t most = INT32_MAX / a.rows.resultSize / a.columns.resultSize;
  return a.images <= INT32_MAX && a.channels <= INT32_MAX && a.images * a.channels <= most;
}

template <class Form>
WholeGrid wholeGrid(const UpsampleArgs& a, bool aligned) {
  const std::int64_t strips = ceilDiv(a.columns.resultSize, Form::kColumns);
  const std::int64_t rows = ceilDiv(a.rows.resultSize, Form::kRows), lanes = a.channels / Form::kChannels;
  WholeGrid g{};
  g.lanes = Divider(Form::kChannels > 1 ? lanes : 1);
  g.strips = Divider(strips);
  g.rows = Divider(rows);
  g.threads = a.images * lanes * strips * rows;
  g.inPieces = aligned && a.columns.resultSize % Form::kColumns == 0;
  return g;
}

template <UpsampleMode kMode, class Form, class Memory>
class WholeThread {
 public:
  using T = typename Memory::Element;
  using Rows = typename Form::Rows;
  using Columns = typename Form::Columns;
  static constexpr int kChannels = Form::kChannels, kRows = Form::kRows, kColumns = Form::kColumns;
  static constexpr bool kNearest = kMode == UpsampleMode::Nearest;

  KADVISE_HOST_DEVICE WholeThread(const UpsampleArgs& a, const WholeGrid& g, std::uint32_t thread,
                                  const Memory& memory)
      : memory_(memory), inPieces_(g.inPieces) {
    const auto split = [](std::uint32_t& n, const Divider& by) {
      const std::uint32_t quotient = by.quotientOfSmall(n);
      const int rest = static_cast<int>(n - quotient * static_cast<std::uint32_t>(by.divisor));
      n = quotient;
      return rest;
    };
    const int lane = kChannels > 1 ? split(thread, g.lanes) : 0;
    column_ = split(thread, g.strips) * kColumns;
    row_ = split(thread, g.rows) * kRows;
    // `thread` is now the image, or the plane.
    step_ = kChannels > 1 ? static_cast<int>(a.channels) : 1;
    rowsOfX_ = a.rows.size;
    columnsOfX_ = a.columns.size;
    rowsOfResult_ = a.rows.resultSize;
    columnsOfResult_ = a.columns.resultSize;
    const int first = static_cast<int>(thread);
    x_ = static_cast<const T*>(a.x) + first * rowsOfX_ * columnsOfX_ * step_ + lane * kChannels;
    result_ = static_cast<T*>(a.result) + lane * kChannels +
              ((first * rowsOfResult_ + row_) * columnsOfResult_ + column_) * step_;
  }

  KADVISE_HOST_DEVICE void run() const {
    if (kChannels == 1 && inPieces_) {
      runIn<true>();
    } else {
      runIn<false>();
    }
  }

 private:
  // Of x, in a row that the thread reads.
  struct Row {
    typename Memory::template Raw<kChannels> column[Columns::kOfX];
    typename Memory::template Raw<Form::kBody> body;  // columns that lie together
  };
  struct Values {
    float v[Columns::kOfX][kChannels];
  };
  static constexpr int kBodyAt = Columns::kSteady && !kNearest ? 1 : 0;

  // kPieces: the body of a row is loaded at once, and columns of the result are stored so.
  template <bool kPieces>
  KADVISE_HOST_DEVICE static constexpr bool isOfBody(int c) {
    return kPieces && Form::kBody > 1 && c >= kBodyAt && c < kBodyAt + Form::kBody;
  }

  template <bool kPieces>
  KADVISE_HOST_DEVICE void runIn() const {
    Row raw[Rows::kOfX];
    const int top = Rows::firstOfX(row_), left = Columns::firstOfX(column_);
#pragma unroll
    for (int y = 0; y < Rows::kOfX; ++y)
      loadRow<kPieces>(x_ + elementOfWhole(top + y, rowsOfX_) * columnsOfX_ * step_, left, raw[y]);
    Values x[Rows::kOfX];
#pragma unroll
    for (int y = 0; y < Rows::kOfX; ++y) widenRow<kPieces>(raw[y], x[y]);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (kChannels == 1 && row_ + r >= rowsOfResult_) break;
      storeRow<kPieces>(r, valuesOf(x, r));
    }
  }

  template <bool kPieces>
  KADVISE_HOST_DEVICE void loadRow(const T* row, int left, Row& raw) const {
    if constexpr (isOfBody<kPieces>(kBodyAt))
      raw.body = memory_.template loadIf<Form::kBody>(row + left + kBodyAt, true);
#pragma unroll
    for (int c = 0; c < Columns::kOfX; ++c) {
      if (isOfBody<kPieces>(c)) continue;
      const int at = elementOfWhole(left + c, columnsOfX_) * step_;
      raw.column[c] = memory_.template loadIf<kChannels>(row + at, true);
    }
  }

  template <bool kPieces>
  KADVISE_HOST_DEVICE void widenRow(const Row& raw, Values& x) const {
    float body[Form::kBody] = {};
    if constexpr (isOfBody<kPieces>(kBodyAt)) memory_.template widen<Form::kBody>(raw.body, body);
#pragma unroll
    for (int c = 0; c < Columns::kOfX; ++c) {
      if (isOfBody<kPieces>(c)) {
        x.v[c][0] = body[c - kBodyAt];
      } else {
        memory_.template widen<kChannels>(raw.column[c], x.v[c]);
      }
    }
  }

  // Of x, at the height of a row of the result.
  KADVISE_HOST_DEVICE Values valuesOf(const Values (&x)[Rows::kOfX], int r) const {
    const Values& above = x[Rows::offset(r)];
    if constexpr (kNearest) {
      return above;
    } else {
      const Values& below = x[Rows::offset(r) + 1];
      const float part = Rows::fraction(row_, r), rest = 1.0f - part;
      Values v;
#pragma unroll
      for (int c = 0; c < Columns::kOfX; ++c)
#pragma unroll
        for (int i = 0; i < kChannels; ++i) v.v[c][i] = rest * above.v[c][i] + part * below.v[c][i];
      return v;
    }
  }

  template <bool kPieces>
  KADVISE_HOST_DEVICE void storeRow(int r, const Values& x) const {
    T* const to = result_ + r * columnsOfResult_ * step_;
    float row[kColumns];  // where columns are neighbours
#pragma unroll
    for (int t = 0; t < kColumns; ++t) {
      float pixel[kChannels];
      findPixel(x, t, pixel);
      row[t] = pixel[0];
      if (!kPieces && (kChannels > 1 || column_ + t < columnsOfResult_)) memory_.store(to + t * step_, pixel);
    }
    if constexpr (kPieces) memory_.store(to, row);
  }

  KADVISE_HOST_DEVICE void findPixel(const Values& x, int t, float (&pixel)[kChannels]) const {
    const float(&before)[kChannels] = x.v[Columns::offset(t)];
    const float(&behind)[kChannels] = x.v[Columns::offset(t) + (kNearest ? 0 : 1)];
    const float part = kNearest ? 0.0f : Columns::fraction(column_, t), rest = 1.0f - part;
#pragma unroll
    for (int i = 0; i < kChannels; ++i) pixel[i] = kNearest ? before[i] : rest * before[i] + part * behind[i];
  }

  const Memory& memory_;
  bool inPieces_;
  int column_, row_;  // the first of the result
  int rowsOfX_, columnsOfX_, rowsOfResult_, columnsOfResult_;
  int step_;    // elements from column to column
  const T* x_;  // of the thread's first channel
  T* result_;   // of that and its first pixel
};

}  // namespace kadvise
