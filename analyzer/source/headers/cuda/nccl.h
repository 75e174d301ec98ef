// Collectives between GPUs.
#pragma once
#include <cuda_runtime.h>
#define NCCL_MAJOR 2
#define NCCL_MINOR 27
#define NCCL_VERSION(x, y, z) ((x) * 10000 + (y) * 100 + (z))
#define NCCL_VERSION_CODE NCCL_VERSION(NCCL_MAJOR, NCCL_MINOR, 0)
#define NCCL_UNIQUE_ID_BYTES 128
typedef struct ncclComm *ncclComm_t; typedef struct ncclWindow_vidmem *ncclWindow_t; typedef struct { char internal[NCCL_UNIQUE_ID_BYTES]; } ncclUniqueId;
enum ncclResult_t { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument, ncclInvalidUsage, ncclRemoteError,
  ncclInProgress, ncclNumResults };
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg, ncclNumOps };
enum ncclDataType_t { ncclInt8 = 0, ncclChar = 0, ncclUint8 = 1, ncclInt32 = 2, ncclInt = 2, ncclUint32 = 3, ncclInt64 = 4, ncclUint64 = 5, ncclFloat16 = 6,
  ncclHalf = 6, ncclFloat32 = 7, ncclFloat = 7, ncclFloat64 = 8, ncclDouble = 8, ncclBfloat16 = 9, ncclFloat8e4m3 = 10, ncclFloat8e5m2 = 11, ncclNumTypes };
struct ncclConfig_t { int blocking, cgaClusterSize, minCTAs, maxCTAs, splitShare; const char *netName; };
#define NCCL_CONFIG_INITIALIZER {}
extern "C" { const char *ncclGetErrorString(ncclResult_t); const char *ncclGetLastError(ncclComm_t); }
// No rule looks at their arguments.
#define KA_NC(n) template <class... A> ncclResult_t n(A &&...) { return ncclSuccess; }
KA_NC(ncclGetVersion) KA_NC(ncclGetUniqueId) KA_NC(ncclCommInitRank) KA_NC(ncclCommInitRankConfig) KA_NC(ncclCommInitAll) KA_NC(ncclCommFinalize)
KA_NC(ncclCommDestroy) KA_NC(ncclCommAbort) KA_NC(ncclCommSplit) KA_NC(ncclCommGetAsyncError) KA_NC(ncclCommCount) KA_NC(ncclCommCuDevice)
KA_NC(ncclCommUserRank) KA_NC(ncclCommRegister) KA_NC(ncclCommDeregister) KA_NC(ncclMemAlloc) KA_NC(ncclMemFree) KA_NC(ncclReduce) KA_NC(ncclBroadcast)
KA_NC(ncclBcast) KA_NC(ncclAllReduce) KA_NC(ncclReduceScatter) KA_NC(ncclAllGather) KA_NC(ncclSend) KA_NC(ncclRecv) KA_NC(ncclGroupStart)
KA_NC(ncclGroupEnd) KA_NC(ncclRedOpCreatePreMulSum) KA_NC(ncclRedOpDestroy) KA_NC(ncclCommWindowRegister) KA_NC(ncclCommWindowDeregister)
