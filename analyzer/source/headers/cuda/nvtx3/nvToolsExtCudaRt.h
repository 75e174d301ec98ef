// Names of devices, streams and events for a profiler.
#pragma once
#include <kadvise_cuda.h>
#include <nvtx3/nvToolsExt.h>
#define KA_NVTX_NAMES(w, C) void nvtxNameCudaDevice##w(int, const C *); void nvtxNameCudaStream##w(cudaStream_t, const C *); \
  void nvtxNameCudaEvent##w(cudaEvent_t, const C *);
extern "C" { KA_NVTX_NAMES(A, char) KA_NVTX_NAMES(W, wchar_t) }
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
