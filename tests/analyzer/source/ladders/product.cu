// Products of matrices: rows by threadIdx.x, columns by threadIdx.x, tiles, tiles of each thread.
#define SIDE 32

__global__ void rowsByX(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                        int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];  // <- cuda/uncoalesced-access
  c[row * n + column] = sum;                                              // <- cuda/uncoalesced-access
}

__global__ void columnsByX(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                           int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <int kSide>
__global__ void flatBlock(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                          int n) {
  int row = blockIdx.x * kSide + threadIdx.x / kSide, column = blockIdx.y * kSide + threadIdx.x % kSide;
  float sum = 0.f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                      int n) {
  __shared__ float ta[SIDE][SIDE], tb[SIDE][SIDE];
  a += blockIdx.y * SIDE * n, b += blockIdx.x * SIDE, c += blockIdx.y * SIDE * n + blockIdx.x * SIDE;
  float sum = 0.f;
  for (int k = 0; k < n; k += SIDE) {
    ta[threadIdx.y][threadIdx.x] = a[threadIdx.y * n + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + threadIdx.x];
    __syncthreads();
    a += SIDE, b += SIDE * n;
    for (int i = 0; i < SIDE; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  c[threadIdx.y * n + threadIdx.x] = sum;
}

__global__ void tiledTheOtherWay(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int n) {
  __shared__ float ta[SIDE][SIDE], tb[SIDE][SIDE];
  float sum = 0.f;
  for (int k = 0; k < n; k += SIDE) {
    ta[threadIdx.y][threadIdx.x] = a[(blockIdx.y * SIDE + threadIdx.y) * n + k + threadIdx.x];
    float mine = b[(k + threadIdx.y) * n + blockIdx.x * SIDE + threadIdx.x];
    tb[threadIdx.x][threadIdx.y] = mine;  // <- cuda/bank-conflict
    __syncthreads();
    for (int i = 0; i < SIDE; ++i) sum += ta[threadIdx.y][i] * tb[threadIdx.x][i];  // <- cuda/bank-conflict
    __syncthreads();
  }
  c[(blockIdx.y * SIDE + threadIdx.y) * n + blockIdx.x * SIDE + threadIdx.x] = sum;
}

void run(const float* a, const float* b, float* c, int n) {
  dim3 grid(n / SIDE, n / SIDE), block(SIDE, SIDE);
  rowsByX<<<grid, block>>>(a, b, c, n);
  columnsByX<<<grid, block>>>(a, b, c, n);
  flatBlock<32><<<grid, 32 * 32>>>(a, b, c, n);
  tiled<<<grid, block>>>(a, b, c, n);
  tiledTheOtherWay<<<grid, block>>>(a, b, c, n);
}
