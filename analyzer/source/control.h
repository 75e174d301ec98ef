// What has to hold for a statement to run, and in which threads it does.
#pragma once

#include <vector>

#include "analyzer/source/threads.h"

namespace kadvise::source {

struct Guard {
  const clang::Expr* condition = nullptr;
  bool wanted = true;  // the value that leads to the statement
  bool isLoop = false;
};

// Conditions of ifs, loops and choices around the statement, from inside out, up to the function.
std::vector<Guard> guardsOf(const Unit&, const clang::Stmt*);

// And those of "if (…) return;" before it, or of continue and break in its loops.
std::vector<Guard> guardsWithExits(const Unit&, const clang::Stmt*);

enum class Agreement { Same, Differs, Unknown };

enum class Among { Block, Warp };

// Whether a condition has one value in all threads of the block, or of its first warp.
Agreement agreementOn(Threads&, const clang::Expr* condition, Among = Among::Block);

// Threads in which no guard is known to keep the statement from running.
std::vector<Thread> activeAmong(Threads&, const std::vector<Thread>&, const std::vector<Guard>&);

}  // namespace kadvise::source
