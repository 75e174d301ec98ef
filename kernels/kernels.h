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

// For tests and benchmarks of kadvise::row_program, each for the calling thread alone: the schedule that its
// calls are to have ("lanes" for the first of that form, or all of it, as in "block/t256/k4/b256"; "" for the
// usual choice; where there is none such, the interpreter serves), and the one that its last call had ("":
// the interpreter served it).
KADVISE_KERNELS_API void kadvise_row_program_ask(const char* schedule);
KADVISE_KERNELS_API const char* kadvise_row_program_ran();
}
