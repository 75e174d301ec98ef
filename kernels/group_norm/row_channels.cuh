// Channels first: weights of a group's channels, and a chunk of a row made its result.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/group_norm/moments.cuh"
#include "kernels/group_norm/plan.h"

namespace kadvise {

// Weights as they lie in memory, which stay in L1: of rows so long that a block meets few channels.
template <class T>
struct ChannelsInMemory {
  const T *weights, *biases;  // of the group's first channel; null for none

  __device__ __forceinline__ ChannelsInMemory(const GroupNormArgs& a, const GroupNormRows& p,
                                              std::int64_t row)
      : weights(static_cast<const T*>(a.weight)), biases(static_cast<const T*>(a.bias)) {
    const std::int64_t first = (row - p.groups.quotient(row) * a.groups) * (a.channels / a.groups);
    if (weights != nullptr) weights += first;
    if (biases != nullptr) biases += first;
  }
  __device__ __forceinline__ float weight(int channel) const {
    return weights != nullptr ? toFloat(__ldg(weights + channel)) : 1.0f;
  }
  __device__ __forceinline__ float bias(int channel) const {
    return biases != nullptr ? toFloat(__ldg(biases + channel)) : 0.0f;
  }
};

// Weights in shared memory: they were fetched beside x, and are not waited for behind the sums. A barrier
// lies between the construction and the first use.
struct ChannelsShared {
  const float *weights, *biases;

  template <class T>
  __device__ __forceinline__ ChannelsShared(const ChannelsInMemory<T>& from, int channels, float* memory)
      : weights(memory), biases(memory + channels) {
    for (int c = static_cast<int>(threadIdx.x); c < channels; c += static_cast<int>(blockDim.x)) {
      memory[c] = from.weight(c);
      memory[channels + c] = from.bias(c);
    }
  }
  __device__ __forceinline__ float weight(int channel) const { return weights[channel]; }
  __device__ __forceinline__ float bias(int channel) const { return biases[channel]; }
};

// A row's numbers, as its blocks have found them.
struct RowScale {
  float mean, inverse;
  __device__ __forceinline__ RowScale(const Moments& m, float eps)
      : mean(m.mean), inverse(inverseDeviation(m, eps)) {}
};

// What a channel's elements become. Of 16 bits the mean is in the offset, which saves an instruction an
// element: what that rounds is far below what the last bit of x makes of
// the result.
template <class T>
struct ChannelScale {
  float mean, scale, offset;

  template <class Channels>
  __device__ __forceinline__ ChannelScale(const RowScale& row, const Channels& channels, int channel)
      : mean(row.mean), scale(row.inverse * channels.weight(channel)), offset(channels.bias(channel)) {
    if constexpr (sizeof(T) < 4) offset -= mean * scale;
  }
  __device__ __forceinline__ float operator()(float v) const {
    if constexpr (sizeof(T) == 4) v -= mean;
    return fmaf(v, scale, offset);
  }
};

// The chunk at column `first` of the row whose result that is; of an edge chunk it may lie outside the row.
// Index: int where rows are known to be short.
template <class T, int V, bool kEdges, class Index, class Channels, class Activate>
__device__ __forceinline__ void storeNormalized(const GroupNormArgs& a, const GroupNormRows& p,
                                                const Chunk<T, V>& chunk, Index first, T* result,
                                                const Channels& channels, const RowScale& row, Activate act) {
  float v[V];
  unpack(chunk, v);
  const Index begin = kEdges && first < 0 ? 0 : first;
  int channel = 0;
  if constexpr (sizeof(Index) == 4) channel = static_cast<int>(p.pixels.quotientOfSmall(begin));
  else channel = static_cast<int>(p.pixels.quotient(begin));
  ChannelScale<T> scale(row, channels, channel);
  if (!kEdges && p.wholeChannels) {
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = act(scale(v[j]));
    return storeWhole(result + first, pack<T, V>(v));
  }
  const int last = static_cast<int>(a.channels / a.groups) - 1;
  std::int64_t pixel = begin - channel * a.pixels;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (pixel == a.pixels && channel < last) {  // behind the last channel lies what is not stored
      pixel = 0;
      scale = ChannelScale<T>(row, channels, ++channel);
    }
    v[j] = act(scale(v[j]));
    if (!kEdges || first + j >= 0) ++pixel;
  }
  storeColumns<kEdges>(result, first, static_cast<Index>(p.length), pack<T, V>(v));
}

// The mean without the least and the largest.
template <int V>
__device__ __forceinline__ float middleOf(const float (&v)[V]) {
  float sum = v[0], least = v[0], most = v[0];
#pragma unroll
  for (int j = 1; j < V; ++j) {
    sum += v[j];
    least = fminf(least, v[j]);
    most = fmaxf(most, v[j]);
  }
  return (sum - least - most) / (V - 2);
}

// The sums of a thread's chunks, which all are of one row. The rounding of a long chain of additions grows
// with its length, and in one direction for all threads where neighbours are alike (areas of one colour,
// padding): so in float32 a few chunks make a chain, and these chains another. Types of 16 bits keep one
// chain: their last bit rounds far more.
template <class T, int V, bool kEdges>
struct RowSums {
  static constexpr int kChains = V < 4 ? V : 4;  // additions that do not wait for each other
  static constexpr int kChunksOfChain = 16;
  SumsAbout sums[kChains];
  float sumBefore = 0, squaresBefore = 0;  // of the chains that have ended
  int count = 0, chunks = 0;

  // The first of them: from the middle of its elements, so that one that is far from all others does not
  // count; of a chunk that is not wholly in the row from its first element there.
  template <class Index>
  __device__ __forceinline__ void begin(const Chunk<T, V>& chunk, Index first, Index length) {
    float v[V];
    unpack(chunk, v);
    float about = v[V - 1];
#pragma unroll
    for (int j = V - 2; j >= 0; --j) {
      if (!kEdges || first + j >= 0) about = v[j];
    }
    if constexpr (V > 2) {
      if (!kEdges || isWhole<V>(first, length)) about = middleOf(v);
    }
    startChains(about);
  }
  template <class Index>
  __device__ __forceinline__ void add(const Chunk<T, V>& chunk, Index first, Index length) {
    float v[V];
    unpack(chunk, v);
    if (!kEdges || isWhole<V>(first, length)) {
#pragma unroll
      for (int j = 0; j < V; ++j) sums[j % kChains].add(v[j]);
      count += V;
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (first + j < 0 || first + j >= length) continue;
        sums[0].add(v[j]);
        ++count;
      }
    }
    if constexpr (sizeof(T) == 4) {
      if (++chunks % kChunksOfChain == 0) {
        const SumsAbout all = together();
        sumBefore = all.sum;
        squaresBefore = all.squares;
        startChains(all.about);
      }
    }
  }
  __device__ __forceinline__ Moments moments() const {
    SumsAbout all = together();
    all.count = static_cast<float>(count);
    return all.moments();
  }

 private:
  __device__ __forceinline__ void startChains(float about) {
#pragma unroll
    for (int k = 0; k < kChains; ++k) sums[k] = {about};
  }
  __device__ __forceinline__ SumsAbout together() const {
    SumsAbout all = sums[0];
#pragma unroll
    for (int k = 1; k < kChains; ++k) all.add(sums[k]);
    all.sum += sumBefore;
    all.squares += squaresBefore;
    return all;
  }
};

// Which part of which row a block has.
struct RowTask {
  std::int64_t row;
  int part, parts;

  __device__ __forceinline__ RowTask(const GroupNormRows& p, unsigned task)  // as many as there are blocks
      : row(p.parts.quotientOfSmall(task)),
        part(static_cast<int>(task - static_cast<unsigned>(row) * static_cast<unsigned>(p.parts.divisor))),
        parts(static_cast<int>(p.parts.divisor)) {}
};

}  // namespace kadvise
