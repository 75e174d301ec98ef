#pragma once
#include <kadvise_torch.h>
// Toolkits come without the libraries, too.
#if __has_include(<cublasLt.h>)
#include <cublas_v2.h>
#include <cublasLt.h>
#endif
