#pragma once
#include <kadvise_cuda.h>
namespace cub {
struct Sum { template <class T> __host__ __device__ T operator()(const T &, const T &) const; };
struct Max : Sum {}; struct Min : Sum {};
#define KA_CUB(n, ...) template <class T, __VA_ARGS__> struct n { struct TempStorage { T t; }; KA_D n(); \
  KA_D n(TempStorage &); \
  KA_D T Sum(T); KA_D T Sum(T, int); template <class O> KA_D T Reduce(T, O); template <class O> KA_D T Reduce(T, O, \
    int); \
  template <class... A> KA_D void ExclusiveSum(A &&...); template <class... A> KA_D void InclusiveSum(A &&...); \
    template <class... A> KA_D void Sort(A &&...); template <class... A> KA_D void Load(A &&...); \
    template <class... A> KA_D void Store(A &&...); };
KA_CUB(BlockReduce, int B, int... R) KA_CUB(BlockScan, int B, int... R) KA_CUB(BlockLoad, int B, int... R)
KA_CUB(BlockStore, int B, int... R) KA_CUB(WarpReduce, int... R) KA_CUB(WarpScan, int... R)
#define KA_DEV(n) template <class... A> static cudaError_t n(A &&...) { return cudaSuccess; }
struct DeviceReduce { KA_DEV(Sum) KA_DEV(Max) KA_DEV(Min) KA_DEV(Reduce) KA_DEV(ArgMax) KA_DEV(ArgMin)
KA_DEV(ReduceByKey) };
struct DeviceScan { KA_DEV(ExclusiveSum) KA_DEV(InclusiveSum) KA_DEV(ExclusiveScan) KA_DEV(InclusiveScan) };
struct DeviceRadixSort { KA_DEV(SortKeys) KA_DEV(SortPairs) KA_DEV(SortPairsDescending) KA_DEV(SortKeysDescending)
};
struct DeviceSegmentedReduce { KA_DEV(Sum) KA_DEV(Max) KA_DEV(Min) KA_DEV(Reduce) };
struct DeviceSelect { KA_DEV(Flagged) KA_DEV(If) KA_DEV(Unique) };
}
