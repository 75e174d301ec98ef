// Threads that leave before the others are done.
#define BLOCK 128

// wrong: the last block's tail returns
__global__ void blurReturns(const float* in, float* out, int n) {
  __shared__ float tile[BLOCK + 2];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0.f;
  if (threadIdx.x == BLOCK - 1) tile[BLOCK + 1] = i + 1 < n ? in[i + 1] : 0.f;
  __syncthreads();
  out[i] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3.f;
}

// right: the tail stays for the barrier
__global__ void blurStays(const float* in, float* out, int n) {
  __shared__ float tile[BLOCK + 2];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + 1] = i < n ? in[i] : 0.f;
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0.f;
  if (threadIdx.x == BLOCK - 1) tile[BLOCK + 1] = i + 1 < n ? in[i + 1] : 0.f;
  __syncthreads();
  if (i >= n) return;
  out[i] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3.f;
}

// right: the whole block leaves
__global__ void blockLeaves(const int* sizes, float* out) {
  __shared__ float s[BLOCK];
  if (blockIdx.x * BLOCK >= sizes[0]) return;
  s[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

// wrong: threads break out of a loop with a barrier one after another
__global__ void breaksOut(float* out, int n) {
  __shared__ float s[BLOCK];
  for (int turn = 0; turn < 8; ++turn) {
    if (threadIdx.x < turn) break;
    s[threadIdx.x] = out[turn * BLOCK + threadIdx.x];
    __syncthreads();
    out[turn * BLOCK + threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
    __syncthreads();
  }
}

// wrong: a turn is skipped by the threads outside, barrier and all
__global__ void continues(const float* in, float* out, int width) {
  __shared__ float row[BLOCK];
  for (int y = 0; y < 16; ++y) {
    int x = blockIdx.x * BLOCK + threadIdx.x + y;
    if (x >= width) continue;
    row[threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[y * width + x] = row[threadIdx.x ^ 1];
    __syncthreads();
  }
}

// right: all threads leave the loop together, by a vote
__global__ void leavesByVote(float* values, int most) {
  __shared__ float s[BLOCK];
  for (int turn = 0; turn < most; ++turn) {
    s[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    float left = s[(threadIdx.x + BLOCK - 1) % BLOCK];
    bool isDone = fabsf(left - values[threadIdx.x]) < 1e-3f;
    if (__syncthreads_and(isDone)) break;
    values[threadIdx.x] = 0.5f * (left + values[threadIdx.x]);
  }
}

// right: one warp goes on alone, and no barrier is behind it
__global__ void lastWarpGoesOn(const float* in, float* out) {
  __shared__ float s[BLOCK];
  s[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 32) return;
  float v = s[threadIdx.x] + s[threadIdx.x + 32] + s[threadIdx.x + 64] + s[threadIdx.x + 96];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void runEarlyExit(const float* in, float* out, const int* sizes, int n) {
  blurReturns<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
  blurStays<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
  blockLeaves<<<8, BLOCK>>>(sizes, out);
  breaksOut<<<1, BLOCK>>>(out, n);
  continues<<<8, BLOCK>>>(in, out, n);
  leavesByVote<<<1, BLOCK>>>(out, n);
  lastWarpGoesOn<<<n / BLOCK, BLOCK>>>(in, out);
}
