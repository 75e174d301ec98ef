// The driver's types; its calls take whatever they are given.
#pragma once
#include <kadvise_cuda.h>
#define __cuda_cuda_h__
typedef enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704, CUDA_ERROR_NOT_PERMITTED = 800, CUDA_ERROR_NOT_SUPPORTED = 801, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_UNKNOWN = 999 } CUresult;
typedef unsigned int cuuint32_t; typedef unsigned long long cuuint64_t; typedef int CUdevice; typedef unsigned long long CUdeviceptr, CUtexObject, CUsurfObject;
typedef struct CUctx_st *CUcontext; typedef struct CUmod_st *CUmodule; typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream; typedef struct CUevent_st *CUevent; typedef struct CUarray_st *CUarray;
typedef struct CUgraphicsResource_st *CUgraphicsResource; typedef struct CUtexref_st *CUtexref; typedef struct CUsurfref_st *CUsurfref;
typedef struct CUlinkState_st *CUlinkState; typedef unsigned long long CUmemGenericAllocationHandle;
struct alignas(64) CUtensorMap { unsigned long long opaque[16]; }; struct CUuuid { char bytes[16]; };
#define CU_TENSOR_MAP_NUM_QWORDS 16
typedef enum CUtensorMapDataType_enum { CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B } CUtensorMapDataType;
typedef enum CUtensorMapInterleave_enum { CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B } CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle_enum { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B } CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion_enum { CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B } CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill_enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA } CUtensorMapFloatOOBfill;
enum CUdevice_attribute { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76 };
enum CUfunction_attribute { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14 };
enum CUmemLocationType { CU_MEM_LOCATION_TYPE_INVALID, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST };
enum CUmemAllocationType { CU_MEM_ALLOCATION_TYPE_INVALID, CU_MEM_ALLOCATION_TYPE_PINNED };
enum CUmemAllocationHandleType { CU_MEM_HANDLE_TYPE_NONE, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_HANDLE_TYPE_FABRIC = 8 };
enum CUmemAllocationGranularity_flags { CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED };
enum CUmemAccess_flags { CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 };
struct CUmemLocation { CUmemLocationType type; int id; }; struct CUmemAccessDesc { CUmemLocation location; CUmemAccess_flags flags; };
struct CUmemAllocationProp { CUmemAllocationType type; CUmemAllocationHandleType requestedHandleTypes; CUmemLocation location;
  void *win32HandleMetaData; struct { unsigned char compressionType, gpuDirectRDMACapable; unsigned short usage; } allocFlags; };
struct CUmemFabricHandle { unsigned char data[64]; }; struct CUipcMemHandle { char reserved[64]; };
struct CUmulticastObjectProp { unsigned numDevices; size_t size; unsigned long long handleTypes, flags; };
typedef cudaLaunchAttributeValue CUlaunchAttributeValue; enum CUlaunchAttributeID { CU_LAUNCH_ATTRIBUTE_IGNORE,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 };
struct CUlaunchAttribute { CUlaunchAttributeID id; CUlaunchAttributeValue value; };
struct CUlaunchConfig { unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes; CUstream hStream;
  CUlaunchAttribute *attrs; unsigned numAttrs; };
typedef struct CUkern_st *CUkernel; typedef struct CUlib_st *CUlibrary;
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
KA_DR(cuMemAddressReserve) KA_DR(cuMemAddressFree) KA_DR(cuMemCreate) KA_DR(cuMemRelease) KA_DR(cuMemMap) KA_DR(cuMemUnmap)
KA_DR(cuMemSetAccess) KA_DR(cuMemGetAllocationGranularity) KA_DR(cuMemExportToShareableHandle) KA_DR(cuMemImportFromShareableHandle)
KA_DR(cuMemRetainAllocationHandle) KA_DR(cuMemGetAddressRange) KA_DR(cuMemGetHandleForAddressRange) KA_DR(cuMemAllocManaged)
KA_DR(cuMemAllocHost) KA_DR(cuMemAllocPitch) KA_DR(cuMemAllocAsync) KA_DR(cuMemFreeAsync) KA_DR(cuMemcpy) KA_DR(cuMemcpyAsync)
KA_DR(cuMemcpyPeer) KA_DR(cuMemcpyDtoDAsync) KA_DR(cuMemsetD8Async) KA_DR(cuMemsetD32Async) KA_DR(cuMemHostRegister)
KA_DR(cuMemHostUnregister) KA_DR(cuMemHostGetDevicePointer) KA_DR(cuMulticastCreate) KA_DR(cuMulticastAddDevice) KA_DR(cuMulticastBindMem)
KA_DR(cuMulticastGetGranularity) KA_DR(cuPointerGetAttribute) KA_DR(cuIpcGetMemHandle) KA_DR(cuIpcOpenMemHandle) KA_DR(cuIpcCloseMemHandle)
KA_DR(cuStreamWaitEvent) KA_DR(cuEventDestroy) KA_DR(cuGetProcAddress) KA_DR(cuDevicePrimaryCtxRelease) KA_DR(cuCtxGetDevice)
KA_DR(cuLaunchHostFunc) KA_DR(cuLibraryLoadData) KA_DR(cuLibraryLoadFromFile) KA_DR(cuLibraryGetKernel) KA_DR(cuLibraryUnload)
KA_DR(cuKernelGetFunction) KA_DR(cuOccupancyMaxActiveBlocksPerMultiprocessor) KA_DR(cuDeviceGetUuid) KA_DR(cuDeviceGetPCIBusId)
