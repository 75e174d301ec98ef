// Several threads that write one place, and atomics.

// wrong: the counts are zeroed while other threads count already
__global__ void histogramNoBarrier(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[in[i]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

// right: zero, barrier, count, barrier, add
__global__ void histogram(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[in[i]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

// wrong: counting without an atomic
__global__ void countsPlainly(const float* in, int* out, int n) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  found = found + 1;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}

// right: counting with one
__global__ void countsAtomically(const float* in, int* out, int n) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0.f) atomicAdd(&found, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}

// wrong: all threads leave their own value in one place
__global__ void lastOneWins(const float* in, float* out) {
  __shared__ float last;
  last = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = last;
}

// right: all threads leave the same value
__global__ void allWriteTheSame(const float* in, float* out, int n) {
  __shared__ float scale;
  scale = in[blockIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] *= scale;
}

// wrong: pairs of threads write one element
__global__ void halvesCollide(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t / 2] = in[t];
  __syncthreads();
  if (t < 128) out[t] = s[t];
}

// right: one of each pair writes
__global__ void evenOnesWrite(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t % 2 == 0) s[t / 2] = in[t];
  __syncthreads();
  if (t < 128) out[t] = s[t];
}

// wrong: the total is read while others still add to it
__global__ void readsWhileAdding(const float* in, float* out) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.f;
  __syncthreads();
  atomicAdd(&total, in[threadIdx.x]);
  out[threadIdx.x] = in[threadIdx.x] / total;
}

// right: places in a list are given out by an atomic
__global__ void compacts(const int* in, int* out, int n) {
  __shared__ int list[256];
  __shared__ int length;
  if (threadIdx.x == 0) length = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] != 0) list[atomicAdd(&length, 1)] = in[i];
  __syncthreads();
  for (int k = threadIdx.x; k < length; k += blockDim.x) out[k] = list[k];
}

void runWrites(const unsigned char* bytes, const float* in, const int* ids, unsigned* counts, int* found,
               float* out, int n) {
  histogramNoBarrier<<<64, 256>>>(bytes, counts, n);
  histogram<<<64, 256>>>(bytes, counts, n);
  countsPlainly<<<64, 256>>>(in, found, n);
  countsAtomically<<<64, 256>>>(in, found, n);
  lastOneWins<<<1, 256>>>(in, out);
  allWriteTheSame<<<64, 256>>>(in, out, n);
  halvesCollide<<<1, 256>>>(in, out);
  evenOnesWrite<<<1, 256>>>(in, out);
  readsWhileAdding<<<1, 256>>>(in, out);
  compacts<<<64, 256>>>(ids, found, n);
}
