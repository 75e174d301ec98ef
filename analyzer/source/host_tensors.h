// Tensors that are on the host, as far as the source says.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

// Whether a function asks for tensors on the host: is_cpu(), a device that is compared with kCPU, or
// TORCH_CHECK(!x.is_cuda()), and no check that another is on a GPU. So does one that only such functions of
// the file call.
bool asksForHost(clang::ASTContext&, const clang::FunctionDecl&);

// Set once, by "torch::empty({n}, kInt)" or its like, without a word of a device.
bool isMadeOnHost(const clang::VarDecl&);

}  // namespace kadvise::source
