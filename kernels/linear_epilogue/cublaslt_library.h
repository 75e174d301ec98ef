// cuBLASLt, NVIDIA's library of matrix products with epilogues: the copy that torch has loaded, found by name
// when it is first needed. Not linked, so that a machine whose torch brings another one keeps all other
// kernels.
#pragma once

#include <cublasLt.h>

namespace kadvise {

struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulDescInit_internal) initProduct;
  decltype(&cublasLtMatmulDescSetAttribute) setProduct;
  decltype(&cublasLtMatrixLayoutInit_internal) initLayout;
  decltype(&cublasLtMatmulPreferenceInit_internal) initPreference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) setPreference;
};

// Null where there is no such library, or none with these functions.
const CublasLt* cublasLt();

// The library's state on the current device, made once. It is never destroyed: at the end of a process the
// driver may be gone first. Null where it cannot be made.
cublasLtHandle_t cublasLtOfDevice(const CublasLt&);

}  // namespace kadvise
