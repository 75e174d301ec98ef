// Reductions that wait for each other, joined across threads at once.
//
// A variance measures from a mean, a softmax's sum from a maximum: two rounds through shuffles and shared
// memory, of which each waits for the slowest thread. Instead each thread measures from the mean of its own
// values, a warp from its own maximum, and both results are joined together: as Chan, Golub and LeVeque join
// variances, and as an online softmax rescales its sums.
#pragma once

#include <vector>

namespace kadvise::rowprogram {

struct Plan;

struct Joint {
  enum class Kind : unsigned char { Moments, Peak };
  Kind kind = Kind::Moments;
  int first = -1;   // Mean or Max; -1: a mean that the program does not have
  int second = -1;  // Var, or the Sum of exp(operand of first - first)
};

// Of all pairs that the plan's form can join. What the second is made of is computed again once the first is
// known: `chain` has those statements.
std::vector<Joint> jointsOf(const Plan&, std::vector<int>& chain);

// The stages of each round, in order.
std::vector<std::vector<int>> roundsOf(const Plan&);

}  // namespace kadvise::rowprogram
