// causal_conv1d on a GPU, for the two orders in which x may lie in memory. Times dense: a thread makes a
// chunk of times of one channel, and its neighbour in the warp hands it the times before. Channels dense: a
// thread makes a chunk of channels and walks along time, the last times in registers.
#include "kernels/causal_conv1d/launch.h"
#include "kernels/common/access.h"
#include "kernels/common/activation.cuh"
#include "kernels/common/divider.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

constexpr int kBlock = 128;
constexpr int kTimes = 16;  // that a thread walks along where channels are dense
constexpr int kFlight = 4;  // chunks of these that it has in flight
constexpr int kChunks = 2;  // chunks of times, where those are dense

template <class T>
__device__ __forceinline__ float finished(float v, bool silu) {
  return silu ? activated<T, Activation::Silu>(v) : v;
}

template <class T>
__device__ __forceinline__ float biasOf(const CausalConv1dArgs& a, std::int64_t channel) {
  return a.bias != nullptr ? toFloat(static_cast<const T*>(a.bias)[channel]) : 0.0f;
}

// ---- times dense

struct TimeGrid {
  std::int64_t chunks;  // of all rows
  Divider perRow, channels;
};

template <class T>
struct Row {
  const T* x;
  T* result;
  std::int64_t channel;

  __device__ __forceinline__ Row(const CausalConv1dArgs& a, const TimeGrid& grid, std::int64_t row) {
    const std::int64_t batch = grid.channels.quotient(row);
    channel = row - batch * grid.channels.divisor;
    x = static_cast<const T*>(a.x) + batch * a.xStride.batch + channel * a.xStride.channel;
    result = static_cast<T*>(a.result) + batch * a.resultStride.batch + channel * a.resultStride.channel;
  }
};

// The last kWidth - 1 times before a chunk that begins at `first`: zeros before the beginning of the row.
template <class T, int V, int kWidth>
__device__ __forceinline__ void timesBefore(const T* x, std::int64_t first, const float (&own)[V],
                                            float (&before)[kWidth - 1]) {
  const bool fromMemory = V < kWidth - 1 || threadIdx.x % 32 == 0;
#pragma unroll
  for (int k = 0; k < kWidth - 1; ++k) {
    const int back = kWidth - 1 - k;
    // Lanes of one warp have chunks that follow each other; a row's first chunk takes nothing from before.
    float v = 0.0f;
    if constexpr (V >= kWidth - 1) v = __shfl_up_sync(0xffffffffu, own[V - back], 1);
    if (fromMemory) v = first >= back ? toFloat(x[first - back]) : 0.0f;
    before[k] = first == 0 ? 0.0f : v;
  }
}

template <class T, int V, int kWidth>
__global__ void __launch_bounds__(kBlock)
    alongTimes(const __grid_constant__ CausalConv1dArgs a, const __grid_constant__ TimeGrid grid) {
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * (kBlock * kChunks) + threadIdx.x;
  Chunk<T, V> chunks[kChunks] = {};
#pragma unroll
  for (int i = 0; i < kChunks; ++i) {
    const std::int64_t chunk = begin + i * kBlock;
    if (chunk >= grid.chunks) continue;
    const std::int64_t row = grid.perRow.quotient(chunk);
    chunks[i] =
        loadColumns<(V > 1), T, V>(Row<T>(a, grid, row).x, (chunk - row * grid.perRow.divisor) * V, a.length);
  }
#pragma unroll
  for (int i = 0; i < kChunks; ++i) {
    const std::int64_t chunk = begin + i * kBlock;
    const bool isThere = chunk < grid.chunks;
    const std::int64_t row = grid.perRow.quotient(isThere ? chunk : 0);
    const std::int64_t first = isThere ? (chunk - row * grid.perRow.divisor) * V : 0;
    const Row<T> at(a, grid, row);
    float x[kWidth - 1 + V], own[V], before[kWidth - 1];
    unpack(chunks[i], own);
    timesBefore<T, V, kWidth>(at.x, first, own, before);  // every lane: it shuffles
    if (!isThere) continue;
#pragma unroll
    for (int k = 0; k < kWidth - 1; ++k) x[k] = before[k];
#pragma unroll
    for (int j = 0; j < V; ++j) x[kWidth - 1 + j] = own[j];
    const T* weight = static_cast<const T*>(a.weight) + at.channel * kWidth;
    const float bias = biasOf<T>(a, at.channel);
    float y[V];
#pragma unroll
    for (int j = 0; j < V; ++j) y[j] = bias;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      const float w = toFloat(weight[k]);
#pragma unroll
      for (int j = 0; j < V; ++j) y[j] = fmaf(w, x[j + k], y[j]);
    }
#pragma unroll
    for (int j = 0; j < V; ++j) y[j] = finished<T>(y[j], a.silu);
    storeColumns<(V > 1)>(at.result, first, a.length, pack<T, V>(y));
  }
}

// ---- channels dense

struct ChannelGrid {
  std::int64_t items;
  Divider chunks, spans;  // chunks of channels, spans of kTimes
};

template <class T, int V, int kWidth>
__global__ void __launch_bounds__(kBlock)
    acrossChannels(const __grid_constant__ CausalConv1dArgs a, const __grid_constant__ ChannelGrid grid) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (item >= grid.items) return;
  const std::int64_t spanOfAll = grid.chunks.quotient(item);
  const std::int64_t channel = (item - spanOfAll * grid.chunks.divisor) * V;
  const std::int64_t batch = grid.spans.quotient(spanOfAll);
  const std::int64_t begin = (spanOfAll - batch * grid.spans.divisor) * kTimes;
  const std::int64_t end = begin + kTimes < a.length ? begin + kTimes : a.length;
  const T* x = static_cast<const T*>(a.x) + batch * a.xStride.batch;
  T* result = static_cast<T*>(a.result) + batch * a.resultStride.batch;

  float weight[kWidth][V], bias[V];
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const std::int64_t c = channel + j < a.channels ? channel + j : a.channels - 1;
    bias[j] = biasOf<T>(a, c);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) weight[k][j] = toFloat(static_cast<const T*>(a.weight)[c * kWidth + k]);
  }
  const auto load = [&](std::int64_t t) {
    if (t < 0 || t >= end) return Chunk<T, V>{};
    return loadColumns<(V > 1), T, V>(x + t * a.xStride.time, channel, a.channels);
  };

  float window[kWidth][V];  // times t - kWidth + 1 to t
#pragma unroll
  for (int k = 1; k < kWidth; ++k) unpack(load(begin - kWidth + k), window[k]);
  for (std::int64_t t = begin; t < end; t += kFlight) {
    Chunk<T, V> chunks[kFlight];
#pragma unroll
    for (int i = 0; i < kFlight; ++i) chunks[i] = load(t + i);
#pragma unroll
    for (int i = 0; i < kFlight; ++i) {
#pragma unroll
      for (int k = 0; k < kWidth - 1; ++k) {
#pragma unroll
        for (int j = 0; j < V; ++j) window[k][j] = window[k + 1][j];
      }
      unpack(chunks[i], window[kWidth - 1]);
      if (t + i >= end) continue;
      float y[V];
#pragma unroll
      for (int j = 0; j < V; ++j) {
        y[j] = bias[j];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) y[j] = fmaf(weight[k][j], window[k][j], y[j]);
        y[j] = finished<T>(y[j], a.silu);
      }
      storeColumns<(V > 1)>(result + (t + i) * a.resultStride.time, channel, a.channels, pack<T, V>(y));
    }
  }
}

// ---- the choice

// Whether chunks of 16 bytes serve: every dense stretch begins at one.
bool beginsAligned(const CausalConv1dArgs& a) {
  const int lanes = 16 / bytesOf(a.dtype);
  const auto fits = [&](const void* data, const SequenceStride& stride) {
    const std::int64_t other = a.timesDense ? stride.channel : stride.time;
    return at16Bytes(data) && (stride.batch % lanes == 0 || a.batches == 1) &&
           (other % lanes == 0 || (a.timesDense ? a.channels : a.length) == 1);
  };
  return fits(a.x, a.xStride) && fits(a.result, a.resultStride);
}

template <class T, int V, int kWidth>
cudaError_t launchConv(const CausalConv1dArgs& a, cudaStream_t stream) {
  const auto blocksOf = [](std::int64_t items, int perBlock) { return (items + perBlock - 1) / perBlock; };
  if (a.timesDense) {
    const std::int64_t perRow = (a.length + V - 1) / V, chunks = perRow * a.batches * a.channels;
    const std::int64_t blocks = blocksOf(chunks, kBlock * kChunks);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;  // 2^39 elements
    return launchKernel(alongTimes<T, V, kWidth>, blocks, kBlock, 0, stream, a,
                        TimeGrid{chunks, Divider(perRow), Divider(a.channels)});
  }
  const std::int64_t perTime = (a.channels + V - 1) / V, spans = (a.length + kTimes - 1) / kTimes;
  const std::int64_t items = perTime * spans * a.batches, blocks = blocksOf(items, kBlock);
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  return launchKernel(acrossChannels<T, V, kWidth>, blocks, kBlock, 0, stream, a,
                      ChannelGrid{items, Divider(perTime), Divider(spans)});
}

template <class T, int V>
cudaError_t launchWidth(const CausalConv1dArgs& a, cudaStream_t stream) {
  switch (a.width) {
    case 2:
      return launchConv<T, V, 2>(a, stream);
    case 3:
      return launchConv<T, V, 3>(a, stream);
    case 4:
      return launchConv<T, V, 4>(a, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_causal_conv1d(const kadvise::CausalConv1dArgs* args,
                                                                      void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const auto enqueue = kadvise::beginsAligned(*args) ? kadvise::launchWidth<T, kadvise::kLanes<T>>
                                                       : kadvise::launchWidth<T, 1>;
    return enqueue(*args, static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::causal_conv1d: starting its kernel");
}
