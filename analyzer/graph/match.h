// Finds a pattern in a module's graph. Both are in normal form. Structure only: whether the rewrite is safe
// is the business of rewrite.h, whether it is legal for these shapes that of condition.h.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/graph/rule.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

struct Match {
  std::unordered_map<const torch::jit::Value*, torch::jit::Value*> bound;  // pattern value -> module value
  std::vector<torch::jit::Node*> nodes;  // matched, in execution order; constants left out
  torch::jit::Node* anchor = nullptr;    // makes the output that the pattern names, mostly the first

  torch::jit::Value* at(const torch::jit::Value* patternValue) const { return bound.at(patternValue); }
};

// The attempt that got furthest before it failed.
struct NearMiss {
  std::size_t depth = 0;  // pattern values that had found theirs
  Mismatch mismatch;
  torch::jit::Node* anchor = nullptr;
};

// What a place lacks to be a match.
struct Obstacle {
  Mismatch mismatch;
  torch::jit::Node* node = nullptr;  // where it is
};

// How near a place comes: the first difference is passed over with all that hangs on it, and the rest
// compared.
struct NearMatch {
  torch::jit::Node* anchor = nullptr;
  std::size_t matched = 0, of = 0;    // operators of the pattern
  std::vector<Obstacle> obstacles;    // one, or two where the rest differs too
  std::set<torch::jit::Node*> nodes;  // of the module, that the matched operators are

  // 12 operators of 17 are nearer than 2 of 2: a large pattern is not there by accident.
  double nearness() const {
    return of ? static_cast<double>(matched * matched) / static_cast<double>(of) : 0;
  }
};

// Matches with the pattern's first output at the given node. Commutative operands are tried in both orders;
// numbers compare by value; a dimension compares modulo the rank where the trace knows it. Bounded: gives up
// after a fixed number of steps, and says so in the near miss.
std::optional<Match> matchAt(const Pattern&, torch::jit::Node* anchor, const TracedValues&, NearMiss&);

// The same where the nodes of the first outputs, or of all of them, are known: roots[i] makes output i.
std::optional<Match> matchAt(const Pattern&, const std::vector<torch::jit::Node*>& roots, const TracedValues&,
                             NearMiss&);

// Compares where there is no match, and keeps the nearest attempt of those made with the same `best`. Dearer
// than matchAt(): for a user who asks.
void matchNearly(const Pattern&, torch::jit::Node* anchor, const TracedValues&, NearMatch& best);

}  // namespace kadvise::graph
