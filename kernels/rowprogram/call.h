// A call of a row program on a GPU.
#pragma once

#include "kernels/common/tensors.h"

#include <string_view>
#include <vector>

namespace kadvise::rowprogram {

// The results, by a generated kernel or, where none serves the call, by the interpreter. Throws c10::Error
// for inputs that do not fit the text. op.cpp
std::vector<at::Tensor> callOnCuda(std::string_view text, const std::vector<at::Tensor>& inputs);

}  // namespace kadvise::rowprogram
