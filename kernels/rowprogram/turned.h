// Operands whose memory runs along another dimension than the outputs' does.
#pragma once

#include "kernels/rowprogram/plan.h"

namespace kadvise::rowprogram {

// The dimension of Problem::outer along which most of their bytes lie, of a program without reductions and
// gathers; -1 where there are none, or where either dimension is too short for a tile.
int turnedDimOf(const Problem&);

// Whether the input's elements lie beside each other along that dimension, and not along the outputs'.
bool isTurned(const Problem&, int dim, int input);

// Points of a tile along the outputs' memory, and along that of the turned operands.
struct Tile {
  int along, deep;
};
Tile tileOf(const Plan&);

// Words from a row of a tile to the next in shared memory: odd, so that a warp that writes down a column
// meets 32 banks.
inline int pitchOf(const Tile& tile) { return tile.along + 1; }

// Whether the plan is one of tiles that a block has room for.
bool runsInTiles(const Plan&);

}  // namespace kadvise::rowprogram
