// What a kernel does with the memory behind one of its parameters, a pointer or an accessor.
#pragma once

#include "analyzer/source/unit.h"

namespace kadvise::source {

struct PointerUse {
  bool reads = false;
  bool stores = false;       // p[i] = …
  bool accumulates = false;  // p[i] += …, atomicAdd(&p[i], …)
  bool adds = false;         // an atomicAdd is among that
  bool isUnknown = false;    // handed on, moved or copied: anything may be done with it
  bool isFloating = false;   // what an atomicAdd adds to: no integer
};

PointerUse useOf(const Unit&, const clang::FunctionDecl& kernel, unsigned parameter);

// Of a call, looking into names that a template leaves open; "" for others.
llvm::StringRef calledName(const clang::CallExpr*);

}  // namespace kadvise::source
