// The types of elements that CUDA's libraries speak of.
#pragma once
#include <kadvise_cuda.h>
enum cudaDataType { CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_8I, CUDA_C_32F, CUDA_C_64F, CUDA_C_16F, CUDA_C_8I,
  CUDA_R_8U, CUDA_C_8U, CUDA_R_32I, CUDA_C_32I, CUDA_R_32U, CUDA_R_16BF, CUDA_C_16BF, CUDA_R_64I, CUDA_R_8F_E4M3,
  CUDA_R_8F_E5M2 };
typedef enum cudaDataType cudaDataType_t;
enum libraryPropertyType { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL };
