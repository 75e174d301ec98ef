// What in a file runs on the device, and the words of CUDA in it.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

bool isKernel(const clang::FunctionDecl&);
bool isDeviceCode(
    const clang::FunctionDecl&);  // __global__ or __device__, not by a lambda's implicit attribute

std::vector<const clang::FunctionDecl*> deviceFunctionsOf(const Unit&);

// threadIdx.x and its like.
struct BuiltinIndex {
  enum class Kind { Thread, Block, BlockSize, GridSize };
  Kind kind;
  int axis;  // 0 for x
};
// Looks through parentheses and implicit casts. threadIdx.x is a property of Clang's own struct, whatever
// headers the file is parsed with.
std::optional<BuiltinIndex> builtinIndexOf(const clang::Expr*);

// The function that is called by name, looking through casts; null for calls of pointers and dependent names.
const clang::FunctionDecl* calleeOf(const clang::CallExpr*);
bool isCallOf(const clang::Stmt*, llvm::ArrayRef<llvm::StringRef> names);

// __syncthreads and its like: every thread of the block must come.
bool isBlockBarrier(const clang::Stmt*);

// The function, or the template that it is an instance of.
const clang::FunctionDecl* asWritten(const clang::FunctionDecl*);

// The function that a statement stands in; null outside of all. What stands in a lambda stands in the
// function around it: dispatch macros make lambdas.
const clang::FunctionDecl* hostFunctionAround(const Unit&, const clang::Stmt*);

}  // namespace kadvise::source
