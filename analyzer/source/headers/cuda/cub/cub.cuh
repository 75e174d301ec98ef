#pragma once
#include <kadvise_cuda.h>
#include <kadvise/libcudacxx.h>  // as CUB does: users of it speak of cuda::std
#if defined(CUB_NS_PREFIX)
#define KA_CUB_BEGIN CUB_NS_PREFIX
#define KA_CUB_END CUB_NS_POSTFIX
#elif defined(THRUST_CUB_WRAPPED_NAMESPACE)
#define KA_CUB_BEGIN namespace THRUST_CUB_WRAPPED_NAMESPACE {
#define KA_CUB_END }
#define CUB_NS_QUALIFIER ::THRUST_CUB_WRAPPED_NAMESPACE::cub
#elif defined(CUB_WRAPPED_NAMESPACE)
#define KA_CUB_BEGIN namespace CUB_WRAPPED_NAMESPACE {
#define KA_CUB_END }
#define CUB_NS_QUALIFIER ::CUB_WRAPPED_NAMESPACE::cub
#else
#define KA_CUB_BEGIN
#define KA_CUB_END
#endif
#if !defined(CUB_NS_QUALIFIER)
#define CUB_NS_QUALIFIER ::cub
#endif
#define CubDebug(e) CUB_NS_QUALIFIER::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) { if (CubDebug((e))) __builtin_trap(); }
KA_CUB_BEGIN
namespace cub {
struct Sum { template <class T> __host__ __device__ T operator()(const T &, const T &) const; };
struct Max : Sum {}; struct Min : Sum {}; struct ArgMax : Sum {}; struct ArgMin : Sum {};
template <class T> struct CastOp { template <class A> __host__ __device__ T operator()(A &&) const; };
template <int N, class T> KA_D T ShuffleIndex(T, int, unsigned); template <int N, class T> KA_D T ShuffleDown(T, int, int, unsigned);
template <int N, class T> KA_D T ShuffleUp(T, int, int, unsigned);
enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
template <size_t N> struct ka_bits; template <> struct ka_bits<1> { typedef unsigned char type; };
template <> struct ka_bits<2> { typedef unsigned short type; }; template <> struct ka_bits<4> { typedef unsigned type; };
template <> struct ka_bits<8> { typedef unsigned long long type; };
template <class T> struct Traits { typedef typename ka_bits<sizeof(T)>::type UnsignedBits; static constexpr Category CATEGORY = FLOATING_POINT;
  static KA_D UnsignedBits TwiddleIn(UnsignedBits); static KA_D UnsignedBits TwiddleOut(UnsignedBits); static KA_D T Max(); static KA_D T Lowest(); };
template <class T> struct NumericTraits : Traits<T> {};
struct Equality { template <class T> __host__ __device__ bool operator()(const T &, const T &) const; };
struct Inequality : Equality {};
template <class K, class V> struct KeyValuePair { K key; V value; KeyValuePair() = default;
  __host__ __device__ KeyValuePair(const K &, const V &); };
template <class T> struct DoubleBuffer { T *d_buffers[2]; int selector; DoubleBuffer(T *, T *); T *Current(); T *Alternate(); };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
__host__ __device__ cudaError_t Debug(cudaError_t, const char *, int);
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockHistogramAlgorithm { BLOCK_HISTO_ATOMIC, BLOCK_HISTO_SORT };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
#define KA_CUB_ANY(n) template <class... A> KA_D void n(A &&...);
#define KA_CUB(n, ...) template <class T, __VA_ARGS__> struct n { struct TempStorage { alignas(T) char t[sizeof(T)]; }; KA_D n(); \
  KA_D n(TempStorage &); template <class... A> KA_D n(TempStorage &, A...); \
  KA_D T Sum(T); KA_D T Sum(T, int); template <class O> KA_D T Reduce(T, O); template <class O> KA_D T Reduce(T, O, \
    int); template <int I> KA_D T Sum(const T (&)[I]); template <int I, class O> KA_D T Reduce(const T (&)[I], O); \
  template <class F, class O> KA_D T HeadSegmentedReduce(T, F, O); template <class F> KA_D T HeadSegmentedSum(T, F); \
  KA_D T Broadcast(T, unsigned); \
  KA_CUB_ANY(ExclusiveSum) KA_CUB_ANY(InclusiveSum) KA_CUB_ANY(ExclusiveScan) KA_CUB_ANY(InclusiveScan) \
  KA_CUB_ANY(Scan) KA_CUB_ANY(Sort) KA_CUB_ANY(SortDescending) KA_CUB_ANY(SortBlockedToStriped) \
  KA_CUB_ANY(SortDescendingBlockedToStriped) KA_CUB_ANY(Load) KA_CUB_ANY(Store) KA_CUB_ANY(Composite) \
  KA_CUB_ANY(InitHistogram) KA_CUB_ANY(Histogram) KA_CUB_ANY(FlagHeads) KA_CUB_ANY(FlagTails) \
  KA_CUB_ANY(SubtractLeft) KA_CUB_ANY(SubtractRight) KA_CUB_ANY(StripedToBlocked) KA_CUB_ANY(BlockedToStriped) \
  KA_CUB_ANY(WarpStripedToBlocked) KA_CUB_ANY(BlockedToWarpStriped) KA_CUB_ANY(ScatterToBlocked) \
  KA_CUB_ANY(ScatterToStriped) };
KA_CUB(BlockReduce, int B, int... R) KA_CUB(BlockScan, int B, int... R) KA_CUB(BlockLoad, int B, int... R)
KA_CUB(BlockStore, int B, int... R) KA_CUB(BlockExchange, int B, int... R) KA_CUB(BlockHistogram, int B, int... R)
KA_CUB(BlockDiscontinuity, int B, int... R) KA_CUB(BlockAdjacentDifference, int B, int... R)
KA_CUB(WarpReduce, int... R) KA_CUB(WarpScan, int... R) KA_CUB(WarpLoad, int... R) KA_CUB(WarpStore, int... R)
template <class T, int B, int I = 1, class V = int, int... R> struct BlockRadixSort : BlockExchange<T, B> {
  struct TempStorage { alignas(T) char t[sizeof(T)]; }; KA_D BlockRadixSort(); KA_D BlockRadixSort(TempStorage &); };
template <class T> struct BFEDigitExtractor { KA_D BFEDigitExtractor(unsigned, unsigned); KA_D unsigned Digit(T) const; };
template <int B, int R, bool D, class... A> struct BlockRadixRank { struct TempStorage { int t[1 << R]; };
  static constexpr int BINS_TRACKED_PER_THREAD = (1 << R) > B ? ((1 << R) + B - 1) / B : 1;
  KA_D BlockRadixRank(); KA_D BlockRadixRank(TempStorage &); template <class... K> KA_D void RankKeys(K &&...); };
template <class T, int B, int I, class V = int, int... R> struct BlockMergeSort : BlockRadixSort<T, B, I, V> {
  using BlockRadixSort<T, B, I, V>::BlockRadixSort; };
template <class T, int I, int W = 32, class V = int> struct WarpMergeSort : BlockRadixSort<T, W, I, V> {
  using BlockRadixSort<T, W, I, V>::BlockRadixSort; };
template <CacheLoadModifier M, class P> KA_D auto ThreadLoad(P p) -> decltype(*p + 0);
template <CacheStoreModifier M, class P, class T> KA_D void ThreadStore(P, T);
template <class T, int N, class O> KA_D T ThreadReduce(const T (&)[N], O); KA_D unsigned LaneId(); KA_D unsigned WarpId();
KA_D int RowMajorTid(int, int, int); template <int I, class... A> KA_D void LoadDirectBlocked(A &&...);
KA_CUB_ANY(LoadDirectBlocked) KA_CUB_ANY(LoadDirectStriped) KA_CUB_ANY(StoreDirectBlocked) KA_CUB_ANY(StoreDirectStriped)
KA_CUB_ANY(LoadDirectBlockedVectorized) KA_CUB_ANY(StoreDirectBlockedVectorized) KA_CUB_ANY(CTA_SYNC)
template <int B, class... A> KA_D void LoadDirectStriped(A &&...); template <int B, class... A> KA_D void StoreDirectStriped(A &&...);
// What a scan in one pass keeps of each tile, and asks of those before its own.
template <class T, bool B = true> struct ScanTileState { __host__ __device__ ScanTileState(); __host__ __device__ cudaError_t Init(int, void *,
  size_t); __host__ __device__ static cudaError_t AllocationSize(int, size_t &); KA_D void InitializeStatus(int);
  KA_D void SetInclusive(int, T); KA_D void SetPartial(int, T); };
template <class T, class O, class S, class... A> struct TilePrefixCallbackOp { struct TempStorage { alignas(T) char t[sizeof(T)]; };
  KA_D TilePrefixCallbackOp(S &, TempStorage &, O); KA_D TilePrefixCallbackOp(S &, TempStorage &, O, int); KA_D int GetTileIdx() const;
  KA_D T operator()(T); KA_D T GetExclusivePrefix(); KA_D T GetInclusivePrefix(); KA_D T GetBlockAggregate(); };
template <class T> struct CountingInputIterator { __host__ __device__ CountingInputIterator(T);
  __host__ __device__ T operator[](size_t) const; __host__ __device__ T operator*() const; };
template <class T, class O, class I> struct TransformInputIterator { __host__ __device__ TransformInputIterator(I, O);
  __host__ __device__ T operator[](size_t) const; __host__ __device__ T operator*() const; };
template <class I> struct ArgIndexInputIterator { __host__ __device__ ArgIndexInputIterator(I); };
template <CacheLoadModifier M, class T> struct CacheModifiedInputIterator { __host__ __device__ CacheModifiedInputIterator(const T *);
  __host__ __device__ T operator[](size_t) const; };
struct CachingDeviceAllocator { CachingDeviceAllocator(...); template <class... A> cudaError_t DeviceAllocate(A...);
  cudaError_t DeviceFree(void *); };
#define KA_DEV(n) template <class... A> static cudaError_t n(A &&...) { return cudaSuccess; }
struct DeviceReduce { KA_DEV(Sum) KA_DEV(Max) KA_DEV(Min) KA_DEV(Reduce) KA_DEV(ArgMax) KA_DEV(ArgMin)
KA_DEV(ReduceByKey) KA_DEV(TransformReduce) };
struct DeviceScan { KA_DEV(ExclusiveSum) KA_DEV(InclusiveSum) KA_DEV(ExclusiveScan) KA_DEV(InclusiveScan)
KA_DEV(ExclusiveSumByKey) KA_DEV(InclusiveSumByKey) };
struct DeviceRadixSort { KA_DEV(SortKeys) KA_DEV(SortPairs) KA_DEV(SortPairsDescending) KA_DEV(SortKeysDescending)
};
struct DeviceSegmentedRadixSort : DeviceRadixSort {}; struct DeviceMergeSort : DeviceRadixSort { KA_DEV(StableSortKeys)
KA_DEV(StableSortPairs) }; struct DeviceSegmentedSort : DeviceMergeSort {};
struct DeviceSegmentedReduce { KA_DEV(Sum) KA_DEV(Max) KA_DEV(Min) KA_DEV(Reduce) KA_DEV(ArgMax) KA_DEV(ArgMin) };
struct DeviceSelect { KA_DEV(Flagged) KA_DEV(If) KA_DEV(Unique) KA_DEV(UniqueByKey) };
struct DevicePartition { KA_DEV(Flagged) KA_DEV(If) }; struct DeviceHistogram { KA_DEV(HistogramEven)
KA_DEV(HistogramRange) KA_DEV(MultiHistogramEven) }; struct DeviceRunLengthEncode { KA_DEV(Encode)
KA_DEV(NonTrivialRuns) }; struct DeviceFor { KA_DEV(Bulk) KA_DEV(ForEach) KA_DEV(ForEachN) };
struct DeviceTransform { KA_DEV(Transform) }; struct DeviceSpmv { KA_DEV(CsrMV) };
}
KA_CUB_END
