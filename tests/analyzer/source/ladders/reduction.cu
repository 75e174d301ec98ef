// Sums of a block, from the one that counts in steps of two up.
template <class T>
struct BlockMemory {
  __device__ operator T*() {
    extern __shared__ int bytes[];
    return reinterpret_cast<T*>(bytes);
  }
};

template <class T>
__global__ void everySecond(const T* __restrict__ x, T* __restrict__ sums, unsigned n) {
  T* part = BlockMemory<T>();
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? x[i] : T(0);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

template <class T>
__global__ void withoutGaps(const T* __restrict__ x, T* __restrict__ sums, unsigned n) {
  T* part = BlockMemory<T>();
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? x[i] : T(0);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned at = 2 * s * t;
    if (at < blockDim.x) part[at] += part[at + s];  // <- cuda/bank-conflict
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

template <class T>
__global__ void halves(const T* __restrict__ x, T* __restrict__ sums, unsigned n) {
  T* part = BlockMemory<T>();
  unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + t;
  T sum = i < n ? x[i] : T(0);
  if (i + blockDim.x < n) sum += x[i + blockDim.x];
  part[t] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) part[t] = sum = sum + part[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = sum;
}

// Each thread a piece of its own, and each thread its share of all pieces.
__global__ void pieces(const float* __restrict__ x, float* __restrict__ sums, int length) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
  for (int i = 0; i < length; ++i) sum += x[t * length + i];  // <- cuda/uncoalesced-access
  sums[t] = sum;
}
__global__ void shares(const float* __restrict__ x, float* __restrict__ sums, int length) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
  for (int i = t; i < length; i += blockDim.x * gridDim.x) sum += x[i];
  sums[t] = sum;
}

void run(const int* x, int* y, const float* f, float* g, unsigned n, int threads) {
  everySecond<int><<<8, threads, threads * 4>>>(x, y, n);
  withoutGaps<int><<<8, threads, threads * 4>>>(x, y, n);
  halves<int><<<8, threads, threads * 4>>>(x, y, n);
  pieces<<<8, threads>>>(f, g, 100);
  shares<<<8, threads>>>(f, g, 100);
}
