// Attention of short sequences: a warp has sixteen queries and holds their scores with all keys in registers,
// so that the softmax needs no second look; keys and values of the head lie in shared memory. Products are of
// matrices of 8 x 8 on tensor cores (kernels/common/matrix.cuh).
//
// The fused kernels of cuDNN and FlashAttention take 128 queries and keys at a time, of which a window of 7 x
// 7 uses a seventh (tests/bench/results/window_attention.h200.txt).
#pragma once

#include "kernels/common/matrix.cuh"
#include "kernels/window_attention/launch.h"

namespace kadvise {

constexpr int kWarpQueries = 16;
constexpr int kWindowWarps = kWindowBlockQueries / kWarpQueries;

// Elements between rows in shared memory: eight rows of one column then lie in different banks.
template <int kWidth>
constexpr int kWindowPitch = kWidth + 8;

template <class T, int kKeys, int kWidth>
constexpr int windowSharedBytes() {
  return 2 * kKeys * kWindowPitch<kWidth> * static_cast<int>(sizeof(T));
}

struct WindowPlace {
  std::int64_t batch;
  int head, firstQuery;
};

// Heads of one batch are neighbours, since their rows share cache lines.
__device__ __forceinline__ WindowPlace windowPlace(const WindowAttentionArgs& a) {
  const int perHead = (a.queries + kWindowBlockQueries - 1) / kWindowBlockQueries;
  const unsigned perBatch = static_cast<unsigned>(perHead * a.heads);
  const unsigned batch = blockIdx.x / perBatch, rest = blockIdx.x % perBatch;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return {batch, static_cast<int>(rest) % a.heads,
          (static_cast<int>(rest) / a.heads * kWindowWarps + warp) * kWarpQueries};
}

// Rows of keys or values by chunks; zeros beyond them, which add nothing to a product.
template <class T, int kKeys, int kWidth, int kChunk>
__device__ __forceinline__ void fetchChunks(T* to, const T* from, std::int64_t stride, int rows, int width) {
  constexpr int kChunks = kWidth / kChunk;
  for (int i = static_cast<int>(threadIdx.x); i < kKeys * kChunks; i += kWindowWarps * 32) {
    const int row = i / kChunks, column = i % kChunks * kChunk;
    const bool isThere = row < rows && column < width;
    copyBytesAsync<2 * kChunk>(to + row * kWindowPitch<kWidth> + column,
                               from + (isThere ? row * stride + column : 0), isThere);
  }
}
template <class T, int kKeys, int kWidth>
__device__ __forceinline__ void fetchRows(const WindowAttentionArgs& a, T* to, const T* from,
                                          std::int64_t stride) {
  if (a.chunk == kWindowChunk) fetchChunks<T, kKeys, kWidth, kWindowChunk>(to, from, stride, a.keys, a.width);
  else fetchChunks<T, kKeys, kWidth, kWindowWord>(to, from, stride, a.keys, a.width);
}

// The lane's two words of a row of queries: elements 8 s + 2 (lane % 4) and the one beside it.
template <class T, int kWidth>
__device__ __forceinline__ void loadQueries(std::uint32_t (&words)[kWidth / 8], const T* row, bool isThere,
                                            int width) {
  const int column = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int s = 0; s < kWidth / 8; ++s)
    words[s] = isThere && s * 8 + column < width
                   ? *reinterpret_cast<const std::uint32_t*>(row + s * 8 + column)
                   : 0u;
}

// score * scale + bias of the lane's keys, -inf for those that are none or that the query must not see.
template <class T, int kTiles>
__device__ __forceinline__ void finishScores(const WindowAttentionArgs& a, float (&sums)[kTiles][4], int half,
                                             int query, const T* bias) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int key = tile * 8 + lane % 4 * 2 + e;
      float& score = sums[tile][half * 2 + e];
      const bool isSeen = key < a.keys && (a.causal == 0 || key <= query);
      score *= a.scale;
      if (bias != nullptr && isSeen && query < a.queries) score += toFloat(bias[key * a.biasKey]);
      if (!isSeen) score = -INFINITY;
    }
  }
}

// Of one row, which four lanes share: exponentials in place of the scores, and what their sums are to be
// multiplied by. A row whose every key is hidden gives zeros, as torch's fused kernels do.
template <int kTiles>
__device__ __forceinline__ float softmaxOfRow(float (&sums)[kTiles][4], int half) {
  constexpr float kLog2E = 1.4426950408889634f;
  float most = -INFINITY;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile)
    most = fmaxf(most, fmaxf(sums[tile][half * 2], sums[tile][half * 2 + 1]));
  most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
  most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
  const float base = most == -INFINITY ? 0.0f : most * kLog2E;
  float sum = 0.0f;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float& score = sums[tile][half * 2 + e];
      score = exp2f(fmaf(score, kLog2E, -base));
      sum += score;
    }
  }
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  sum += __shfl_xor_sync(0xffffffffu, sum, 2);
  return sum == 0.0f ? 0.0f : 1.0f / sum;
}

template <class T, int kKeys, int kWidth>
__global__ void __launch_bounds__(kWindowWarps * 32)
    windowAttention(const __grid_constant__ WindowAttentionArgs a) {
  constexpr int kTiles = kKeys / 8, kSteps = kWidth / 8, kPitch = kWindowPitch<kWidth>;
  const WindowPlace at = windowPlace(a);
  const auto head = [&](const WindowAttentionArgs::Rows& rows) {
    return static_cast<const T*>(rows.data) + at.batch * rows.batch + at.head * rows.head;
  };
  T* const keys = reinterpret_cast<T*>(dynamicShared());
  T* const values = keys + kKeys * kPitch;
  fetchRows<T, kKeys, kWidth>(a, keys, head(a.k), a.k.token);
  fetchRows<T, kKeys, kWidth>(a, values, head(a.v), a.v.token);

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int query[2] = {at.firstQuery + lane / 4, at.firstQuery + lane / 4 + 8};
  std::uint32_t rows[2][kSteps];
  for (int half = 0; half < 2; ++half) {
    const bool isThere = query[half] < a.queries;
    loadQueries<T, kWidth>(rows[half], head(a.q) + (isThere ? query[half] * a.q.token : 0), isThere, a.width);
  }
  awaitCopies();
  __syncthreads();

  float scores[kTiles][4] = {};
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int s = 0; s < kSteps; s += 4) {
      std::uint32_t key[4];
      loadMatrices(keys + (tile * 8 + lane % 8) * kPitch + (s + lane / 8) * 8, key);
#pragma unroll
      for (int i = 0; i < 4; ++i) multiplyAdd<T>(rows[0][s + i], rows[1][s + i], key[i], scores[tile]);
    }
  }
  float share[2];
  for (int half = 0; half < 2; ++half) {
    const T* const bias = a.bias == nullptr
                              ? nullptr
                              : static_cast<const T*>(a.bias) + at.batch % a.groups * a.biasGroup +
                                    at.head * a.biasHead + query[half] * a.biasQuery;
    finishScores<T>(a, scores, half, query[half], bias);
    share[half] = softmaxOfRow(scores, half);
  }

  float sums[kSteps][4] = {};
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    const std::uint32_t upper = joinWord<T>(scores[tile][0], scores[tile][1]);
    const std::uint32_t lower = joinWord<T>(scores[tile][2], scores[tile][3]);
#pragma unroll
    for (int s = 0; s < kSteps; s += 4) {
      std::uint32_t value[4];
      loadMatricesTransposed(values + (tile * 8 + lane % 8) * kPitch + (s + lane / 8) * 8, value);
#pragma unroll
      for (int i = 0; i < 4; ++i) multiplyAdd<T>(upper, lower, value[i], sums[s + i]);
    }
  }
  const std::int64_t rowSize = static_cast<std::int64_t>(a.heads) * a.width;
  for (int half = 0; half < 2; ++half) {
    if (query[half] >= a.queries) continue;
    const int column = lane % 4 * 2;
    T* const result = static_cast<T*>(a.result) + (at.batch * a.queries + query[half]) * rowSize +
                      at.head * a.width + column;
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      if (s * 8 + column >= a.width) continue;
      *reinterpret_cast<std::uint32_t*>(result + s * 8) =
          joinWord<T>(sums[s][half * 2] * share[half], sums[s][half * 2 + 1] * share[half]);
    }
  }
}

// The kernel that holds the keys and the width: calls work with both as its template parameters.
template <int kKeys, class Work>
auto withWindowWidth(const WindowAttentionArgs& a, Work work) {
  return a.width <= 32 ? work.template operator()<kKeys, 32>()
                       : work.template operator()<kKeys, kMostWindowWidth>();
}
template <class Work>
auto withWindowSizes(const WindowAttentionArgs& a, Work work) {
  if (a.keys <= 16) return withWindowWidth<16>(a, work);
  if (a.keys <= 32) return withWindowWidth<32>(a, work);
  if (a.keys <= 56) return withWindowWidth<56>(a, work);  // windows of 7 x 7
  return withWindowWidth<kMostWindowKeys>(a, work);
}

inline std::int64_t windowBlocks(const WindowAttentionArgs& a) {
  return a.batches * a.heads * ((a.queries + kWindowBlockQueries - 1) / kWindowBlockQueries);
}

}  // namespace kadvise
