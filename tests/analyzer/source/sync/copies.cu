// Asynchronous copies, named barriers and flags.
#include <cuda_pipeline.h>

// wrong: nobody waits for the copy
__global__ void copyNotWaited(const float* in, float* out) {
  __shared__ float s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];
}

// wrong: each thread waits for its own copy only
__global__ void copyNoBarrier(const float* in, float* out) {
  __shared__ float s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = s[127 - threadIdx.x];
}

// right: wait, then barrier
__global__ void copyAndWait(const float* in, float* out) {
  __shared__ float s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];
}

// right: the next tile is under way while this one is used
__global__ void copyAhead(const float* in, float* out, int tiles) {
  __shared__ float s[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  float acc = 0.f;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 128 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    acc += s[i % 2][127 - t];
    __syncthreads();
  }
  out[t] = acc;
}

// wrong: it waits for all copies but the newest, which is the one it reads
__global__ void copyWaitsTooFew(const float* in, float* out, int tiles) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float acc = 0.f;
  for (int i = 0; i < tiles; ++i) {
    __pipeline_memcpy_async(&s[t], &in[i * 128 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    acc += s[127 - t];
    __syncthreads();
  }
  out[t] = acc;
}

// right: a named barrier orders two halves of the block
__global__ void namedBarrier(const float* in, float* out) {
  __shared__ float s[128];
  if (threadIdx.x < 64) {
    s[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    s[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[threadIdx.x] = s[191 - threadIdx.x];
  }
}

// right: the last block, by a counter and a fence
__device__ unsigned done;
__global__ void lastBlock(const float* in, float* partial, float* out) {
  __shared__ float s[128];
  __shared__ bool isLast;
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int o = 64; o > 0; o >>= 1) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    isLast = atomicInc(&done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    float total = 0.f;
    for (int i = 0; i < gridDim.x; ++i) total += partial[i];
    *out = total;
  }
}

// wrong: the flag of thread 0 is read at once
__global__ void flagReadAtOnce(const float* in, float* out) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) isLast = in[blockIdx.x] > 0.f;
  if (isLast) out[threadIdx.x] = 1.f;
}

// wrong: a fence orders memory, and waits for nobody
__global__ void fenceIsNoBarrier(const float* in, float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __threadfence_block();
  out[threadIdx.x] = s[127 - threadIdx.x];
}

void runCopies(const float* in, float* out, int n) {
  copyNotWaited<<<1, 128>>>(in, out);
  copyNoBarrier<<<1, 128>>>(in, out);
  copyAndWait<<<1, 128>>>(in, out);
  copyAhead<<<1, 128>>>(in, out, n);
  copyWaitsTooFew<<<1, 128>>>(in, out, n);
  namedBarrier<<<1, 128>>>(in, out);
  lastBlock<<<n / 128, 128>>>(in, out, out);
  flagReadAtOnce<<<8, 128>>>(in, out);
  fenceIsNoBarrier<<<1, 128>>>(in, out);
}
