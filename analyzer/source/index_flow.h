// Which values of a kernel come from the index of its block and of its threads, by the words of the source
// alone.
#pragma once

#include <set>

#include "analyzer/source/unit.h"

namespace kadvise::source {

// Along one axis.
class IndexFlow {
 public:
  IndexFlow(const clang::FunctionDecl& kernel, int axis);

  bool comesFromBlock(const clang::Expr*) const;   // from blockIdx.x
  bool comesFromThread(const clang::Expr*) const;  // from threadIdx.x
  // Some condition, min, max, remainder or call of the file's own looks at a value that comes from the block,
  // or compares one of the thread with what is not constant: it may be what keeps indices inside.
  bool isCheckedAnywhere() const { return isChecked_; }
  bool usesGridSize() const { return usesGridSize_; }  // gridDim, along any axis

 private:
  friend class IndexChecks;
  int axis_;
  std::set<const clang::VarDecl*> ofBlock_, ofThread_;
  bool isChecked_ = false, usesGridSize_ = false;
};

}  // namespace kadvise::source
