// Whether what a file says about a tensor fits what the file holds: LibTorch believes it unseen.
#pragma once

#include <string>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// "" or how it does not fit, to follow the tensor's name.
std::string whyOutOfBounds(at::IntArrayRef sizes, at::IntArrayRef strides, std::int64_t offset,
                           std::size_t itemBytes, std::size_t storageBytes);

// Looks at every attribute of the module and every constant of its methods. largestRecordBytes: of the
// archive's entries; no storage is larger, unless the module computes its own when it is loaded. Throws
// Error(path).
void requireTensorsInBounds(const std::string& path, const torch::jit::Module&,
                            std::size_t largestRecordBytes);

}  // namespace kadvise::graph
