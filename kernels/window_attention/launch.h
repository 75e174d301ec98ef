// The border between the torch side (op.cpp) and the CUDA side (op.cu) of window_attention.
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

constexpr int kMostWindowKeys = 64;  // a warp holds the scores of all keys in registers
constexpr int kWindowBlockQueries = 64;
constexpr int kMostWindowWidth = 64;  // elements of a head
// Elements that are moved together: 16 bytes, or a word where rows begin anywhere.
constexpr int kWindowChunk = 8;
constexpr int kWindowWord = 2;

// softmax(q k^T * scale + bias) v, of each head of each batch: scores, their softmax and sums are of float.
// Element (batch, head, token) of q, k and v begins at a multiple of `chunk` elements; its own lie side by
// side. The result is contiguous as [batches, queries, heads, width].
struct WindowAttentionArgs {
  struct Rows {
    const void* data;
    std::int64_t batch, head, token;  // strides, in elements
  };
  Rows q, k, v;
  const void* bias;                                      // null for none; batch b takes the one of b % groups
  std::int64_t biasGroup, biasHead, biasQuery, biasKey;  // strides
  void* result;
  std::int64_t batches, groups;
  std::int32_t heads, queries, keys, width;  // at least 1
  std::int32_t chunk;                        // kWindowChunk or kWindowWord, of which width is a multiple
  float scale;
  std::int32_t causal;  // query i sees the keys up to i
  Dtype dtype;          // Half or BFloat16, of all tensors
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaWindowAttention = const char*(const kadvise::WindowAttentionArgs*, void* stream);
}
