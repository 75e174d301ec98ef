// Tiles in shared memory that are written by some and read by others.
#define TILE 16

// wrong: the product starts before the tiles are whole
__global__ void matmulNoFirstBarrier(const float* A, const float* B, float* C, int n) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.f;
  for (int t = 0; t < n / TILE; ++t) {
    As[threadIdx.y][threadIdx.x] = A[row * n + t * TILE + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + col];
    for (int k = 0; k < TILE; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  C[row * n + col] = acc;
}

// wrong: the next tile is loaded while slower threads still read this one
__global__ void matmulNoSecondBarrier(const float* A, const float* B, float* C, int n) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.f;
  for (int t = 0; t < n / TILE; ++t) {
    As[threadIdx.y][threadIdx.x] = A[row * n + t * TILE + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
  }
  C[row * n + col] = acc;
}

// right: both barriers
__global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.f;
  for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
    int k0 = t * TILE;
    As[threadIdx.y][threadIdx.x] = row < n && k0 + threadIdx.x < n ? A[row * n + k0 + threadIdx.x] : 0.f;
    Bs[threadIdx.y][threadIdx.x] = col < n && k0 + threadIdx.y < n ? B[(k0 + threadIdx.y) * n + col] : 0.f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = acc;
}

// wrong: the transposed read needs the whole tile
__global__ void transposeNoBarrier(const float* in, float* out, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// right: each thread reads back what it wrote itself
__global__ void ownElement(const float* in, float* out, int width) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  out[y * width + x] = tile[threadIdx.y][threadIdx.x] * 2.f;
}

// wrong: the halo is loaded by other threads
__global__ void stencilNoBarrier(const float* in, float* out, int n) {
  __shared__ float s[TILE * TILE + 2];
  int t = threadIdx.y * TILE + threadIdx.x, i = blockIdx.x * TILE * TILE + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = in[max(i - 1, 0)];
  if (t == TILE * TILE - 1) s[TILE * TILE + 1] = in[min(i + 1, n - 1)];
  out[i] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}

// right: halo, barrier, and a strip of each thread in a ragged row of the tile
__global__ void stencil2d(const float* in, float* out, int width, int height) {
  __shared__ float tile[TILE + 2][TILE + 2];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  int t = threadIdx.y * TILE + threadIdx.x;
  for (int i = t; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
    int ty = i / (TILE + 2), tx = i % (TILE + 2);
    int gx = min(max((int)(blockIdx.x * TILE) + tx - 1, 0), width - 1);
    int gy = min(max((int)(blockIdx.y * TILE) + ty - 1, 0), height - 1);
    tile[ty][tx] = in[gy * width + gx];
  }
  __syncthreads();
  if (x < width && y < height)
    out[y * width + x] = tile[threadIdx.y][threadIdx.x + 1] + tile[threadIdx.y + 2][threadIdx.x + 1] +
                         tile[threadIdx.y + 1][threadIdx.x] + tile[threadIdx.y + 1][threadIdx.x + 2];
}

void runTiles(const float* a, const float* b, float* c, int n) {
  dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
  matmulNoFirstBarrier<<<grid, block>>>(a, b, c, n);
  matmulNoSecondBarrier<<<grid, block>>>(a, b, c, n);
  matmul<<<grid, block>>>(a, b, c, n);
  transposeNoBarrier<<<grid, block>>>(a, c, n, n);
  ownElement<<<grid, block>>>(a, c, n);
  stencilNoBarrier<<<n / 256, block>>>(a, c, n);
  stencil2d<<<grid, block>>>(a, c, n, n);
}
