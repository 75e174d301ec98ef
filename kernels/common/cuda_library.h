// The GPU half of the operators: libkadvise_kernels_cuda.so, loaded on first use from beside this library, so
// that a machine without a GPU needs neither that file nor the CUDA runtime.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace kadvise {

// The address of an exported function of the GPU library. Throws c10::Error, with the file and the remedy in
// the message, when the library is missing, is of another build, or cannot run on this machine.
void* cudaSymbol(const char* name);

// Empty when the GPU library is usable here; else the sentence that cudaSymbol would throw.
std::string cudaProblem();

// torch's current stream of that GPU, as a cudaStream_t, without linking torch's CUDA half.
void* currentStream(c10::Device device);

}  // namespace kadvise
