// The driver's types; its calls take whatever they are given.
#pragma once
#include <kadvise_cuda.h>
#define __cuda_cuda_h__
typedef enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_UNKNOWN = 999 } CUresult;
typedef int CUdevice; typedef unsigned long long CUdeviceptr, CUtexObject, CUsurfObject;
typedef struct CUctx_st *CUcontext; typedef struct CUmod_st *CUmodule; typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream; typedef struct CUevent_st *CUevent; typedef struct CUarray_st *CUarray;
typedef struct CUgraphicsResource_st *CUgraphicsResource; typedef struct CUtexref_st *CUtexref; typedef struct CUsurfref_st *CUsurfref;
typedef struct CUlinkState_st *CUlinkState; typedef unsigned long long CUmemGenericAllocationHandle;
struct alignas(64) CUtensorMap { unsigned long long opaque[16]; }; struct CUuuid { char bytes[16]; };
#define CU_TENSOR_MAP_NUM_QWORDS 16
enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B };
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA };
enum CUdevice_attribute { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76 };
#define KA_DR(n) template <class... A> CUresult n(A &&...) { return CUDA_SUCCESS; }
KA_DR(cuInit) KA_DR(cuDeviceGet) KA_DR(cuDeviceGetCount) KA_DR(cuDeviceGetName) KA_DR(cuDeviceGetAttribute) KA_DR(cuCtxCreate)
KA_DR(cuCtxDestroy) KA_DR(cuCtxSynchronize) KA_DR(cuCtxGetCurrent) KA_DR(cuCtxSetCurrent) KA_DR(cuCtxPushCurrent) KA_DR(cuCtxPopCurrent)
KA_DR(cuModuleLoad) KA_DR(cuModuleLoadData) KA_DR(cuModuleLoadDataEx) KA_DR(cuModuleUnload) KA_DR(cuModuleGetFunction)
KA_DR(cuModuleGetGlobal) KA_DR(cuLaunchKernel) KA_DR(cuLaunchKernelEx) KA_DR(cuLaunchCooperativeKernel) KA_DR(cuMemAlloc) KA_DR(cuMemFree)
KA_DR(cuMemcpyHtoD) KA_DR(cuMemcpyDtoH) KA_DR(cuMemcpyDtoD) KA_DR(cuMemcpyHtoDAsync) KA_DR(cuMemcpyDtoHAsync) KA_DR(cuMemsetD8)
KA_DR(cuMemsetD32) KA_DR(cuStreamCreate) KA_DR(cuStreamSynchronize) KA_DR(cuStreamDestroy) KA_DR(cuEventCreate) KA_DR(cuEventRecord)
KA_DR(cuEventSynchronize) KA_DR(cuEventElapsedTime) KA_DR(cuGetErrorName) KA_DR(cuGetErrorString) KA_DR(cuDriverGetVersion)
KA_DR(cuFuncSetAttribute) KA_DR(cuFuncGetAttribute) KA_DR(cuTensorMapEncodeTiled) KA_DR(cuMemGetInfo) KA_DR(cuDeviceTotalMem)
KA_DR(cuDevicePrimaryCtxRetain) KA_DR(cuStreamWriteValue32) KA_DR(cuStreamWaitValue32) KA_DR(cuMemHostAlloc) KA_DR(cuMemFreeHost)
