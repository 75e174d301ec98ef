// A kernel, simulated for one block: which touches of shared memory nothing orders, and which barriers not
// all threads reach. Sizes get made-up values, loops run a few turns, and what was loaded may be anything: a
// choice by it is taken one way for all threads, or, where threads differ in it, both ways and not judged.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "analyzer/source/launch_sites.h"
#include "analyzer/source/shared_log.h"

namespace kadvise::source {

struct BlockSetting {
  std::array<int, 3> block{256, 1, 1};
  int seed = 1;
  bool isTiny = false;  // sizes are smaller than the block: it is cut off at the end of the problem
  std::map<const clang::ParmVarDecl*, std::int64_t> sizes;  // that every launch gives; others are made up
  std::optional<std::int64_t> dynamicBytes;                 // of shared memory, that every launch gives
};

// Some threads of a block or of a warp come to a place that waits for all of them.
struct Parting {
  const clang::Expr* barrier = nullptr;
  const clang::CallExpr* outermost = nullptr;  // the call in the kernel itself that leads there; may be null
  const clang::Expr* condition = nullptr;      // where threads part; null: unknown, or they left by exit
  const clang::Stmt* exit = nullptr;           // a return, break or continue
  bool isOfWarp = false;
};

// An access of all threads, whatever was loaded and made up, in which one goes beyond the end of the array;
// of dynamic memory that has no bytes, an access of any.
struct Overrun {
  const clang::Expr* site = nullptr;
  const clang::ValueDecl* array = nullptr;
  int thread = 0;
  std::vector<const clang::Expr*> conditions;  // around it, that hold for all threads
};

struct Turn {
  const clang::Stmt* loop = nullptr;
  int number = 0;
};

struct BlockRun {
  BlockSetting setting;
  bool isLaunched = false;  // with this very block
  bool fits = true;         // false: an access left its array, so the kernel is for another block
  bool hasMadeUp = false;   // sizes, or choices by what was loaded
  std::vector<Conflict> conflicts;
  std::vector<Parting> partings;
  std::optional<Overrun> overrun;        // the first one
  std::vector<std::vector<Turn>> turns;  // what Touch::turns is an index of

  // Whether the array of the overrun is dynamic, and the launches give none.
  bool hasNoDynamicBytes() const;
  // Whether the second touch comes in a later turn of a loop that both are in.
  bool isOverBackEdge(const Conflict&) const;
};

// A kernel without shared memory and without anything that waits has no runs.
std::vector<BlockRun> runsOf(const Unit&, const clang::FunctionDecl& kernel, const std::vector<LaunchSite>&);

BlockRun simulate(const Unit&, const clang::FunctionDecl& kernel, const BlockSetting&);

}  // namespace kadvise::source
