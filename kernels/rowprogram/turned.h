// Operands whose memory runs along another dimension than the columns, which are those of an output.
#pragma once

#include "kernels/rowprogram/plan.h"

namespace kadvise::rowprogram {

// The dimension of Problem::outer along which most of their bytes lie, of a program without reductions and
// gathers whose other outputs lie along the columns; -1 where there are none, or where either dimension is
// too short for a tile.
int turnedDimOf(const Problem&);

// Its turnedDim, turned and turnedOut, where it is of tiles.
void settleTurned(Plan&);

// Points of a tile along the columns, and along the memory of the turned operands.
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
