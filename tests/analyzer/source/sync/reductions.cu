// Sums over a block.

// wrong: no barrier between the steps
__global__ void treeNoBarrier(const float* in, float* out) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned o = blockDim.x / 2; o > 0; o >>= 1)
    if (t < o) s[t] += s[t + o];
  if (t == 0) out[blockIdx.x] = s[0];
}

// wrong: no barrier between the load and the first step
__global__ void treeNoFirstBarrier(const float* in, float* out) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  for (unsigned o = blockDim.x / 2; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// right: the interleaved tree of the textbook
__global__ void treeInterleaved(const float* in, float* out) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned o = 1; o < blockDim.x; o *= 2) {
    if (t % (2 * o) == 0) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// wrong: the last warp relies on lanes in step, and the memory is not even volatile
__global__ void tailPlain(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int o = 128; o >= 32; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t < 16) {
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// wrong: volatile keeps the compiler from caching, not the lanes in step
__global__ void tailVolatile(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile float* v = s;
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// right: each step of the tail reads, waits, writes and waits
__global__ void tailSyncwarp(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    float v = s[t];
    for (int o = 32; o > 0; o >>= 1) {
      v += s[t + o];
      __syncwarp();
      s[t] = v;
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// right: shuffles, then one value of each warp
__global__ void warpThenBlock(const float* in, float* out, int n) {
  __shared__ float perWarp[32];
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) perWarp[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? perWarp[lane] : 0.f;
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
    if (lane == 0) out[blockIdx.x] = v;
  }
}

// wrong: warps read the others' sums at once
__global__ void warpThenBlockNoBarrier(const float* in, float* out, int n) {
  __shared__ float perWarp[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) perWarp[warp] = v;
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? perWarp[lane] : 0.f;
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
    if (lane == 0) out[blockIdx.x] = v;
  }
}

void runReductions(const float* in, float* out, int n) {
  treeNoBarrier<<<n / 256, 256, 1024>>>(in, out);
  treeNoFirstBarrier<<<n / 256, 256, 1024>>>(in, out);
  treeInterleaved<<<n / 256, 256, 1024>>>(in, out);
  tailPlain<<<n / 256, 256>>>(in, out);
  tailVolatile<<<n / 256, 256>>>(in, out);
  tailSyncwarp<<<n / 256, 256>>>(in, out);
  warpThenBlock<<<32, 256>>>(in, out, n);
  warpThenBlockNoBarrier<<<n / 256, 256>>>(in, out, n);
}
