#pragma once
#include <cuComplex.h>
#include <library_types.h>
typedef struct cusparseContext *cusparseHandle_t; typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t; typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t; typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t; typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t; typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct csrsv2Info *csrsv2Info_t; typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t; typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE,
  CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_MAPPING_ERROR, CUSPARSE_STATUS_EXECUTION_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSPARSE_STATUS_ZERO_PIVOT, CUSPARSE_STATUS_NOT_SUPPORTED, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES };
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE };
enum cusparseMatrixType_t { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC, CUSPARSE_MATRIX_TYPE_HERMITIAN, CUSPARSE_MATRIX_TYPE_TRIANGULAR };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseIndexType_t { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I }; enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW };
enum cusparseFillMode_t { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER }; enum cusparseDiagType_t { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT };
enum cusparsePointerMode_t { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE }; enum cusparseAction_t { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC };
enum cusparseDirection_t { CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMV_COO_ALG2,
  CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_CSRMV_ALG1 = 2, CUSPARSE_CSRMV_ALG2 = 3 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMM_CSR_ALG1,
  CUSPARSE_SPMM_COO_ALG4, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3 = 12, CUSPARSE_SPMM_BLOCKED_ELL_ALG1, CUSPARSE_CSRMM_ALG1 = 4, CUSPARSE_MM_ALG_DEFAULT = 0 };
enum cusparseSpGEMMAlg_t { CUSPARSE_SPGEMM_DEFAULT }; enum cusparseSparseToDenseAlg_t { CUSPARSE_SPARSETODENSE_ALG_DEFAULT };
enum cusparseDenseToSparseAlg_t { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT }; enum cusparseSDDMMAlg_t { CUSPARSE_SDDMM_ALG_DEFAULT };
const char *cusparseGetErrorString(cusparseStatus_t); const char *cusparseGetErrorName(cusparseStatus_t); cusparseStatus_t cusparseCreate(cusparseHandle_t *);
cusparseStatus_t cusparseDestroy(cusparseHandle_t); cusparseStatus_t cusparseSetStream(cusparseHandle_t, cudaStream_t);
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *); cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t, cusparseMatrixType_t); cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t, cusparseIndexBase_t);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t, cusparseFillMode_t); cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t, cusparseDiagType_t);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t, cusparsePointerMode_t);
// Calls that take whatever they are given: no rule looks at their arguments.
#define KA_SX(n) template <class... A> cusparseStatus_t n(A &&...) { return CUSPARSE_STATUS_SUCCESS; }
KA_SX(cusparseCreateCsr) KA_SX(cusparseCreateConstCsr) KA_SX(cusparseCreateCsc) KA_SX(cusparseCreateCoo) KA_SX(cusparseCreateBlockedEll) KA_SX(cusparseCreateDnMat)
KA_SX(cusparseCreateConstDnMat) KA_SX(cusparseCreateDnVec) KA_SX(cusparseCreateConstDnVec) KA_SX(cusparseCreateSpVec) KA_SX(cusparseDestroySpMat)
KA_SX(cusparseDestroyDnMat) KA_SX(cusparseDestroyDnVec) KA_SX(cusparseDestroySpVec) KA_SX(cusparseSpMV) KA_SX(cusparseSpMV_bufferSize) KA_SX(cusparseSpMV_preprocess)
KA_SX(cusparseSpMM) KA_SX(cusparseSpMM_bufferSize) KA_SX(cusparseSpMM_preprocess) KA_SX(cusparseSDDMM) KA_SX(cusparseSDDMM_bufferSize) KA_SX(cusparseSDDMM_preprocess)
KA_SX(cusparseSpGEMM_createDescr) KA_SX(cusparseSpGEMM_destroyDescr) KA_SX(cusparseSpGEMM_workEstimation) KA_SX(cusparseSpGEMM_compute) KA_SX(cusparseSpGEMM_copy)
KA_SX(cusparseSpMatGetSize) KA_SX(cusparseSpMatSetStridedBatch) KA_SX(cusparseCsrSetStridedBatch) KA_SX(cusparseDnMatSetStridedBatch) KA_SX(cusparseCsrSetPointers)
KA_SX(cusparseSpMatSetAttribute) KA_SX(cusparseDnVecSetValues) KA_SX(cusparseDnMatSetValues) KA_SX(cusparseSparseToDense) KA_SX(cusparseSparseToDense_bufferSize)
KA_SX(cusparseDenseToSparse_analysis) KA_SX(cusparseDenseToSparse_bufferSize) KA_SX(cusparseDenseToSparse_convert) KA_SX(cusparseXcoo2csr) KA_SX(cusparseXcsr2coo)
KA_SX(cusparseXcoosort_bufferSizeExt) KA_SX(cusparseXcoosortByRow) KA_SX(cusparseXcoosortByColumn) KA_SX(cusparseCreateIdentityPermutation) KA_SX(cusparseGather)
KA_SX(cusparseScatter) KA_SX(cusparseCsr2cscEx2) KA_SX(cusparseCsr2cscEx2_bufferSize) KA_SX(cusparseSpSV_createDescr) KA_SX(cusparseSpSV_destroyDescr)
KA_SX(cusparseSpSV_bufferSize) KA_SX(cusparseSpSV_analysis) KA_SX(cusparseSpSV_solve) KA_SX(cusparseSpMatGetAttribute) KA_SX(cusparseGetVersion) KA_SX(cusparseXcsrgeamNnz)
KA_SX(cusparseScsrgeam2) KA_SX(cusparseDcsrgeam2) KA_SX(cusparseScsrgeam2_bufferSizeExt) KA_SX(cusparseDcsrgeam2_bufferSizeExt) KA_SX(cusparseXcsrgeam2Nnz)
#undef KA_SX
