// Barriers under conditions.

// wrong: only half of the block comes to the barrier
__global__ void reduceInsideIf(const float* in, float* out) {
  __shared__ float buffer[256];
  int t = threadIdx.x;
  buffer[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) {
      buffer[t] += buffer[t + s];
      __syncthreads();
    }
  }
  if (t == 0) out[blockIdx.x] = buffer[0];
}

// right: the barrier is outside of the condition
__global__ void reduceOutsideIf(const float* in, float* out) {
  __shared__ float buffer[256];
  int t = threadIdx.x;
  buffer[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) buffer[t] += buffer[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = buffer[0];
}

// wrong: the two sides of a branch have a barrier each
__global__ void barrierInBothArms(float* data) {
  __shared__ float even[128], odd[128];
  int t = threadIdx.x;
  if (t % 2 == 0) {
    even[t / 2] = data[t];
    __syncthreads();
    data[t] = odd[t / 2];
  } else {
    odd[t / 2] = data[t];
    __syncthreads();
    data[t] = even[t / 2];
  }
}

// right: one barrier behind both sides
__global__ void barrierBehindBothArms(float* data) {
  __shared__ float even[128], odd[128];
  int t = threadIdx.x;
  if (t % 2 == 0) even[t / 2] = data[t];
  else odd[t / 2] = data[t];
  __syncthreads();
  if (t % 2 == 0) data[t] = odd[t / 2];
  else data[t] = even[t / 2];
}

// wrong: threads walk a different number of turns
__global__ void raggedTurns(const float* rows, float* sums, int length) {
  __shared__ float partial[256];
  float total = 0.f;
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    partial[threadIdx.x] = rows[i];
    __syncthreads();
    total += partial[(threadIdx.x + 1) % 256];
    __syncthreads();
  }
  sums[threadIdx.x] = total;
}

// right: all threads walk the same turns and guard the load
__global__ void evenTurns(const float* rows, float* sums, int length) {
  __shared__ float partial[256];
  float total = 0.f;
  for (int base = 0; base < length; base += blockDim.x) {
    int i = base + threadIdx.x;
    partial[threadIdx.x] = i < length ? rows[i] : 0.f;
    __syncthreads();
    total += partial[(threadIdx.x + 1) % 256];
    __syncthreads();
  }
  sums[threadIdx.x] = total;
}

// right: the condition is of the block, so all threads agree
__global__ void branchOfBlock(float* data, int mode) {
  __shared__ float s[256];
  s[threadIdx.x] = data[threadIdx.x];
  if (mode == 1 && blockIdx.x > 0) {
    __syncthreads();
    data[threadIdx.x] = s[255 - threadIdx.x];
  }
}

// wrong: the choice is by warp, the barrier is of the block
__global__ void warpsPart(float* data) {
  __shared__ float s[256];
  int warp = threadIdx.x / 32;
  s[threadIdx.x] = data[threadIdx.x];
  switch (warp) {
    case 0:
      __syncthreads();
      data[threadIdx.x] = s[threadIdx.x + 32];
      break;
    default:
      data[threadIdx.x] = 0.f;
  }
}

void runDivergence(const float* in, float* out, int n) {
  reduceInsideIf<<<n / 256, 256>>>(in, out);
  reduceOutsideIf<<<n / 256, 256>>>(in, out);
  barrierInBothArms<<<1, 256>>>(out);
  barrierBehindBothArms<<<1, 256>>>(out);
  raggedTurns<<<1, 256>>>(in, out, n);
  evenTurns<<<1, 256>>>(in, out, n);
  branchOfBlock<<<4, 256>>>(out, n);
  warpsPart<<<1, 256>>>(out);
}
