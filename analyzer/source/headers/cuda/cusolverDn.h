// Dense solvers, called by the host.
#pragma once
#include <cublas_v2.h>
typedef struct cusolverDnContext *cusolverDnHandle_t; typedef struct syevjInfo *syevjInfo_t; typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef enum { CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_ARCH_MISMATCH,
  CUSOLVER_STATUS_MAPPING_ERROR, CUSOLVER_STATUS_EXECUTION_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR, CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
  CUSOLVER_STATUS_NOT_SUPPORTED, CUSOLVER_STATUS_ZERO_PIVOT, CUSOLVER_STATUS_INVALID_LICENSE } cusolverStatus_t;
typedef enum { CUSOLVER_EIG_TYPE_1 = 1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3 } cusolverEigType_t;
typedef enum { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR } cusolverEigMode_t;
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *); cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t, cudaStream_t);
// Calls that take whatever they are given: no rule looks at their arguments.
#define KA_DN(n) template <class... A> cusolverStatus_t n(A &&...) { return CUSOLVER_STATUS_SUCCESS; }
#define KA_DT(n) KA_DN(cusolverDnS##n) KA_DN(cusolverDnD##n) KA_DN(cusolverDnS##n##_bufferSize) KA_DN(cusolverDnD##n##_bufferSize)
KA_DT(getrf) KA_DT(getrs) KA_DT(potrf) KA_DT(potrs) KA_DT(potri) KA_DT(geqrf) KA_DT(ormqr) KA_DT(orgqr) KA_DT(gesvd) KA_DT(gesvdj) KA_DT(gesvdjBatched)
KA_DT(syevd) KA_DT(syevj) KA_DT(syevjBatched) KA_DT(potrfBatched) KA_DT(potrsBatched) KA_DT(gesvdaStridedBatched) KA_DN(cusolverDnCreateSyevjInfo)
KA_DN(cusolverDnDestroySyevjInfo) KA_DN(cusolverDnCreateGesvdjInfo) KA_DN(cusolverDnDestroyGesvdjInfo) KA_DN(cusolverDnXsyevjSetTolerance)
KA_DN(cusolverDnXsyevjSetMaxSweeps) KA_DN(cusolverDnXsyevjSetSortEig) KA_DN(cusolverDnXgesvdjSetTolerance) KA_DN(cusolverDnXgesvdjSetMaxSweeps)
KA_DN(cusolverDnCreateParams) KA_DN(cusolverDnDestroyParams) KA_DN(cusolverDnXgetrf) KA_DN(cusolverDnXpotrf) KA_DN(cusolverDnXsyevd)
