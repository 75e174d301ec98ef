#pragma once
#include <cuComplex.h>
#include <library_types.h>
typedef struct cusparseContext *cusparseHandle_t; typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t; typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t; typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE };
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE };
const char *cusparseGetErrorString(cusparseStatus_t); cusparseStatus_t cusparseCreate(cusparseHandle_t *);
cusparseStatus_t cusparseDestroy(cusparseHandle_t); cusparseStatus_t cusparseSetStream(cusparseHandle_t, cudaStream_t);
