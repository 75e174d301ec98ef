// Counters in shared memory that atomics update.

// wrong: thread 0 may clear what others have counted
__global__ void countAtOnce(const int* x, int* y) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  atomicAdd(&count, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = count;
}

// right: cleared, then counted, then read
__global__ void countInOrder(const int* x, int* y) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = count;
}

// wrong: the maximum is read while others still raise it
__global__ void maximumAtOnce(const int* x, int* y) {
  __shared__ int most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  atomicMax(&most, x[threadIdx.x]);
  if (threadIdx.x == 0) y[blockIdx.x] = most;
}

// wrong: in each turn the counter is cleared while others count
__global__ void countInTurns(const int* x, int* y, int n) {
  __shared__ int count;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) count = 0;
    atomicAdd(&count, x[i * 256 + threadIdx.x]);
    __syncthreads();
    y[i * 256 + threadIdx.x] = count;
    __syncthreads();
  }
}

// right: three barriers a turn
__global__ void countInTurnsInOrder(const int* x, int* y, int n) {
  __shared__ int count;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, x[i * 256 + threadIdx.x]);
    __syncthreads();
    y[i * 256 + threadIdx.x] = count;
    __syncthreads();
  }
}

// right: a counter of each warp, which its first lane clears
__global__ void countOfWarps(const int* x, int* y) {
  __shared__ int counts[8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) counts[warp] = 0;
  __syncwarp();
  atomicAdd(&counts[warp], x[threadIdx.x]);
  __syncwarp();
  if (lane == 0) y[warp] = counts[warp];
}

// right: each thread clears its own and adds to it before the others do
__global__ void countOwn(const int* x, int* y) {
  __shared__ int counts[256];
  counts[threadIdx.x] = 0;
  atomicAdd(&counts[threadIdx.x], x[threadIdx.x]);
  __syncthreads();
  atomicAdd(&counts[255 - threadIdx.x], 1);
  __syncthreads();
  y[threadIdx.x] = counts[threadIdx.x];
}

void launchCounters(const int* x, int* y, int n) {
  countAtOnce<<<1, 256>>>(x, y);
  countInOrder<<<1, 256>>>(x, y);
  maximumAtOnce<<<1, 256>>>(x, y);
  countInTurns<<<1, 256>>>(x, y, n);
  countInTurnsInOrder<<<1, 256>>>(x, y, n);
  countOfWarps<<<1, 256>>>(x, y);
  countOwn<<<1, 256>>>(x, y);
}
