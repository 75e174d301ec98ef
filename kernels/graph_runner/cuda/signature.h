// What decides which graph can serve a call: two calls of one signature launch the same kernels on the same
// sizes.
#pragma once

#include "kernels/graph_runner/captured_calls.h"

#include <cstdint>

namespace kadvise {

using Signature = std::vector<std::int64_t>;

// For every input dtype, sizes, strides, and whether it is read in place; then the settings of the thread and
// of torch by which operators choose kernels. Which inputs share memory is no part of it: modules that write
// to their inputs are never captured, and to the others equal values are equal, wherever they lie.
void writeSignature(const Tensors& inputs, const std::vector<const void*>& readInPlace, Signature& signature);

}  // namespace kadvise
