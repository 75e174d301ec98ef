#pragma once
#include <cufft.h>
enum cufftXtSubFormat { CUFFT_XT_FORMAT_INPUT, CUFFT_XT_FORMAT_OUTPUT, CUFFT_XT_FORMAT_INPLACE, CUFFT_XT_FORMAT_INPLACE_SHUFFLED };
enum cufftXtCopyType { CUFFT_COPY_HOST_TO_DEVICE, CUFFT_COPY_DEVICE_TO_HOST, CUFFT_COPY_DEVICE_TO_DEVICE };
enum cufftXtCallbackType { CUFFT_CB_LD_COMPLEX, CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_LD_REAL, CUFFT_CB_LD_REAL_DOUBLE,
  CUFFT_CB_ST_COMPLEX, CUFFT_CB_ST_COMPLEX_DOUBLE, CUFFT_CB_ST_REAL, CUFFT_CB_ST_REAL_DOUBLE };
typedef cufftComplex (*cufftCallbackLoadC)(void *, size_t, void *, void *); typedef cufftReal (*cufftCallbackLoadR)(void *, size_t, void *, void *);
typedef void (*cufftCallbackStoreC)(void *, size_t, cufftComplex, void *, void *);
typedef void (*cufftCallbackStoreR)(void *, size_t, cufftReal, void *, void *);
struct cudaXtDesc { int version, nGPUs, GPUs[64]; void *data[64]; size_t size[64]; void *cudaXtState; };
struct cudaLibXtDesc { int version; cudaXtDesc *descriptor; int library, subFormat; void *libDescriptor; };
KA_FFT(cufftXtSetGPUs) KA_FFT(cufftXtMalloc) KA_FFT(cufftXtMemcpy) KA_FFT(cufftXtFree) KA_FFT(cufftXtExecDescriptorC2C)
KA_FFT(cufftXtSetCallback) KA_FFT(cufftXtExecDescriptorR2C) KA_FFT(cufftXtExecDescriptorC2R) KA_FFT(cufftXtMakePlanMany) KA_FFT(cufftXtExec)
