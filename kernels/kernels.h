// The C face of libkadvise_kernels.so. Its operators need no header: load the library (torch.ops.load_library
// in Python, dlopen in C++) before the module that uses them, then call torch.ops.kadvise.NAME.
#pragma once

#define KADVISE_KERNELS_API __attribute__((visibility("default")))

extern "C" {
// The torch release that the library was built for, as "2.11".
KADVISE_KERNELS_API const char* kadvise_kernels_torch();

// Null when the operators can run on this machine's GPU; else one sentence with the reason and the remedy.
// Loads libkadvise_kernels_cuda.so. The sentence stays valid until the same thread calls again.
KADVISE_KERNELS_API const char* kadvise_kernels_cuda_problem();
}
