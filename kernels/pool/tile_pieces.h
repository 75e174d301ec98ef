// How the threads of tiles.h read x: a piece by one access, or in parts where rows do not begin with one.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/pool/tile_grid.h"

namespace kadvise {

template <class Form, class Memory>
class TilePieces {
  static constexpr int kLanes = Form::kLanes;
  using T = typename Memory::Element;

 public:
  using Piece = typename Memory::template Raw<kLanes>;

  // columns: of x.
  KADVISE_HOST_DEVICE TilePieces(const Memory& memory, int columns, bool inPairs)
      : memory_(memory), columns_(columns), inPairs_(inPairs) {}

  // From column `column` on; `otherwise` where there is no such column, or `when` does not hold.
  KADVISE_HOST_DEVICE Piece load(const T* from, int column, bool when, float otherwise) const {
    if constexpr (Form::kInParts) {
      return inPairs_ ? joined<2>(from, column, when, otherwise) : joined<1>(from, column, when, otherwise);
    } else {
      return memory_.template loadOr<kLanes>(from, when && isColumn(column), otherwise);
    }
  }

 private:
  template <int kPart>
  KADVISE_HOST_DEVICE Piece joined(const T* from, int column, bool when, float otherwise) const {
    typename Memory::template Raw<kPart> part[kLanes / kPart];
#pragma unroll
    for (int i = 0; i < kLanes / kPart; ++i)
      part[i] =
          memory_.template loadOr<kPart>(from + i * kPart, when && isColumn(column + i * kPart), otherwise);
    return memory_.template joined<kLanes>(part);
  }
  KADVISE_HOST_DEVICE bool isColumn(int column) const {
    return static_cast<unsigned>(column) < static_cast<unsigned>(columns_);
  }

  const Memory& memory_;
  int columns_;
  bool inPairs_;
};

}  // namespace kadvise
