#pragma once
#include <cuComplex.h>
#include <library_types.h>
typedef int cufftHandle; typedef float cufftReal; typedef double cufftDoubleReal; typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
enum cufftResult_t { CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR,
  CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA, CUFFT_INCOMPLETE_PARAMETER_LIST,
  CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR, CUFFT_NO_WORKSPACE, CUFFT_NOT_IMPLEMENTED, CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED };
typedef cufftResult_t cufftResult;
enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 };
typedef cufftType_t cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define KA_FFT(n) template <class... A> cufftResult n(A &&...) { return CUFFT_SUCCESS; }
KA_FFT(cufftPlan1d) KA_FFT(cufftPlan2d) KA_FFT(cufftPlan3d) KA_FFT(cufftPlanMany) KA_FFT(cufftMakePlan1d) KA_FFT(cufftMakePlan2d)
KA_FFT(cufftMakePlan3d) KA_FFT(cufftMakePlanMany) KA_FFT(cufftCreate) KA_FFT(cufftDestroy) KA_FFT(cufftSetStream) KA_FFT(cufftExecC2C)
KA_FFT(cufftExecR2C) KA_FFT(cufftExecC2R) KA_FFT(cufftExecZ2Z) KA_FFT(cufftExecD2Z) KA_FFT(cufftExecZ2D) KA_FFT(cufftGetSize)
KA_FFT(cufftSetWorkArea) KA_FFT(cufftSetAutoAllocation) KA_FFT(cufftEstimate1d)
