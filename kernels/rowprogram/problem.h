// A program on the memory of one call: what schedules are chosen by and kernels are generated for.
#pragma once

#include "kernels/rowprogram/program.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace kadvise::rowprogram {

// Sizes or strides of a few dimensions, without a memory of their own: a problem is made for each call.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values) {
    for (auto v : values) push_back(v);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  void push_back(std::int64_t value) { values_[count_++] = value; }
  std::int64_t& operator[](std::size_t i) { return values_[i]; }
  std::int64_t operator[](std::size_t i) const { return values_[i]; }
  std::int64_t back() const { return values_[count_ - 1]; }
  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + count_; }
  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<std::int64_t, kMostRank> values_;  // the first count_ are set
  std::size_t count_ = 0;
};

// How one tensor lies over the iteration space. Strides are in elements; 0 where it is broadcast.
struct Access {
  Element element = Element::Float;
  Dims outer, inner;      // along Problem::outer and Problem::inner
  int alignment = 1;      // bytes, a power of two up to 16: of the address and of what its rows begin at
  int address = 1;        // of the address alone
  std::int64_t step = 0;  // from an element of a list to the next; 0 where it has no lists
  bool isNumber = false;  // in the memory of the host: kernels are given its bits in place of its address
};

// Dimensions are dropped where they have size 1, sorted by the order in memory of the operands, and joined
// where all operands step over them without a gap. With reductions, `inner` are the reduced dimensions and a
// row is one point of `outer`. Without, `inner` is the one fastest dimension (numel of all where everything
// is dense). The last dimension of each list is the fastest.
struct Problem {
  const Program* program = nullptr;
  Dims outer, inner;  // sizes
  std::vector<Access> inputs,
      outputs;  // tables: element and alignment, strides of its two dimensions in `inner`
  // For each input what its indices are below: the rows of a table, the length of lists; 0 of others.
  std::vector<std::int64_t> bounds;

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
