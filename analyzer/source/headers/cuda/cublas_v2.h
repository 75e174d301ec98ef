#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>
typedef struct cublasContext *cublasHandle_t; typedef struct cublasLtContext *cublasLtHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED,
  CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR, CUBLAS_STATUS_NOT_SUPPORTED,
  CUBLAS_STATUS_LICENSE_ERROR };
typedef cublasStatus_t cublasStatus;
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH, CUBLAS_TF32_TENSOR_OP_MATH };
enum cublasComputeType_t { CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC, CUBLAS_COMPUTE_32F,
  CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF,
  CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_32I };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99 };
cublasStatus_t cublasCreate(cublasHandle_t *); cublasStatus_t cublasDestroy(cublasHandle_t);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t); cublasStatus_t cublasGetStream(cublasHandle_t,
  cudaStream_t *); cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t *); cublasStatus_t cublasSetPointerMode(cublasHandle_t,
  cublasPointerMode_t); const char *cublasGetStatusString(cublasStatus_t); const char *cublasGetStatusName(
  cublasStatus_t);
#define KA_BL(n) template <class... A> cublasStatus_t n(A...);
#define KA_BLT(n) KA_BL(cublasS##n) KA_BL(cublasD##n) KA_BL(cublasC##n) KA_BL(cublasZ##n)
KA_BLT(gemm) KA_BLT(gemmStridedBatched) KA_BLT(gemmBatched) KA_BLT(gemv) KA_BLT(geam) KA_BLT(axpy) KA_BLT(scal)
KA_BLT(copy) KA_BLT(swap) KA_BLT(dot) KA_BLT(symm) KA_BLT(syrk) KA_BLT(trsm) KA_BLT(trmm) KA_BLT(ger) KA_BLT(nrm2)
KA_BLT(asum) KA_BLT(getrfBatched) KA_BLT(getriBatched) KA_BLT(dgmm) KA_BLT(gemm3m) KA_BL(cublasCdotu)
KA_BL(cublasCdotc) KA_BL(cublasIsamax) KA_BL(cublasIdamax) KA_BL(cublasHgemm) KA_BL(cublasHgemmStridedBatched)
KA_BL(cublasHgemmBatched) KA_BL(cublasGemmEx) KA_BL(cublasGemmStridedBatchedEx) KA_BL(cublasGemmBatchedEx)
KA_BL(cublasSgemmEx) KA_BL(cublasSetVector) KA_BL(cublasGetVector) KA_BL(cublasSetMatrix) KA_BL(cublasGetMatrix)
KA_BL(cublasSetWorkspace) KA_BL(cublasGetVersion)
