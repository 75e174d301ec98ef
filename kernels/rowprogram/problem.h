// A program on the memory of one call: what schedules are chosen by and kernels are generated for.
#pragma once

#include "kernels/rowprogram/program.h"

namespace kadvise::rowprogram {

// How one tensor lies over the iteration space. Strides are in elements; 0 where it is broadcast.
struct Access {
  Element element = Element::Float;
  std::vector<std::int64_t> outer, inner;  // along Problem::outer and Problem::inner
  int alignment = 1;  // bytes, a power of two up to 16: of the address and of what its rows begin at
};

// Dimensions are dropped where they have size 1, sorted by the order in memory of the operands, and joined
// where all operands step over them without a gap. With reductions, `inner` are the reduced dimensions and a
// row is one point of `outer`. Without, `inner` is the one fastest dimension (numel of all where everything
// is dense). The last dimension of each list is the fastest.
struct Problem {
  const Program* program = nullptr;
  std::vector<std::int64_t> outer, inner;  // sizes
  std::vector<Access> inputs,
      outputs;  // tables: element and alignment, strides of its two dimensions in `inner`
  std::vector<std::int64_t> tableRows;  // for each input; 0 where it is no table

  std::int64_t rows() const {
    std::int64_t n = 1;
    for (auto d : outer) n *= d;
    return n;
  }
  std::int64_t columns() const {
    std::int64_t n = 1;
    for (auto d : inner) n *= d;
    return n;
  }
};

}  // namespace kadvise::rowprogram
