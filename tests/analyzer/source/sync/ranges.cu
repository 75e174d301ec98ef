// Loops over ranges, and what comes behind them.

__device__ constexpr int kSteps[] = {1, 2, 4};

struct Place {
  int i;
  __device__ bool operator!=(const Place& end) const { return i < end.i; }
  __device__ void operator++() { i += blockDim.x; }
  __device__ int operator*() const { return i; }
};
struct Places {
  int from, to;
  __device__ Place begin() const { return {from}; }
  __device__ Place end() const { return {to}; }
};

// wrong: the threads read each other's sums at once
__global__ void rangeThenRead(const float* x, float* y) {
  __shared__ float s[256];
  float sum = 0;
  for (int step : kSteps) sum += x[threadIdx.x + step];
  s[threadIdx.x] = sum;
  y[threadIdx.x] = s[255 - threadIdx.x];
}

// wrong: each turn writes what its neighbours still read
__global__ void rangeOfTurns(const float* x, float* y) {
  __shared__ float s[256];
  const int steps[3] = {1, 2, 4};
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int step : steps) {
    float v = s[(threadIdx.x + step) % 256];
    s[threadIdx.x] = v;
    __syncthreads();
  }
  y[threadIdx.x] = s[threadIdx.x];
}

// right: a barrier on both sides of the read
__global__ void rangeOfTurnsInOrder(const float* x, float* y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  for (int step : kSteps) {
    __syncthreads();
    float v = s[(threadIdx.x + step) % 256];
    __syncthreads();
    s[threadIdx.x] = v;
  }
  y[threadIdx.x] = s[threadIdx.x];
}

// right: one thread clears the array, element by element
__global__ void rangeOfElements(float* y) {
  __shared__ float s[8];
  if (threadIdx.x == 0)
    for (auto& v : s) v = 1;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x % 8];
}

// wrong: the same without the barrier
__global__ void rangeOfElementsAtOnce(float* y) {
  __shared__ float s[8];
  if (threadIdx.x == 0)
    for (auto& v : s) v = 1;
  y[threadIdx.x] = s[threadIdx.x % 8];
}

// wrong: a barrier that some threads miss
__global__ void rangeOfBarriers(const float* x, float* y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  for (int step : kSteps)
    if (threadIdx.x < 32 * step) __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

// right: a range of a class of its own, which gives each thread other places
__global__ void rangeOfClass(const float* x, float* y) {
  __shared__ float s[1024];
  for (int i : Places{(int)threadIdx.x, 1024}) s[i] = x[i];
  __syncthreads();
  y[threadIdx.x] = s[1023 - threadIdx.x];
}

// wrong: behind such a range
__global__ void rangeOfClassThenRead(const float* x, float* y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  for (int i : Places{(int)threadIdx.x, 1024}) y[i] = x[i];
  y[threadIdx.x] = s[255 - threadIdx.x];
}

// right: the barrier is in the range
__global__ void rangeOfClassWithBarrier(const float* x, float* y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  for (int i : Places{0, 1024}) {
    __syncthreads();
    if (i > 512) break;
  }
  y[threadIdx.x] = s[255 - threadIdx.x];
}

// right: a pointer walks over a part of each thread's own
__global__ void pointerOverParts(float* y) {
  __shared__ float s[1024];
  float sum = 0;
  for (float* p = s + 4 * threadIdx.x; p != s + 4 * threadIdx.x + 4; ++p) *p = sum += 1;
  y[threadIdx.x] = s[4 * threadIdx.x + 3];
}

void launchRanges(const float* x, float* y) {
  rangeThenRead<<<1, 256>>>(x, y);
  rangeOfTurns<<<1, 256>>>(x, y);
  rangeOfTurnsInOrder<<<1, 256>>>(x, y);
  rangeOfElements<<<1, 256>>>(y);
  rangeOfElementsAtOnce<<<1, 256>>>(y);
  rangeOfBarriers<<<1, 256>>>(x, y);
  rangeOfClass<<<1, 256>>>(x, y);
  rangeOfClassThenRead<<<1, 256>>>(x, y);
  rangeOfClassWithBarrier<<<1, 256>>>(x, y);
  pointerOverParts<<<1, 256>>>(y);
}
