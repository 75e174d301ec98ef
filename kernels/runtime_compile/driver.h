// The functions of CUDA's driver by which generated kernels are loaded and started.
//
// Not the runtime's: to those a kernel is an address to be looked up, in tables that loading changes, and
// here threads load kernels while others start theirs. A function of the driver needs no look-up.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace kadvise {

struct Driver {
  decltype(&cuLibraryLoadData) loadLibrary;
  decltype(&cuLibraryGetKernel) kernelOf;
  decltype(&cuKernelGetFunction) functionOf;
  decltype(&cuFuncLoad) loadFunction;
  decltype(&cuFuncSetAttribute) setAttribute;
  decltype(&cuLaunchKernelEx) launch;
  decltype(&cuCtxGetCurrent) currentContext;
};

// Null where the installed driver lacks one of them. Asked once a process.
const Driver* driver();

// The numbers of both kinds of errors are the same.
inline cudaError_t errorOf(CUresult result) { return static_cast<cudaError_t>(result); }

}  // namespace kadvise
