// What threads have in common that pool over the usual square windows: where they stand, and how many
// elements their windows have.
#pragma once

#include "kernels/pool/squares.h"
#include "kernels/pool/totals.h"

namespace kadvise {

template <PoolKind kKind, class Form, class Memory>
class SquareThread {
 public:
  using T = typename Memory::Element;
  static constexpr float kNothing = kPoolNothing<kKind>;

 protected:
  KADVISE_HOST_DEVICE SquareThread(const PoolArgs& a, const SquareGrid& g, const Memory& memory)
      : a_(a),
        g_(g),
        memory_(memory),
        columns_(static_cast<int>(a.columns.size)),
        rows_(static_cast<int>(a.rows.size)) {}

  // `plane`: of the result's planes in memory, whose first column and row are the thread's.
  KADVISE_HOST_DEVICE std::int32_t resultAt(int plane) const {
    const int layer =
        Form::kDepth == PoolDepth::One ? plane : plane * static_cast<int>(a_.depth.resultSize) + depth_;
    return (layer * static_cast<int>(a_.rows.resultSize) + row_) * static_cast<int>(a_.columns.resultSize) +
           column_;
  }

  KADVISE_HOST_DEVICE int layers() const {
    return Form::kDepth == PoolDepth::One ? 1 : static_cast<int>(a_.depth.size);
  }
  KADVISE_HOST_DEVICE bool isRow(int y) const {
    return static_cast<unsigned>(y) < static_cast<unsigned>(rows_);
  }
  KADVISE_HOST_DEVICE bool isColumn(int x) const {
    return static_cast<unsigned>(x) < static_cast<unsigned>(columns_);
  }
  KADVISE_HOST_DEVICE bool isLayer(int z) const {
    return static_cast<unsigned>(z) < static_cast<unsigned>(a_.depth.size);
  }

  // Elements of a window along one dimension, that an average counts.
  KADVISE_HOST_DEVICE int counted(const PoolDim& d, int at) const {
    return poolSpan(d, at, a_.countsPadding).count;
  }

  const PoolArgs& a_;
  const SquareGrid& g_;
  const Memory& memory_;
  int columns_, rows_;        // of x
  int column_, row_, depth_;  // the first of the result
};

// Whether an activation of largest values is one more value among them, or none.
KADVISE_HOST_DEVICE bool isFloor(Activation activation) {
  return activation == kNoActivation || activation == Activation::Relu;
}

}  // namespace kadvise
