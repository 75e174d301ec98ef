// Textures and surfaces: objects, and the references that CUDA 12 removed and old sources still name.
#pragma once
#include <kadvise/runtime.h>

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum { cudaTextureType1D = 1, cudaTextureType2D, cudaTextureType3D, cudaTextureTypeCubemap = 12, cudaTextureType1DLayered = 241,
  cudaTextureType2DLayered };
enum { cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4, cudaArrayTextureGather = 8 };
typedef struct cudaArray *cudaArray_t; typedef const struct cudaArray *cudaArray_const_t; typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
struct cudaExtent { size_t width, height, depth; }; struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaMemcpy3DParms { cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr; cudaArray_t dstArray; cudaPos dstPos;
  cudaPitchedPtr dstPtr; cudaExtent extent; cudaMemcpyKind kind; };
struct cudaResourceDesc { cudaResourceType resType; union { struct { cudaArray_t array; } array; struct { cudaMipmappedArray_t mipmap; } mipmap;
  struct { void *devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
  struct { void *devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D; } res; };
struct cudaTextureDesc { cudaTextureAddressMode addressMode[3]; cudaTextureFilterMode filterMode; cudaTextureReadMode readMode; int sRGB;
  float borderColor[4]; int normalizedCoords; unsigned maxAnisotropy; cudaTextureFilterMode mipmapFilterMode; float mipmapLevelBias,
  minMipmapLevelClamp, maxMipmapLevelClamp; };
struct textureReference { int normalized; cudaTextureFilterMode filterMode; cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc; };
template <class T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType> struct __attribute__((device_builtin_texture_type)) texture : textureReference {};
template <class T, int D = 1> struct __attribute__((device_builtin_surface_type)) surface;
template <int D> struct __attribute__((device_builtin_surface_type)) surface<void, D> {};
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, cudaChannelFormatKind); template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
cudaExtent make_cudaExtent(size_t, size_t, size_t); cudaPos make_cudaPos(size_t, size_t, size_t);
cudaPitchedPtr make_cudaPitchedPtr(void *, size_t, size_t, size_t);
#define KA_RA(n) template <class... A> cudaError_t n(A &&...) { return cudaSuccess; }
KA_RA(cudaCreateTextureObject) KA_RA(cudaDestroyTextureObject) KA_RA(cudaCreateSurfaceObject) KA_RA(cudaDestroySurfaceObject)
KA_RA(cudaBindTexture) KA_RA(cudaBindTexture2D) KA_RA(cudaBindTextureToArray) KA_RA(cudaUnbindTexture) KA_RA(cudaBindSurfaceToArray)
KA_RA(cudaMallocArray) KA_RA(cudaMalloc3DArray) KA_RA(cudaMalloc3D) KA_RA(cudaFreeArray) KA_RA(cudaMemcpyToArray)
KA_RA(cudaMemcpy2DToArray) KA_RA(cudaMemcpy2DToArrayAsync) KA_RA(cudaMemcpy2DFromArray) KA_RA(cudaMemcpyFromArray)
KA_RA(cudaMemcpy2DAsync) KA_RA(cudaMemcpy3D) KA_RA(cudaMemcpy3DAsync) KA_RA(cudaMemset2D) KA_RA(cudaMemset2DAsync) KA_RA(cudaMemset3D)
KA_RA(cudaMallocMipmappedArray) KA_RA(cudaFreeMipmappedArray) KA_RA(cudaGetMipmappedArrayLevel) KA_RA(cudaGetTextureAlignmentOffset)
#define KA_TEX(n) template <class T, class... A> KA_D T n(cudaTextureObject_t, A...); \
  template <class T, class... A> KA_D void n(T *, cudaTextureObject_t, A...); \
  template <class T, int D, class... A> KA_D T n(texture<T, D, cudaReadModeElementType>, A...); \
  template <class T, int D, class... A> KA_D float n(texture<T, D, cudaReadModeNormalizedFloat>, A...);
KA_TEX(tex1Dfetch) KA_TEX(tex1D) KA_TEX(tex2D) KA_TEX(tex3D) KA_TEX(tex1DLayered) KA_TEX(tex2DLayered) KA_TEX(tex1DLod)
KA_TEX(tex2DLod) KA_TEX(tex3DLod) KA_TEX(tex2DGrad) KA_TEX(texCubemap) KA_TEX(texCubemapLayered) KA_TEX(tex2Dgather)
#define KA_SURF(n) template <class T, class... A> KA_D T n##read(cudaSurfaceObject_t, A...); \
  template <class T, class... A> KA_D void n##read(T *, cudaSurfaceObject_t, A...); \
  template <class T, class... A> KA_D void n##write(T, cudaSurfaceObject_t, A...); \
  template <class T, class U, int D, class... A> KA_D void n##write(T, surface<U, D>, A...); \
  template <class T, class U, int D, class... A> KA_D void n##read(T *, surface<U, D>, A...);
KA_SURF(surf1D) KA_SURF(surf2D) KA_SURF(surf3D) KA_SURF(surf2DLayered) KA_SURF(surfCubemap)
