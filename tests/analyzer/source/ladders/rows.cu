// Norms and sums of rows: a thread a row, a warp a row, a block a row; and through functions of the file.
__device__ float squares(const float* row, int n) {
  float sum = 0.f;
  for (int i = 0; i < n; ++i) sum += row[i] * row[i];
  return sum;
}
__device__ float squaresOfLane(const float* row, int n) {
  float sum = 0.f;
  for (int i = threadIdx.x % 32; i < n; i += 32) sum += row[i] * row[i];
  return sum;
}
__device__ float load1(const float* at) { return at[0]; }
__device__ float4 load4(const float* at) { return *reinterpret_cast<const float4*>(at); }

__global__ void threadARow(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* own = x + row * n;
  float sum = 0.f;
  for (int i = 0; i < n; ++i) sum += own[i];  // <- cuda/uncoalesced-access
  y[row] = sum + squares(own, n);             // <- cuda/uncoalesced-access
}

__global__ void warpARow(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  x += warp * n;
  float sum = 0.f;
  for (int i = lane; i < n; i += 32) sum += x[i];
  sum += squaresOfLane(x, n);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (lane == 0) y[warp] = sum;
}

__global__ void moved(const float* __restrict__ x, const float* __restrict__ z, float* __restrict__ y,
                      int n) {
  const float* at = x + threadIdx.x;
  const float* own = x;
  own += threadIdx.x * n;
  float sum = 0.f;
  for (int i = 0; i < 100; ++i) {
    sum += *at + __ldg(at + 32);
    sum += *own;  // <- cuda/uncoalesced-access
    at += n;
    own += 2;
  }
  if (threadIdx.x < n) y[threadIdx.x] = sum + __ldg(&z[threadIdx.x * n]);  // <- cuda/uncoalesced-access
}

__global__ void vectors(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 a = load4(x + 4 * i);
  y[i] = a.x + a.y + load1(x + 8 * i);  // <- cuda/uncoalesced-access
}

__global__ void oneLane(const float* __restrict__ x, float* __restrict__ y, int n) {
  if (threadIdx.x % 32 != 0) return;
  y[threadIdx.x * n] = x[threadIdx.x * n];
}

void run(const float* x, const float* z, float* y, int rows, int n) {
  threadARow<<<8, 128>>>(x, y, rows, n);
  warpARow<<<8, 128>>>(x, y, rows, n);
  moved<<<8, 128>>>(x, z, y, n);
  vectors<<<8, 128>>>(x, y, n);
  oneLane<<<8, 128>>>(x, y, n);
}
