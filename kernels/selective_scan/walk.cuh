// One warp of selective_scan on its way along time.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/divider.h"
#include "kernels/common/vector.cuh"
#include "kernels/selective_scan/launch.h"
#include "kernels/selective_scan/schedule.h"

namespace kadvise {

constexpr float kLog2E = 1.44269504088896341f;

__device__ __forceinline__ float powerOf2(float v) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(v));
  return result;
}

// As torch: the identity above 20. Results that 16 bits hold need no log1p, but small ones their digits.
template <class T>
__device__ __forceinline__ float softplus(float v) {
  if (v > 20.0f) return v;
  if constexpr (sizeof(T) == 4) return log1pf(expf(v));
  const float e = __expf(v);
  return e < 1e-3f ? fmaf(-0.5f * e, e, e) : __logf(1.0f + e);
}

struct ScanGrid {
  ScanSchedule schedule;
  Divider groups;  // of channels that one warp serves, of a batch
};

// What a lane is in its warp.
struct Lane {
  int index, sub;        // in the warp; among those that share its channel
  std::int64_t channel;  // one that exists, also where the lane has none
  bool isThere;
  __device__ __forceinline__ Lane(const SelectiveScanArgs& a, int lanes, std::int64_t group)
      : index(static_cast<int>(threadIdx.x % 32)), sub(index % lanes) {
    channel = group * (32 / lanes) + index / lanes;
    isThere = channel < a.channels;
    if (!isThere) channel = a.channels - 1;
  }
};

// kScanGroup times of one channel, from `first` on; zeros past `end`.
template <class T>
__device__ __forceinline__ void loadTimes(const ScanTensor& tensor, const T* row, std::int64_t first,
                                          std::int64_t end, float (&v)[kScanGroup]) {
  constexpr int V = kLanes<T>;
  if (tensor.byChunks && first + kScanGroup <= end) {
#pragma unroll
    for (int c = 0; c < kScanGroup / V; ++c) {
      float part[V];
      unpack(loadReused<T, V>(row + first + c * V), part);
#pragma unroll
      for (int j = 0; j < V; ++j) v[c * V + j] = part[j];
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < kScanGroup; ++j)
    v[j] = first + j < end ? toFloat(row[(first + j) * tensor.time]) : 0.0f;
}

template <class T>
__device__ __forceinline__ void storeTimes(const ScanTensor& tensor, T* row, std::int64_t first,
                                           std::int64_t end, const float (&v)[kScanGroup]) {
  constexpr int V = kLanes<T>;
  if (tensor.byChunks && first + kScanGroup <= end) {
#pragma unroll
    for (int c = 0; c < kScanGroup / V; ++c) {
      float part[V];
#pragma unroll
      for (int j = 0; j < V; ++j) part[j] = v[c * V + j];
      storeWhole(row + first + c * V, pack<T, V>(part));
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < kScanGroup; ++j)
    if (first + j < end) row[(first + j) * tensor.time] = fromFloat<T>(v[j]);
}

// The next times of B or C of one batch, as floats [time][state]; states that do not exist are 0.
template <class T>
__device__ __forceinline__ void stage(const ScanTensor& tensor, std::int64_t batch, int states, int padded,
                                      std::int64_t first, std::int64_t end, float* tile) {
  const T* data = static_cast<const T*>(tensor.data) + batch * tensor.batch;
  const int shift = 31 - __clz(padded), timesShift = 31 - __clz(kScanTile) - shift;  // powers of 2
  const bool timesFirst = tensor.row != 1;  // neighbouring lanes read what is likely dense
  for (int i = static_cast<int>(threadIdx.x % 32); i < kScanTile; i += 32) {
    const int t = timesFirst ? i & ((1 << timesShift) - 1) : i >> shift;
    const int n = timesFirst ? i >> timesShift : i & (padded - 1);
    const bool isThere = n < states && first + t < end;
    tile[t * padded + n] = isThere ? toFloat(data[n * tensor.row + (first + t) * tensor.time]) : 0.0f;
  }
}

template <class T, int kPerLane>
struct Scan {
  const SelectiveScanArgs& a;
  const ScanGrid& grid;
  Lane lane;
  std::int64_t batch;
  float* tileB;
  float* tileC;
  float decay[kPerLane];  // A log2(e): exp(d A) = 2^(d decay)
  float h[kPerLane] = {};
  float sumOfSteps = 0.0f;
  float bias;

  __device__ __forceinline__ Scan(const SelectiveScanArgs& args, const ScanGrid& g, std::int64_t group,
                                  float* tiles)
      : a(args), grid(g), lane(args, g.schedule.lanes, 0), tileB(tiles), tileC(tiles + kScanTile) {
    batch = grid.groups.quotient(group);
    lane = Lane(a, grid.schedule.lanes, group - batch * grid.groups.divisor);
    bias = a.bias != nullptr ? a.bias[lane.channel] : 0.0f;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      const int n = lane.sub * kPerLane + i;
      decay[i] = n < a.states ? a.A[lane.channel * a.states + n] * kLog2E : 0.0f;
    }
  }

  template <class Element>
  __device__ __forceinline__ Element* rowOf(const ScanTensor& tensor) const {
    return static_cast<Element*>(const_cast<void*>(tensor.data)) + batch * tensor.batch +
           lane.channel * tensor.row;
  }

  __device__ __forceinline__ float step(float dt) const {
    return a.softplus ? softplus<T>(dt + bias) : dt + bias;
  }

  __device__ __forceinline__ float advanceOne(int i, float d, float input) {
    return h[i] = fmaf(powerOf2(d * decay[i]), h[i], input);
  }

  // The states after one more time; what they add up to with C.
  __device__ __forceinline__ float advance(float d, float dx, int at) {
    float y = 0.0f;
#pragma unroll
    for (int i = 0; i < kPerLane; i += 4) {
      const float4 b = *reinterpret_cast<const float4*>(tileB + at + i);
      const float4 c = *reinterpret_cast<const float4*>(tileC + at + i);
      y = fmaf(advanceOne(i, d, dx * b.x), c.x, y);
      y = fmaf(advanceOne(i + 1, d, dx * b.y), c.y, y);
      y = fmaf(advanceOne(i + 2, d, dx * b.z), c.z, y);
      y = fmaf(advanceOne(i + 3, d, dx * b.w), c.w, y);
    }
    return y;
  }

  __device__ __forceinline__ float sumOfLanes(float y) const {
    for (int mask = grid.schedule.lanes / 2; mask > 0; mask /= 2) y += __shfl_xor_sync(0xffffffffu, y, mask);
    return y;
  }

  // (y + D x) * silu(z), into memory.
  __device__ __forceinline__ void finish(std::int64_t first, std::int64_t end, const float (&x)[kScanGroup],
                                         float (&y)[kScanGroup]) const {
    if (a.D != nullptr) {
      const float skip = a.D[lane.channel];
#pragma unroll
      for (int j = 0; j < kScanGroup; ++j) y[j] = fmaf(skip, x[j], y[j]);
    }
    if (a.z.data != nullptr) {
      float z[kScanGroup];
      loadTimes<T>(a.z, rowOf<const T>(a.z), first, end, z);
#pragma unroll
      for (int j = 0; j < kScanGroup; ++j) y[j] *= activated<T, Activation::Silu>(z[j]);
    }
    if (lane.sub != 0 || !lane.isThere) return;
    if (a.resultDtype == a.dtype) {
      storeTimes<T>(a.result, rowOf<T>(a.result), first, end, y);
    } else {
      storeTimes<float>(a.result, rowOf<float>(a.result), first, end, y);
    }
  }

  // From `begin` to `end`. kWrites: results; else only the states at the end, and the sum of steps.
  template <bool kWrites>
  __device__ __forceinline__ void walk(std::int64_t begin, std::int64_t end) {
    const int padded = grid.schedule.lanes * kPerLane, times = kScanTile / padded;
    const T *xRow = rowOf<const T>(a.x), *dtRow = rowOf<const T>(a.dt);
    float nextX[kScanGroup], nextDt[kScanGroup];
    loadTimes<T>(a.x, xRow, begin, end, nextX);
    loadTimes<T>(a.dt, dtRow, begin, end, nextDt);
    for (std::int64_t t = begin; t < end; t += kScanGroup) {
      const int inTile = static_cast<int>(t - begin) & (times - 1);
      if (inTile == 0) {
        __syncwarp();  // everyone has read the tile before
        stage<T>(a.B, batch, a.states, padded, t, end, tileB);
        if constexpr (kWrites) stage<T>(a.C, batch, a.states, padded, t, end, tileC);
        __syncwarp();
      }
      float x[kScanGroup], dt[kScanGroup], y[kScanGroup];
#pragma unroll
      for (int j = 0; j < kScanGroup; ++j) x[j] = nextX[j], dt[j] = nextDt[j];
      loadTimes<T>(a.x, xRow, t + kScanGroup, end, nextX);  // in flight meanwhile
      loadTimes<T>(a.dt, dtRow, t + kScanGroup, end, nextDt);
#pragma unroll
      for (int j = 0; j < kScanGroup; ++j) {
        const float d = t + j < end ? step(dt[j]) : 0.0f;  // past the end the states stay
        y[j] = advance(d, d * x[j], (inTile + j) * padded + lane.sub * kPerLane);
        if constexpr (kWrites) y[j] = sumOfLanes(y[j]);
        sumOfSteps += d;
      }
      if constexpr (kWrites) finish(t, end, x, y);
    }
  }
};

}  // namespace kadvise
