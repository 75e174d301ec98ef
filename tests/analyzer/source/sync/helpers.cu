// Barriers and shared memory through functions, templates and lambdas.

__device__ float blockSum(float v, float* scratch) {
  scratch[threadIdx.x] = v;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) scratch[threadIdx.x] += scratch[threadIdx.x + o];
    __syncthreads();
  }
  return scratch[0];
}

// right: all threads call the helper
__global__ void normOfAll(const float* x, float* y) {
  __shared__ float scratch[256];
  float v = x[threadIdx.x];
  float sum = blockSum(v * v, scratch);
  y[threadIdx.x] = v * rsqrtf(sum);
}

// wrong: some threads call the helper, which waits for all
__global__ void normOfSome(const float* x, float* y, int n) {
  __shared__ float scratch[256];
  if (threadIdx.x < n) {
    float v = x[threadIdx.x];
    float sum = blockSum(v * v, scratch);
    y[threadIdx.x] = v * rsqrtf(sum);
  }
}

// wrong: the second call writes what the first one's result is still read from
__global__ void meanAndVariance(const float* x, float* y) {
  __shared__ float scratch[256];
  float mean = blockSum(x[threadIdx.x], scratch) / 256.f;
  float d = x[threadIdx.x] - mean;
  float variance = blockSum(d * d, scratch) / 256.f;
  y[threadIdx.x] = d * rsqrtf(variance);
}

// right: a barrier between the two calls
__global__ void meanAndVarianceWaits(const float* x, float* y) {
  __shared__ float scratch[256];
  float mean = blockSum(x[threadIdx.x], scratch) / 256.f;
  __syncthreads();
  float d = x[threadIdx.x] - mean;
  float variance = blockSum(d * d, scratch) / 256.f;
  y[threadIdx.x] = d * rsqrtf(variance);
}

__device__ void stage(const float* from, float* to, int i, int n) {
  if (i >= n) return;
  to[threadIdx.x] = from[i];
  __syncthreads();
}

// wrong: the helper returns early in some threads, past its barrier
__global__ void helperReturnsEarly(const float* x, float* y, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  stage(x, s, i, n);
  if (i < n) y[i] = s[threadIdx.x];
}

__device__ void load(const float* from, float (&to)[256]) { to[threadIdx.x] = from[threadIdx.x]; }
__device__ float mirrored(const float (&from)[256]) { return from[255 - threadIdx.x]; }

// wrong: neither helper waits
__global__ void helpersNoBarrier(const float* x, float* y) {
  __shared__ float s[256];
  load(x, s);
  y[threadIdx.x] = mirrored(s);
}

// right: the kernel waits between them
__global__ void helpersWithBarrier(const float* x, float* y) {
  __shared__ float s[256];
  load(x, s);
  __syncthreads();
  y[threadIdx.x] = mirrored(s);
}

// wrong: a template, in which the barrier depends on a parameter that is false
template <int kThreads, bool kWaits>
__global__ void reverseTemplate(const float* x, float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = x[threadIdx.x];
  if constexpr (kWaits) __syncthreads();
  y[threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}

// right: a template over the block and the type
template <class T, int kThreads>
__global__ void scanTemplate(const T* x, T* y) {
  __shared__ T s[2][kThreads];
  int t = threadIdx.x, from = 0;
  s[0][t] = x[t];
  __syncthreads();
  for (int o = 1; o < kThreads; o *= 2) {
    s[1 - from][t] = t >= o ? s[from][t] + s[from][t - o] : s[from][t];
    from = 1 - from;
    __syncthreads();
  }
  y[t] = s[from][t];
}

// wrong: the scan in place reads what its neighbours write
template <class T, int kThreads>
__global__ void scanInPlace(const T* x, T* y) {
  __shared__ T s[kThreads];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int o = 1; o < kThreads; o *= 2) {
    if (t >= o) s[t] += s[t - o];
    __syncthreads();
  }
  y[t] = s[t];
}

// right: a lambda does the staging, the kernel waits
__global__ void lambdaStages(const float* x, float* y, int tiles) {
  __shared__ float s[256];
  auto put = [&](int tile) { s[threadIdx.x] = x[tile * 256 + threadIdx.x]; };
  float acc = 0.f;
  for (int i = 0; i < tiles; ++i) {
    put(i);
    __syncthreads();
    acc += s[threadIdx.x ^ 64];
    __syncthreads();
  }
  y[threadIdx.x] = acc;
}

// wrong: the lambda waits inside a branch
__global__ void lambdaWaitsInBranch(const float* x, float* y) {
  __shared__ float s[256];
  auto put = [&](float v) {
    s[threadIdx.x] = v;
    __syncthreads();
  };
  if (threadIdx.x < 128) put(x[threadIdx.x]);
  y[threadIdx.x] = s[threadIdx.x];
}

void runHelpers(const float* x, float* y, int n) {
  normOfAll<<<1, 256>>>(x, y);
  normOfSome<<<1, 256>>>(x, y, n);
  meanAndVariance<<<1, 256>>>(x, y);
  meanAndVarianceWaits<<<1, 256>>>(x, y);
  helperReturnsEarly<<<n / 256 + 1, 256>>>(x, y, n);
  helpersNoBarrier<<<1, 256>>>(x, y);
  helpersWithBarrier<<<1, 256>>>(x, y);
  reverseTemplate<256, false><<<1, 256>>>(x, y);
  scanTemplate<float, 256><<<1, 256>>>(x, y);
  scanInPlace<float, 256><<<1, 256>>>(x, y);
  lambdaStages<<<1, 256>>>(x, y, n);
  lambdaWaitsInBranch<<<1, 256>>>(x, y);
}
