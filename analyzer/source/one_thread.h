// Code that one thread of a block runs while the others wait or are gone: what it costs is no matter of how
// many do it at once.
#pragma once

#include "analyzer/source/analyses.h"
#include "analyzer/source/control.h"

namespace kadvise::source {

// Behind "if (threadIdx.x == 0)" or "if (threadIdx.x != 0) return;", there or wherever the file calls the
// function, or in a kernel that is launched with blocks of one thread.
bool isOfOneThread(Analyses&, const clang::FunctionDecl&, const clang::Stmt*);

// A condition on what was loaded, or on a group's rank, may leave one lane of the warp alone; by "i % 32 ==
// 0" one is meant, whatever the block is.
bool mayLeaveOne(Threads&, const std::vector<Thread>& warp, const Guard&);

}  // namespace kadvise::source
