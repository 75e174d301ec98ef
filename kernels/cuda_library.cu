// What libkadvise_kernels_cuda.so says of itself.
#include "kernels/common/abi.h"
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"

extern "C" KADVISE_KERNELS_API int kadvise_cuda_abi() { return kadvise::kCudaAbi; }

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_problem() {
  int devices = 0;
  if (const char* problem = kadvise::sentenceOf(cudaGetDeviceCount(&devices), "looking for an NVIDIA GPU")) {
    return problem;
  }
  if (devices == 0) return "this machine has no NVIDIA GPU that CUDA can see";
  return nullptr;
}
