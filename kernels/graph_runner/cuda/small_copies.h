// Copies of many small tensors in one launch: one by one they cost the host several times what they cost the
// GPU.
#pragma once

#include "kernels/graph_runner/cuda/gpu.h"

#include <vector>

namespace kadvise {

// Which of these tensors are copied together, by their numbers: a list a dtype. One that would be alone is in
// none, nor is an undefined one.
std::vector<std::vector<std::size_t>> smallGroups(const std::vector<at::Tensor>& layouts);

// Each `from` to its `to`, on the current stream. All are small, of one dtype; each pair has one layout.
void copyTogether(const std::vector<at::Tensor>& to, const std::vector<at::Tensor>& from);

}  // namespace kadvise
