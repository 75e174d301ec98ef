// CUDA without a toolkit: enough declarations for Clang to build the AST of common kernels, included before the file
// with -nocudainc -nocudalib. Nothing of it is ever compiled to code.
#pragma once
#define KADVISE_CUDA_STUB 1
#ifdef __CUDA__
#include <kadvise/attributes.h>
#include <kadvise/vector_types.h>
// In this order: the C library wants the attributes, everything else the C library.
#include <kadvise/c_library.h>
#include <kadvise/intrinsics.h>
#include <kadvise/threads.h>
#include <kadvise/memory.h>
#include <kadvise/runtime.h>
#include <kadvise/textures.h>
#include <library_types.h>
// The user's text is read as nvcc reads it; what stands above is not.
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#else
// A host file: the runtime API and the vector types, without what only device code calls.
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <utility>
#include <kadvise/attributes.h>
#include <kadvise/vector_types.h>
#include <kadvise/runtime.h>
#include <library_types.h>
#endif
