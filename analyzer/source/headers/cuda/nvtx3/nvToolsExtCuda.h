#pragma once
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
extern "C" { void nvtxNameCuDeviceA(CUdevice, const char *); void nvtxNameCuContextA(CUcontext, const char *); void nvtxNameCuStreamA(CUstream, const char *);
void nvtxNameCuEventA(CUevent, const char *); }
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
