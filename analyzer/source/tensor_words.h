// What is known of LibTorch's operators by their names.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

// One name for those of the same meaning: "multiply" is "mul".
llvm::StringRef plainWord(llvm::StringRef);

// One kernel that reads each element once: mul, sigmoid, where.
bool isPointwise(llvm::StringRef word);
// The result shares its operand's memory, or may.
bool isView(llvm::StringRef word);
// The result is new memory whose elements lie in order.
bool isFreshAndContiguous(llvm::StringRef word);
// The result is new memory that nobody has written yet.
bool isUnwritten(llvm::StringRef word);
// The result holds a bool for each element.
bool isComparison(llvm::StringRef word);
// Asks about a tensor, or reads a size of it, without a kernel.
bool isQuestion(llvm::StringRef word);

}  // namespace kadvise::source
