// What one thread of a pooling over the usual square windows does where columns are neighbours in memory: a
// few rows and columns of the result, of volumes in one layer after another. Rows of x are added up first,
// then layers, then columns; what lies just beside a thread's columns it has from the lanes beside it. All
// that it reads of a layer is on its way before the first of it is used.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/pool/square.h"

namespace kadvise {

constexpr int kPoolWarp = 32;

template <PoolKind kKind, class Form, class Memory>
class ColumnThread : SquareThread<kKind, Form, Memory> {
  using Base = SquareThread<kKind, Form, Memory>;
  using Base::a_, Base::g_, Base::memory_, Base::columns_, Base::rows_, Base::column_, Base::row_,
      Base::depth_, Base::kNothing;
  using Of = typename Form::Of;
  static constexpr int kRows = Form::kRows, kColumns = Form::kColumns, kBody = Form::kBody, kKept = Of::kKept,
                       kStride = Of::kStride, kPad = Of::kPad;
  static constexpr bool kIsCube = Form::kDepth == PoolDepth::Cube;

 public:
  using T = typename Memory::Element;
  // What windows find in a single column: of the rows of the result.
  using Single = PoolTotal<kKind, 1, Memory>;
  struct Edge {
    Single row[kRows];
  };

  // Behind the last thread of the grid there may be others that write nothing.
  KADVISE_HOST_DEVICE ColumnThread(const PoolArgs& a, const SquareGrid& g, std::uint32_t thread,
                                   const Memory& memory)
      : Base(a, g, memory),
        isThere_(thread < static_cast<std::uint32_t>(g.threads)),
        isFirstLane_(thread % kPoolWarp == 0),
        isLastLane_(thread % kPoolWarp == kPoolWarp - 1) {
    if (!isThere_) thread = 0;
    column_ = splitSmall(thread, g.strips) * kColumns;
    row_ = splitSmall(thread, g.rows) * kRows;
    depth_ = Form::kDepth == PoolDepth::One ? 0 : splitSmall(thread, g.depth) * g.run;
    const auto plane = static_cast<int>(thread);
    x_ = static_cast<const T*>(a.x) + plane * this->layers() * rows_ * columns_;
    result_ = static_cast<T*>(a.result) + this->resultAt(plane);
    if constexpr (kIsCube) {
#pragma unroll
      for (int i = 0; i < kKept; ++i) layer_[i] = layerOf(rowsOf(depth_ * kStride - kPad + i));
    }
  }

  // Layers of the result, for each of which all lanes of a warp read, then know their neighbours' edges, then
  // write.
  KADVISE_HOST_DEVICE int steps() const { return kIsCube ? g_.run : 1; }

  KADVISE_HOST_DEVICE void read() {
    if constexpr (kIsCube) {
      const int z = depth_ * kStride - kPad + kKept;
      Rows fresh[kStride];
#pragma unroll
      for (int i = 0; i < kStride; ++i) fresh[i] = rowsOf(z + i);
#pragma unroll
      for (int i = 0; i < kStride; ++i) layer_[kKept + i] = layerOf(fresh[i]);
      total_ = layer_[0];
#pragma unroll
      for (int i = 1; i < Of::kKernel; ++i) add(layer_[i]);
#pragma unroll
      for (int i = 0; i < kKept; ++i) layer_[i] = layer_[i + kStride];
    } else {
      const PoolSpan depth =
          Form::kDepth == PoolDepth::One ? PoolSpan{0, 1} : poolSpan(a_.depth, depth_, false);
      total_ = layerOf(rowsOf(depth.first));
      for (int z = 1; z < depth.count; ++z) add(layerOf(rowsOf(depth.first + z)));
    }
  }

  KADVISE_HOST_DEVICE Edge firstColumn() const { return columnOf<0>(); }
  KADVISE_HOST_DEVICE Edge lastColumn() const { return columnOf<kBody - 1>(); }

  // `left`, `right`: the last column of the lane before, and the first one of the lane behind.
  template <class Finish>
  KADVISE_HOST_DEVICE void write(Edge left, Edge right, Finish finish) {
    if (isFirstLane_) left = total_.beside;
    if (isLastLane_) right = total_.beside;
    const bool hasRight = column_ + kColumns < a_.columns.resultSize;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (column_ == 0) left.row[r] = nothing();
      if (!hasRight) right.row[r] = nothing();
    }
    if (isThere_ && depth_ < a_.depth.resultSize) writeWindows(left, right, finish);
    ++depth_;
    result_ += static_cast<int>(a_.rows.resultSize) * static_cast<int>(a_.columns.resultSize);
  }

 private:
  // Of x: the columns that begin with the result's, and one on the side where there is no lane.
  struct Rows {
    typename Memory::template Raw<kBody> body[Form::kRowsOfX];
    typename Memory::template Raw<1> beside[Form::kRowsOfX];
  };
  using Body = PoolTotal<kKind, kBody, Memory>;
  struct Layer {
    Body row[kRows];
    Edge beside;
  };

  KADVISE_HOST_DEVICE Single nothing() const {
    return Single::of(memory_, memory_.template filled<1>(kNothing));
  }
  KADVISE_HOST_DEVICE bool isInPieces() const { return Form::kInPieces || g_.inPieces; }

  // ---- x

  KADVISE_HOST_DEVICE Rows rowsOf(int z) const {
    const int top = row_ * kStride - kPad, first = column_ * kStride;
    const int offset = isFirstLane_ ? -1 : kBody;
    const bool isBeside = (isFirstLane_ && kPad > 0) || (isLastLane_ && Form::kRight > 0)
                              ? this->isColumn(first + offset)
                              : false;
    const T* at = x_ + (z * rows_ + top) * columns_ + first;
    Rows rows;
#pragma unroll
    for (int y = 0; y < Form::kRowsOfX; ++y, at += columns_) {
      const bool within = this->isRow(top + y) && (!kIsCube || this->isLayer(z));
      rows.body[y] = bodyOf(at, first, within);
      if constexpr (kPad > 0)
        rows.beside[y] = memory_.template loadOr<1>(at + offset, within && isBeside, kNothing);
    }
    return rows;
  }

  KADVISE_HOST_DEVICE auto bodyOf(const T* at, int first, bool within) const {
    if (isInPieces()) return memory_.template loadOr<kBody>(at, within, kNothing);
    typename Memory::template Raw<1> one[kBody];
#pragma unroll
    for (int i = 0; i < kBody; ++i)
      one[i] = memory_.template loadOr<1>(at + i, within && this->isColumn(first + i), kNothing);
    return memory_.template joined<kBody>(one);
  }

  // ---- totals

  KADVISE_HOST_DEVICE Layer layerOf(const Rows& rows) const {
    Layer layer;
    Body body[Form::kRowsOfX];
    Single beside[Form::kRowsOfX];
#pragma unroll
    for (int y = 0; y < Form::kRowsOfX; ++y) {
      body[y] = Body::of(memory_, rows.body[y]);
      if constexpr (kPad > 0) beside[y] = Single::of(memory_, rows.beside[y]);
    }
    addAlong<Of, kRows>(memory_, body, layer.row);
    if constexpr (kPad > 0) addAlong<Of, kRows>(memory_, beside, layer.beside.row);
    return layer;
  }

  KADVISE_HOST_DEVICE void add(const Layer& layer) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      total_.row[r].add(memory_, layer.row[r]);
      if constexpr (kPad > 0) total_.beside.row[r].add(memory_, layer.beside.row[r]);
    }
  }

  template <int kColumn>
  KADVISE_HOST_DEVICE Edge columnOf() const {
    Edge edge;
#pragma unroll
    for (int r = 0; r < kRows; ++r) edge.row[r] = total_.row[r].template at<kColumn>(memory_);
    return edge;
  }

  // ---- the result

  template <class Finish>
  KADVISE_HOST_DEVICE void writeWindows(const Edge& left, const Edge& right, Finish finish) const {
    using Window = PoolTotal<kKind, kColumns, Memory>;
    Window window[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      window[r] = Window::template along<Of, kBody>(memory_, left.row[r], total_.row[r], right.row[r]);
    if constexpr (kKind == PoolKind::Max) {
      if (isFloor(a_.activation)) return storeLargest(window);
    }
    float v[kRows * kColumns];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float row[kColumns];
      window[r].widen(memory_, row);
#pragma unroll
      for (int s = 0; s < kColumns; ++s) v[r * kColumns + s] = row[s];
    }
    if constexpr (kKind == PoolKind::Average) divide(v);
    finish(v);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float row[kColumns];
#pragma unroll
      for (int s = 0; s < kColumns; ++s) row[s] = v[r * kColumns + s];
      storeRow(
          r, [&](T* to) { memory_.store(to, row); },
          [&](T* to, int s) {
            const float one[1] = {row[s]};
            memory_.store(to, one);
          });
    }
  }

  // Values of x, which are stored as they are.
  template <class Window>
  KADVISE_HOST_DEVICE void storeLargest(const Window (&window)[kRows]) const {
    const float floor = a_.activation == Activation::Relu ? 0.0f : -HUGE_VALF;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const auto piece =
          memory_.template larger<kColumns>(window[r].most, memory_.template filled<kColumns>(floor));
      storeRow(
          r, [&](T* to) { memory_.template storePiece<kColumns>(to, piece); },
          [&](T* to, int s) {
            memory_.template storePiece<1>(to, memory_.template elementOf<kColumns>(piece, s));
          });
    }
  }

  // Stores the r-th row: as one piece, or element by element.
  template <class StorePiece, class StoreOne>
  KADVISE_HOST_DEVICE void storeRow(int r, StorePiece storePiece, StoreOne storeOne) const {
    if (row_ + r >= a_.rows.resultSize) return;
    T* const to = result_ + r * static_cast<int>(a_.columns.resultSize);
    if (isInPieces()) return storePiece(to);
#pragma unroll
    for (int s = 0; s < kColumns; ++s)
      if (column_ + s < a_.columns.resultSize) storeOne(to + s, s);
  }

  KADVISE_HOST_DEVICE void divide(float (&v)[kRows * kColumns]) const {
    if (g_.average.countsAlike) {
#pragma unroll
      for (int i = 0; i < kRows * kColumns; ++i) v[i] *= g_.average.inverse;
      return;
    }
    const int layers = this->counted(a_.depth, depth_);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int s = 0; s < kColumns; ++s)
        v[r * kColumns + s] *= g_.average.inverseOf(layers * this->counted(a_.rows, row_ + r) *
                                                    this->counted(a_.columns, column_ + s));
  }

  bool isThere_, isFirstLane_, isLastLane_;
  const T* x_;                              // of the thread's plane, or volume
  T* result_;                               // where it stands
  Layer layer_[kIsCube ? Of::kKernel : 1];  // of a window: those that it shares with the next first
  Layer total_;
};

}  // namespace kadvise
