// What memory an expression goes to, whatever its index is.
#pragma once

#include "analyzer/source/analyses.h"

namespace kadvise::source {

// The parameter or array that an element (x[i], *p, p->field, a pointer too) is counted from, through local
// pointers that are set once; null where that is not known.
const clang::VarDecl* rootOf(const Courses&, const clang::Expr*);

bool isShared(const clang::VarDecl*);
// A pointer that a kernel is given.
bool isKernelPointer(const clang::VarDecl*);

struct Loop {
  const clang::Stmt* whole = nullptr;
  const clang::Stmt* body = nullptr;
};
// Of for, while and do around the statement, from inside out, up to the function.
std::vector<Loop> loopsAround(const Unit&, const clang::Stmt*);

// Turns of "for (int i = A; i < B; i += C)" with constants, also where B is a template's parameter (then 0,
// which is not known but constant); none for any other.
std::optional<std::int64_t> constantTurns(const Unit&, const clang::Stmt* loop);

// "for (int r = 0; r < repeats; ++r)" with an r that the body does not read: work that is repeated on
// purpose, mostly to be timed.
bool onlyRepeats(const clang::Stmt* loop);

bool isWithin(const clang::Stmt* outer, const Unit&, const clang::Stmt* inner);

}  // namespace kadvise::source
