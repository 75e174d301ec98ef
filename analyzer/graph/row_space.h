// The iteration space that operators of a graph share when one kernel computes them: which dimension of which
// value is which dimension of the space.
#pragma once

#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/row_statements.h"

namespace kadvise::graph {

// A node that a row program can compute.
struct RowNode {
  torch::jit::Node* node;
  RowOperator op;
  int expensive;  // flops of an element, see OperatorCost
};

struct RowSpace {
  using Dims = std::vector<int>;  // of each dimension of a value: which one of the space it is

  // What is read from outside; the same value may be read in several places of the space.
  struct Reading {
    const torch::jit::Value* value;
    Dims dims;
    RowRead how;
  };
  struct Made {
    Dims dims;
    bool isRow;   // made of reductions and numbers alone
    bool isFull;  // has all of the elements of the space, or of its rows
    int first;    // the first dimension of the space that anything it is made of has
  };
  int rank = 0;
  Dims reduced;
  std::vector<std::int64_t> sizes;  // as the run saw them
  std::vector<Reading> readings;
  std::vector<std::vector<std::size_t>>
      reads;  // of each node and operand: the index of its reading, or kInside
  std::unordered_map<const torch::jit::Value*, Made> made;
  int phases = 0;  // reductions that wait for each other

  static constexpr std::size_t kInside = ~std::size_t{0};
  double elements() const { return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>()); }
  double elementsOfRow() const {
    double n = 1;
    for (int d : reduced) n *= static_cast<double>(sizes[static_cast<std::size_t>(d)]);
    return n;
  }
};

// nodes: in execution order. nullopt where they share no space; why: a word of kLeftOut.
std::optional<RowSpace> spaceOf(const std::vector<const RowNode*>& nodes, const TracedValues&,
                                std::string& why);

// Whether the program can give the value out: as itself (false), or without its reduced dimensions (true).
std::optional<bool> storedWithoutReduced(const RowSpace&, const torch::jit::Value*);

}  // namespace kadvise::graph
