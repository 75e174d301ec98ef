// From a dtype known at run time to a type known at compile time.
#pragma once

#include "kernels/common/abi.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

namespace kadvise {

// Calls work(std::type_identity<T>()) and returns what it returns.
template <class Work>
cudaError_t withElementType(Dtype dtype, Work work) {
  switch (dtype) {
    case Dtype::Float:
      return work(std::type_identity<float>());
    case Dtype::Half:
      return work(std::type_identity<__half>());
    case Dtype::BFloat16:
      return work(std::type_identity<__nv_bfloat16>());
  }
  return cudaErrorInvalidValue;
}

}  // namespace kadvise
