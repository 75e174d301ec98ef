// The runtime API. Clang looks one of the two configuration functions up for <<<>>>.
#pragma once
#include <kadvise/attributes.h>
#include <kadvise/vector_types.h>

typedef struct CUstream_st *cudaStream_t; typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t; typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef unsigned long long cudaGraphConditionalHandle; typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t; typedef unsigned long long cudaTextureObject_t,
  cudaSurfaceObject_t;
typedef enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3, cudaErrorCudartUnloading = 4, cudaErrorInvalidConfiguration = 9, cudaErrorInvalidPitchValue = 12,
  cudaErrorInvalidSymbol = 13, cudaErrorInvalidDevicePointer = 17, cudaErrorInvalidMemcpyDirection = 21, cudaErrorInsufficientDriver = 35,
  cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100, cudaErrorInvalidDevice = 101, cudaErrorInvalidKernelImage = 200,
  cudaErrorNoKernelImageForDevice = 209, cudaErrorInvalidPtx = 218, cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorInvalidResourceHandle = 400, cudaErrorSymbolNotFound = 500, cudaErrorNotReady = 600, cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701, cudaErrorLaunchTimeout = 702, cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorPeerAccessNotEnabled = 705, cudaErrorAssert = 710, cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713, cudaErrorLaunchFailure = 719, cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorNotPermitted = 800, cudaErrorNotSupported = 801, cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorProfilerDisabled = 5, cudaErrorInvalidHostPointer = 16, cudaErrorInvalidTexture = 18, cudaErrorDevicesUnavailable = 46,
  cudaErrorMissingConfiguration = 52, cudaErrorMapBufferObjectFailed = 205, cudaErrorAlreadyMapped = 208,
  cudaErrorECCUncorrectable = 214, cudaErrorDeviceAlreadyInUse = 216, cudaErrorFileNotFound = 301, cudaErrorOperatingSystem = 304,
  cudaErrorSetOnActiveProcess = 708, cudaErrorContextIsDestroyed = 709, cudaErrorTooManyPeers = 711,
  cudaErrorHardwareStackError = 714, cudaErrorIllegalInstruction = 715, cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717, cudaErrorInvalidPc = 718, cudaErrorGraphExecUpdateFailure = 910,
  cudaErrorStreamCaptureInvalidated = 901, cudaErrorStreamCaptureMerge = 902, cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureUnjoined = 904, cudaErrorStreamCaptureIsolation = 905, cudaErrorStreamCaptureImplicit = 906,
  cudaErrorCapturedEvent = 907, cudaErrorStreamCaptureWrongThread = 908, cudaErrorTimeout = 909, cudaErrorUnknown = 999 } cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9, cudaFuncAttributeNonPortableClusterSizeAllowed = 13 };
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100 };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaStreamUpdateCaptureDependenciesFlags { cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies };
typedef struct CUkern_st *cudaKernel_t; typedef struct CUlib_st *cudaLibrary_t; struct cudaGraphEdgeData { unsigned char from_port, to_port, type; };
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrMultiProcessorCount = 16, cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrComputeMode = 20, cudaDevAttrClockRate = 13, cudaDevAttrL2CacheSize = 38,
  cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81, cudaDevAttrManagedMemory = 83,
  cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrMemoryPoolsSupported = 115, cudaDevAttrWarpSize = 10, cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxBlockDimY = 3, cudaDevAttrMaxBlockDimZ = 4, cudaDevAttrMaxGridDimY = 6, cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrTotalConstantMemory = 9, cudaDevAttrMaxPitch = 11, cudaDevAttrTextureAlignment = 14, cudaDevAttrGpuOverlap = 15, cudaDevAttrKernelExecTimeout = 17,
  cudaDevAttrIntegrated = 18, cudaDevAttrCanMapHostMemory = 19, cudaDevAttrConcurrentKernels = 31, cudaDevAttrEccEnabled = 32, cudaDevAttrPciBusId = 33,
  cudaDevAttrPciDeviceId = 34, cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth = 37, cudaDevAttrAsyncEngineCount = 40, cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrStreamPrioritiesSupported = 78, cudaDevAttrMaxRegistersPerMultiprocessor = 82, cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrReservedSharedMemoryPerBlock = 111, cudaDevAttrMaxBlocksPerMultiprocessor = 106 };
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2,
  cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4,
  cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaHostRegisterReadOnly = 8, cudaMemAttachGlobal = 1, cudaCpuDeviceId = -1,
  cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4,
  cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16, cudaEventBlockingSync = 1, cudaEventInterprocess = 4, cudaEventRecordDefault = 0,
  cudaHostRegisterIoMemory = 4, cudaMemAttachHost = 2, cudaMemAttachSingle = 4, cudaInvalidDeviceId = -2,
  cudaIpcMemLazyEnablePeerAccess = 1, cudaOccupancyDefault = 0 };
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaFuncAttributes { size_t sharedSizeBytes, constSizeBytes, localSizeBytes; int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA,
  maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
  clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed; };
struct cudaPointerAttributes { cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
typedef struct cudaIpcMemHandle_st { char reserved[64]; } cudaIpcMemHandle_t; typedef struct cudaIpcEventHandle_st { char reserved[64]; } cudaIpcEventHandle_t;
enum cudaMemPoolAttr { cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost };
struct cudaMemLocation { cudaMemLocationType type; int id; };
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor, cudaMemHandleTypeFabric = 8 };
struct cudaMemPoolProps { cudaMemAllocationType allocType; cudaMemAllocationHandleType handleTypes; cudaMemLocation location; void *win32SecurityAttributes; size_t maxSize; };
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow { void *base_ptr; size_t num_bytes; float hitRatio; cudaAccessProperty hitProp, missProp; };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged };
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode, errorFromNode; };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize };
struct cudaKernelNodeParams { void *func; dim3 gridDim, blockDim; unsigned sharedMemBytes; void **kernelParams, **extra; };
enum cudaGraphNodeType { cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost,
  cudaGraphNodeTypeConditional = 13 };
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch };
enum { cudaGraphCondAssignDefault = 1 };
struct cudaGraphNodeParams { cudaGraphNodeType type; cudaKernelNodeParams kernel; struct { cudaGraphConditionalHandle handle;
  cudaGraphConditionalNodeType type; unsigned size; cudaGraph_t *phGraph_out; } conditional; };
enum cudaLaunchAttributeID { cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative,
  cudaLaunchAttributeSynchronizationPolicy, cudaLaunchAttributeClusterDimension, cudaLaunchAttributeClusterSchedulingPolicyPreference,
  cudaLaunchAttributeProgrammaticStreamSerialization, cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributePriority,
  cudaLaunchAttributePreferredClusterDimension = 11 };
union cudaLaunchAttributeValue { int cooperative, programmaticStreamSerializationAllowed, priority, clusterSchedulingPolicyPreference;
  struct { unsigned x, y, z; } clusterDim, preferredClusterDim; cudaAccessPolicyWindow accessPolicyWindow; };
typedef cudaLaunchAttributeID cudaStreamAttrID, cudaKernelNodeAttrID; typedef cudaLaunchAttributeValue cudaStreamAttrValue, cudaKernelNodeAttrValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
struct cudaLaunchAttribute { cudaLaunchAttributeID id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream;
  cudaLaunchAttribute *attrs; unsigned numAttrs; };
struct cudaDeviceProp {
  char name[256]; size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor,
    totalConstMem;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], major, minor,
    multiProcessorCount, maxThreadsPerMultiProcessor, l2CacheSize, memoryBusWidth, concurrentKernels, integrated,
    canMapHostMemory, managedMemory, pageableMemoryAccess, ECCEnabled, unifiedAddressing, asyncEngineCount, clockRate, memoryClockRate,
    computeMode, pciBusID, pciDeviceID, pciDomainID, streamPrioritiesSupported, kernelExecTimeoutEnabled, persistingL2CacheMaxSize,
    computePreemptionSupported, deviceOverlap, hostNativeAtomicSupported, cooperativeMultiDeviceLaunch, regsPerMultiprocessor,
    maxBlocksPerMultiProcessor, concurrentManagedAccess, cooperativeLaunch, isMultiGpuBoard, multiGpuBoardGroupID, tccDriver,
    globalL1CacheSupported, localL1CacheSupported, singleToDoublePrecisionPerfRatio, canUseHostPointerForRegisteredMem,
    directManagedMemAccessFromHost, pageableMemoryAccessUsesHostPageTables, maxTexture1D, maxTexture1DLinear, maxTexture2D[2],
    maxTexture2DLinear[3], maxTexture3D[3], maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2],
    maxTexture1DMipmap, maxTexture2DMipmap[2], maxTexture2DGather[2], maxTextureCubemapLayered[2], maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemap;
  size_t memPitch, textureAlignment, texturePitchAlignment, surfaceAlignment, reservedSharedMemPerBlock;
};
extern "C" {
__host__ __device__ unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
__host__ __device__ int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
// A kernel that launches others calls these, too.
#define KA_RT(n, ...) __host__ __device__ cudaError_t n(__VA_ARGS__);
KA_RT(cudaMalloc, void **, size_t) KA_RT(cudaMallocHost, void **, size_t) KA_RT(cudaFree, void *)
KA_RT(cudaFreeHost, void *) KA_RT(cudaMallocAsync, void **, size_t, cudaStream_t) KA_RT(cudaFreeAsync, void *,
  cudaStream_t)
KA_RT(cudaMallocPitch, void **, size_t *, size_t, size_t) KA_RT(cudaHostRegister, void *, size_t, unsigned)
KA_RT(cudaHostUnregister, void *) KA_RT(cudaMemGetInfo, size_t *, size_t *)
KA_RT(cudaMemcpy, void *, const void *, size_t, cudaMemcpyKind) KA_RT(cudaMemcpyAsync, void *, const void *, size_t,
  cudaMemcpyKind, cudaStream_t = 0) KA_RT(cudaMemcpy2D, void *, size_t, const void *, size_t, size_t, size_t,
  cudaMemcpyKind)
KA_RT(cudaMemset, void *, int, size_t) KA_RT(cudaMemsetAsync, void *, int, size_t, cudaStream_t = 0)
KA_RT(cudaDeviceSynchronize, ) KA_RT(cudaThreadSynchronize, ) KA_RT(cudaThreadExit, ) KA_RT(cudaDeviceReset, )
KA_RT(cudaGetLastError, ) KA_RT(cudaPeekAtLastError, )
KA_RT(cudaSetDevice, int) KA_RT(cudaGetDevice, int *) KA_RT(cudaGetDeviceCount, int *)
KA_RT(cudaGetDeviceProperties, cudaDeviceProp *, int) KA_RT(cudaDeviceGetAttribute, int *, cudaDeviceAttr, int)
KA_RT(cudaStreamCreate, cudaStream_t *) KA_RT(cudaStreamCreateWithFlags, cudaStream_t *, unsigned)
KA_RT(cudaStreamDestroy, cudaStream_t) KA_RT(cudaStreamSynchronize, cudaStream_t) KA_RT(cudaStreamQuery,
  cudaStream_t) KA_RT(cudaStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned = 0)
KA_RT(cudaEventCreate, cudaEvent_t *) KA_RT(cudaEventCreateWithFlags, cudaEvent_t *, unsigned)
KA_RT(cudaEventDestroy, cudaEvent_t) KA_RT(cudaEventRecord, cudaEvent_t, cudaStream_t = 0)
KA_RT(cudaEventSynchronize, cudaEvent_t) KA_RT(cudaEventQuery, cudaEvent_t) KA_RT(cudaEventElapsedTime, float *,
  cudaEvent_t, cudaEvent_t)
KA_RT(cudaLaunchKernel, const void *, dim3, dim3, void **, size_t, cudaStream_t) KA_RT(cudaLaunchCooperativeKernel,
  const void *, dim3, dim3, void **, size_t, cudaStream_t)
KA_RT(cudaStreamBeginCapture, cudaStream_t, cudaStreamCaptureMode) KA_RT(cudaStreamEndCapture, cudaStream_t,
  cudaGraph_t *) KA_RT(cudaGraphLaunch, cudaGraphExec_t, cudaStream_t) KA_RT(cudaGraphDestroy, cudaGraph_t)
KA_RT(cudaGraphExecDestroy, cudaGraphExec_t)
KA_RT(cudaProfilerStart, ) KA_RT(cudaProfilerStop, )
__host__ __device__ const char *cudaGetErrorString(cudaError_t); __host__ __device__ const char *cudaGetErrorName(cudaError_t);
}
// Defined, not just declared: a call with a function-local type needs a body in this TU.
template <class T> __host__ __device__ cudaError_t cudaMalloc(T **, size_t) { return cudaSuccess; }
template <class T> cudaError_t cudaMallocHost(T **, size_t, unsigned = 0) { return cudaSuccess; }
template <class T> cudaError_t cudaMallocManaged(T **, size_t, unsigned = 1) { return cudaSuccess; }
template <class T> cudaError_t cudaHostAlloc(T **, size_t, unsigned) { return cudaSuccess; }
template <class T> cudaError_t cudaMallocAsync(T **, size_t, cudaStream_t) { return cudaSuccess; }
template <class T> cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0,
  cudaMemcpyKind = cudaMemcpyHostToDevice) { return cudaSuccess; }
template <class T> cudaError_t cudaMemcpyFromSymbol(void *, const T &, size_t, size_t = 0,
  cudaMemcpyKind = cudaMemcpyDeviceToHost) { return cudaSuccess; }
template <class... A> cudaError_t cudaMemPrefetchAsync(A...) { return cudaSuccess; }
template <class... A> cudaError_t cudaMemAdvise(A...) { return cudaSuccess; }
template <class... A> cudaError_t cudaGraphInstantiate(A...) { return cudaSuccess; }
template <class... A> cudaError_t cudaLaunchKernelEx(A...) { return cudaSuccess; }
template <class... A> cudaError_t cudaLaunchKernelExC(A...) { return cudaSuccess; }
template <class F> cudaError_t cudaFuncSetAttribute(F *, cudaFuncAttribute, int) { return cudaSuccess; }
template <class F> cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache) { return cudaSuccess; }
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, F, int, size_t)
{ return cudaSuccess; } template <class F> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *, int *, F,
  size_t = 0, int = 0) { return cudaSuccess; }
template <class F> cudaError_t cudaLaunchCooperativeKernel(F *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0)
{ return cudaSuccess; }
// Calls that take whatever they are given: no rule looks at their arguments.
#define KA_RX(n) template <class... A> cudaError_t n(A &&...) { return cudaSuccess; }
KA_RX(cudaMemcpyPeer) KA_RX(cudaMemcpyPeerAsync) KA_RX(cudaDeviceCanAccessPeer) KA_RX(cudaDeviceEnablePeerAccess)
KA_RX(cudaDeviceDisablePeerAccess) KA_RX(cudaDeviceSetLimit) KA_RX(cudaDeviceGetLimit) KA_RX(cudaDeviceSetCacheConfig)
KA_RX(cudaDeviceSetSharedMemConfig) KA_RX(cudaDeviceGetSharedMemConfig) KA_RX(cudaFuncSetSharedMemConfig) KA_RX(cudaFuncGetAttributes) KA_RX(cudaSetDeviceFlags)
KA_RX(cudaHostGetDevicePointer) KA_RX(cudaGetSymbolAddress) KA_RX(cudaGetSymbolSize) KA_RX(cudaMemcpyToSymbolAsync)
KA_RX(cudaMemcpyFromSymbolAsync) KA_RX(cudaStreamCreateWithPriority) KA_RX(cudaDeviceGetStreamPriorityRange)
KA_RX(cudaStreamAddCallback) KA_RX(cudaLaunchHostFunc) KA_RX(cudaStreamAttachMemAsync) KA_RX(cudaPointerGetAttributes)
KA_RX(cudaChooseDevice) KA_RX(cudaDriverGetVersion) KA_RX(cudaRuntimeGetVersion) KA_RX(cudaDeviceGetPCIBusId)
KA_RX(cudaIpcGetMemHandle) KA_RX(cudaIpcOpenMemHandle) KA_RX(cudaIpcCloseMemHandle) KA_RX(cudaEventRecordWithFlags)
KA_RX(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) KA_RX(cudaOccupancyMaxPotentialBlockSizeVariableSMem)
KA_RX(cudaDeviceGetDefaultMemPool) KA_RX(cudaMemPoolSetAttribute) KA_RX(cudaMemPoolCreate) KA_RX(cudaMallocFromPoolAsync)
KA_RX(cudaStreamIsCapturing) KA_RX(cudaGraphCreate) KA_RX(cudaGraphAddKernelNode) KA_RX(cudaGraphAddMemcpyNode)
KA_RX(cudaGraphAddMemsetNode) KA_RX(cudaGraphAddHostNode) KA_RX(cudaGraphGetNodes) KA_RX(cudaGraphUpload)
KA_RX(cudaGraphExecUpdate) KA_RX(cudaGraphClone) KA_RX(cudaStreamSetAttribute) KA_RX(cudaFuncGetName)
KA_RX(cudaLaunchCooperativeKernelMultiDevice) KA_RX(cudaCtxResetPersistingL2Cache) KA_RX(cudaMemRangeGetAttribute)
KA_RX(cudaOccupancyMaxActiveClusters) KA_RX(cudaOccupancyMaxPotentialClusterSize) KA_RX(cudaThreadSetLimit)
KA_RX(cudaGraphAddNode) KA_RX(cudaGraphConditionalHandleCreate) KA_RX(cudaGraphInstantiateWithFlags) KA_RX(cudaGraphAddDependencies)
KA_RX(cudaGraphKernelNodeGetParams) KA_RX(cudaGraphNodeGetType) KA_RX(cudaGraphGetRootNodes) KA_RX(cudaGraphKernelNodeSetParams) KA_RX(cudaGraphExecKernelNodeSetParams) KA_RX(cudaGraphAddChildGraphNode)
KA_RX(cudaDeviceGetMemPool) KA_RX(cudaDeviceSetMemPool) KA_RX(cudaMemPoolTrimTo) KA_RX(cudaMemPoolDestroy) KA_RX(cudaMemPoolGetAttribute)
KA_RX(cudaStreamGetPriority) KA_RX(cudaStreamGetFlags) KA_RX(cudaStreamGetCaptureInfo) KA_RX(cudaStreamGetCaptureInfo_v2) KA_RX(cudaStreamGetCaptureInfo_v3) KA_RX(cudaDeviceGetByPCIBusId)
KA_RX(cudaGetDriverEntryPoint) KA_RX(cudaHostGetFlags) KA_RX(cudaGetFuncBySymbol) KA_RX(cudaGetDeviceFlags)
KA_RX(cudaStreamUpdateCaptureDependencies) KA_RX(cudaGraphGetEdges) KA_RX(cudaGraphNodeGetDependencies) KA_RX(cudaLibraryLoadData)
KA_RX(cudaLibraryGetKernel) KA_RX(cudaLibraryUnload) KA_RX(cudaIpcGetEventHandle) KA_RX(cudaIpcOpenEventHandle)
KA_RX(cudaStreamGetAttribute) KA_RX(cudaStreamCopyAttributes) KA_RX(cudaMemPoolSetAccess) KA_RX(cudaGraphMemcpyNodeSetParams)
KA_D void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned); KA_D void cudaTriggerProgrammaticLaunchCompletion();
KA_D void cudaGridDependencySynchronize();
