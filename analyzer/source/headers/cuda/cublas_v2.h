#pragma once
typedef struct cublasContext *cublasHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
cublasStatus_t cublasCreate(cublasHandle_t *); cublasStatus_t cublasDestroy(cublasHandle_t);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);
template <class... A> cublasStatus_t cublasSgemm(A...); template <class... A> cublasStatus_t cublasDgemm(A...);
template <class... A> cublasStatus_t cublasHgemm(A...); template <class... A> cublasStatus_t cublasGemmEx(A...);
