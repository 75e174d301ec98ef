// Kernels that are launched elsewhere: what the block is, only their arrays say.

// right: a block of 32 by 8 threads moves a tile of 32 by 32
__global__ void transposeStrips(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// wrong: the same without the barrier
__global__ void transposeStripsNoBarrier(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// right: the work-efficient scan
__global__ void blellochScan(float* out, const float* in, int n) {
  extern __shared__ float temp[];
  int t = threadIdx.x, offset = 1;
  temp[2 * t] = in[2 * t];
  temp[2 * t + 1] = in[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (t == 0) temp[n - 1] = 0.f;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      float v = temp[a];
      temp[a] = temp[b];
      temp[b] += v;
    }
  }
  __syncthreads();
  out[2 * t] = temp[2 * t];
  out[2 * t + 1] = temp[2 * t + 1];
}

// right: a bitonic sort of as many values as threads
__global__ void bitonic(int* values) {
  __shared__ int s[512];
  unsigned t = threadIdx.x;
  s[t] = values[t];
  __syncthreads();
  for (unsigned k = 2; k <= 512; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned other = t ^ j;
      if (other > t) {
        bool isUp = (t & k) == 0;
        int a = s[t], b = s[other];
        if ((a > b) == isUp) {
          s[t] = b;
          s[other] = a;
        }
      }
      __syncthreads();
    }
  values[t] = s[t];
}

// wrong: the sort without its barrier
__global__ void bitonicNoBarrier(int* values) {
  __shared__ int s[512];
  unsigned t = threadIdx.x;
  s[t] = values[t];
  __syncthreads();
  for (unsigned k = 2; k <= 512; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned other = t ^ j;
      int mine = s[t], its = s[other];
      bool isUp = (t & k) == 0;
      s[t] = (other > t) == isUp ? min(mine, its) : max(mine, its);
    }
  values[t] = s[t];
}

// right: each warp has its part of the memory
__global__ void partOfEachWarp(const float* in, float* out, int n) {
  extern __shared__ float all[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float* mine = all + warp * 32;
  for (int i = warp; i < n; i += blockDim.x / 32) {
    mine[lane] = in[i * 32 + lane];
    __syncwarp();
    out[i * 32 + lane] = mine[31 - lane];
    __syncwarp();
  }
}

// right: a stack of each thread
__global__ void stackOfEachThread(const int* next, int* out) {
  __shared__ int stack[16 * 64];
  int top = 0;
  stack[top * 64 + threadIdx.x] = threadIdx.x;
  ++top;
  int seen = 0;
  while (top > 0 && seen < 100) {
    --top;
    int node = stack[top * 64 + threadIdx.x];
    ++seen;
    if (next[node] >= 0 && top < 16) stack[top++ * 64 + threadIdx.x] = next[node];
  }
  out[threadIdx.x] = seen;
}

// wrong: the row is staged in vectors and read in scalars of other threads
__global__ void vectorStage(const float4* in, float* out) {
  __shared__ float row[1024];
  reinterpret_cast<float4*>(row)[threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < 4; ++i) out[i * 256 + threadIdx.x] = row[i * 256 + threadIdx.x];
}
