// What the emitter settles about a program on the memory of one call before it writes a line: how each tensor
// is reached, which values are one a row, and in which pass over a row each statement stands.
//
// A row is passed over in stages. The reductions of phase p complete in stage 2p, those that measure
// distances from a mean (var) in stage 2p + 1. A value is computed in the first stage that needs it, and kept
// for later ones.
#pragma once

#include "kernels/rowprogram/rounds.h"
#include "kernels/rowprogram/schedule.h"

#include <string>
#include <vector>

namespace kadvise::rowprogram {

// How a tensor is reached along a row.
enum class Reach : std::uint8_t {
  Vector,   // its elements lie side by side: a vector of them at once
  Same,     // one element for the whole row
  Element,  // element by element
};

struct Plan {
  Plan(const Problem&, const Schedule&);

  const Problem& problem;
  const Program& program;
  Schedule schedule;
  int vector = 4;       // elements of a vector
  bool ragged = false;  // rows begin or end within vectors
  bool wide = false;    // offsets and indices need 64 bits
  int stages = 1;
  std::vector<Reach> inputs, outputs;
  std::vector<char> dense;        // Flat: inputs, then outputs: its offset is the point's number
  int turnedDim = -1;             // Tiles: of Problem::outer (turned.h)
  std::vector<char> turned;       // Tiles: inputs that lie along it
  std::vector<char> turnedOut;    // and outputs
  std::vector<char> overwritten;  // inputs: the output over it may lie in its memory
  std::vector<char> perRow;       // statements: one value a row (Flat: a vector)
  std::vector<char> exact;        // statements: not only seen through 16 bits
  std::vector<int> stage;         // statements: where it is computed; -1: nowhere
  std::vector<int> lastUse;       // statements: the last stage that reads it
  std::vector<char> recomputed;   // statements: rather than kept, computed again in each stage that reads it
  std::vector<char> takesVector;  // statements: a Take whose rows are read as vectors
  std::vector<Joint> joints;
  std::vector<std::vector<int>> rounds;  // stages whose reductions are joined across threads at once

  bool flat() const { return program.reduced.empty(); }
  bool kept(int statement) const;  // computed in one stage, read from registers in a later one
  int reduceStage(int statement) const;
  int finalStage() const { return stages - 1; }
  const Joint* jointOf(int reduction) const;  // that it is part of; null: none
  // Full values that a pass reads or computes; `again`: nothing is kept, all of it is computed again.
  std::vector<char> needed(int stage, bool again) const;
};

int bytesOf(Element);
Type typeOf(Element);

// Strides and sizes decide these; they do not depend on a schedule.
bool sameAlongRow(const Access&);
bool sameForAllRows(const Access&);
std::int64_t extentOf(const Access&, const Problem&);  // elements from its first to behind its last

// Registers of a thread that holds its part of a row, and whether it has them. Where rows do not stay in
// registers they stay in shared memory.
int registersOf(const Plan&, const Schedule&);
bool fitsRegisters(const Plan&, const Schedule&);
bool keepsInShared(const Plan&, const Schedule&);

// Columns: whether the reduced dimension stays in registers from one pass to the next.
bool keepsColumns(const Plan&, const Schedule&);

// Whether an input of all rows is read in the pass that needs it, not before.
bool readsLate(const Plan&, const Schedule&, int input);

// Why the generator does not serve a problem; empty where it does.
std::string whyNotServed(const Problem&);

}  // namespace kadvise::rowprogram
