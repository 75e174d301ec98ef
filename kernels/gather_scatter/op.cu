// gather_scatter_add on a GPU. A few lanes take a chunk of columns each and walk along a run of edges; what
// follows each other for the same target is added in registers and reaches memory once. Sorted edges are then
// a segmented sum; unsorted ones still write no messages.
#include "kernels/common/access.h"
#include "kernels/common/divider.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/gather_scatter/launch.h"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

constexpr int kBlock = 128;
constexpr int kFlight = 4;  // edges whose rows a lane has in flight

struct EdgeGrid {
  std::int64_t items;  // chunks of columns, of all runs
  Divider chunks;      // of a row
  std::int64_t run;    // edges, a multiple of kFlight
  bool addsByFour;     // rows of sums begin at 16 bytes
};

__device__ __forceinline__ void addFour(float* p, float a, float b, float c, float d) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(a), "f"(b), "f"(c), "f"(d)
               : "memory");
#else
  atomicAdd(p, a);
  atomicAdd(p + 1, b);
  atomicAdd(p + 2, c);
  atomicAdd(p + 3, d);
#endif
}

template <int V>
__device__ __forceinline__ void addTo(float* row, std::int64_t first, std::int64_t columns, bool byFour,
                                      float (&sum)[V]) {
  if constexpr (V >= 4) {
    if (byFour) {  // columns are then a multiple of four
#pragma unroll
      for (int j = 0; j < V; j += 4)
        if (first + j < columns) addFour(row + first + j, sum[j], sum[j + 1], sum[j + 2], sum[j + 3]);
    }
  }
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (!(V >= 4 && byFour) && first + j < columns) atomicAdd(row + first + j, sum[j]);
    sum[j] = 0.0f;
  }
}

// torch, too, stops a kernel whose index is out of range.
__device__ __forceinline__ std::int64_t checked(std::int64_t index, std::int64_t rows) {
  if (index < 0 || index >= rows) __trap();
  return index;
}

// A row of x is the source of many edges.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> loadReusedColumns(const T* row, std::int64_t first,
                                                         std::int64_t columns) {
  if (isWhole<V>(first, columns)) return loadReused<T, V>(row + first);
  float v[V];
  loadEdge<T, V>(row, first, columns, v);
  return pack<T, V>(v);
}

template <class T, int V>
__global__ void __launch_bounds__(kBlock)
    alongEdges(const __grid_constant__ GatherScatterArgs a, const __grid_constant__ EdgeGrid grid) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (item >= grid.items) return;
  const std::int64_t run = grid.chunks.quotient(item);
  const std::int64_t first = (item - run * grid.chunks.divisor) * V, begin = run * grid.run;
  const std::int64_t end = begin + grid.run < a.edges ? begin + grid.run : a.edges;
  float sum[V] = {};
  std::int64_t open = checked(a.target[begin], a.targets);  // the target whose sum is in registers
  for (std::int64_t e = begin; e < end; e += kFlight) {
    Chunk<T, V> rows[kFlight] = {};
    std::int64_t target[kFlight];
    float scale[kFlight];
#pragma unroll
    for (int i = 0; i < kFlight; ++i) {
      if (e + i >= end) continue;
      const std::int64_t source = checked(a.source[e + i], a.sources);
      rows[i] = loadReusedColumns<T, V>(static_cast<const T*>(a.x) + source * a.xStride, first, a.columns);
      target[i] = checked(a.target[e + i], a.targets);
      scale[i] = a.scale != nullptr ? toFloat(static_cast<const T*>(a.scale)[e + i]) : 1.0f;
    }
#pragma unroll
    for (int i = 0; i < kFlight; ++i) {
      if (e + i >= end) continue;
      if (target[i] != open) addTo<V>(a.sums + open * a.columns, first, a.columns, grid.addsByFour, sum);
      open = target[i];
      float v[V];
      unpack(rows[i], v);
#pragma unroll
      for (int j = 0; j < V; ++j) sum[j] = fmaf(scale[i], v[j], sum[j]);
    }
  }
  addTo<V>(a.sums + open * a.columns, first, a.columns, grid.addsByFour, sum);
}

// Longer runs join more of sorted edges, shorter ones fill the device.
std::int64_t runOf(std::int64_t edges, std::int64_t chunks, std::int64_t sms) {
  const std::int64_t threadsWanted = sms * 2048;
  for (const std::int64_t run : {32, 16, 8})
    if (edges / run * chunks >= threadsWanted) return run;
  return kFlight;
}

template <class T, int V>
cudaError_t launchEdges(const GatherScatterArgs& a, cudaStream_t stream) {
  DeviceLimits limits;
  if (const auto e = readLimits(limits)) return e;
  const std::int64_t chunks = (a.columns + V - 1) / V, run = runOf(a.edges, chunks, limits.sms);
  const std::int64_t items = chunks * ((a.edges + run - 1) / run), blocks = (items + kBlock - 1) / kBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  const bool addsByFour = a.columns % 4 == 0 && at16Bytes(a.sums);
  return launchKernel(alongEdges<T, V>, blocks, kBlock, 0, stream, a,
                      EdgeGrid{items, Divider(chunks), run, addsByFour});
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_gather_scatter(const kadvise::GatherScatterArgs* args,
                                                                       void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    constexpr int kWide = kadvise::kLanes<T>;
    const bool aligned = kadvise::at16Bytes(args->x) && args->xStride % kWide == 0;
    const auto enqueue = aligned ? kadvise::launchEdges<T, kWide> : kadvise::launchEdges<T, 1>;
    return enqueue(*args, static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::gather_scatter_add: starting its kernel");
}
