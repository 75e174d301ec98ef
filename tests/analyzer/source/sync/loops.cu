// What a turn leaves behind for the next.

// wrong: thread 0 sets the total of the next row while others still read this one's
__global__ void softmaxOverwrites(const float* x, float* y, int rows, int columns) {
  __shared__ float total;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    if (threadIdx.x == 0) {
      float sum = 0.f;
      for (int c = 0; c < columns; ++c) sum += expf(x[r * columns + c]);
      total = sum;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      y[r * columns + c] = expf(x[r * columns + c]) / total;
  }
}

// right: a barrier at the end of the turn
__global__ void softmaxWaits(const float* x, float* y, int rows, int columns) {
  __shared__ float total;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    if (threadIdx.x == 0) {
      float sum = 0.f;
      for (int c = 0; c < columns; ++c) sum += expf(x[r * columns + c]);
      total = sum;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      y[r * columns + c] = expf(x[r * columns + c]) / total;
    __syncthreads();
  }
}

// right: two buffers, and one barrier a turn is enough
__global__ void doubleBuffer(const float* in, float* out, int tiles) {
  __shared__ float buffer[2][256];
  int t = threadIdx.x, now = 0;
  buffer[0][t] = in[t];
  __syncthreads();
  float acc = 0.f;
  for (int i = 1; i < tiles; ++i) {
    buffer[now ^ 1][t] = in[i * 256 + t];
    acc += buffer[now][255 - t];
    __syncthreads();
    now ^= 1;
  }
  out[t] = acc + buffer[now][255 - t];
}

// wrong: the buffers are never exchanged
__global__ void doubleBufferStuck(const float* in, float* out, int tiles) {
  __shared__ float buffer[2][256];
  int t = threadIdx.x, now = 0;
  buffer[0][t] = in[t];
  float acc = 0.f;
  for (int i = 1; i < tiles; ++i) {
    buffer[now][t] = in[i * 256 + t];
    __syncthreads();
    acc += buffer[now][255 - t];
  }
  out[t] = acc;
}

// wrong: two buffers, and no barrier at all in the turn
__global__ void doubleBufferNoBarrier(const float* in, float* out, int tiles) {
  __shared__ float buffer[2][256];
  int t = threadIdx.x;
  buffer[0][t] = in[t];
  __syncthreads();
  float acc = 0.f;
  for (int i = 0; i < tiles; ++i) {
    buffer[(i + 1) & 1][t] = in[(i + 1) * 256 + t];
    acc += buffer[i & 1][255 - t];
  }
  out[t] = acc;
}

// right: pointers that swap
__global__ void swapsPointers(const float* in, float* out, int steps) {
  __shared__ float a[256], b[256];
  float *from = a, *to = b;
  int t = threadIdx.x;
  from[t] = in[t];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    int left = t > 0 ? t - 1 : 255, right = t < 255 ? t + 1 : 0;
    to[t] = 0.5f * from[t] + 0.25f * (from[left] + from[right]);
    __syncthreads();
    float* other = from;
    from = to;
    to = other;
  }
  out[t] = from[t];
}

// wrong: the stencil writes where its neighbours read
__global__ void relaxesInPlace(float* data, int steps) {
  __shared__ float s[258];
  int t = threadIdx.x + 1;
  s[t] = data[threadIdx.x];
  if (threadIdx.x == 0) s[0] = s[257] = 0.f;
  __syncthreads();
  for (int i = 0; i < steps; ++i) {
    s[t] = 0.5f * (s[t - 1] + s[t + 1]);
    __syncthreads();
  }
  data[threadIdx.x] = s[t];
}

// right: reads, waits, writes, waits
__global__ void relaxes(float* data, int steps) {
  __shared__ float s[258];
  int t = threadIdx.x + 1;
  s[t] = data[threadIdx.x];
  if (threadIdx.x == 0) s[0] = s[257] = 0.f;
  __syncthreads();
  for (int i = 0; i < steps; ++i) {
    float v = 0.5f * (s[t - 1] + s[t + 1]);
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  data[threadIdx.x] = s[t];
}

// wrong: thread 0 takes the next item while others still ask about this one
__global__ void takesItems(int* next, const float* in, float* out, int n) {
  __shared__ int item;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);
    __syncthreads();
    if (item >= n) break;
    out[item * blockDim.x + threadIdx.x] = 2.f * in[item * blockDim.x + threadIdx.x];
  }
}

// right: a barrier behind the question
__global__ void takesItemsInTurn(int* next, const float* in, float* out, int n) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);
    __syncthreads();
    int mine = item;
    __syncthreads();
    if (mine >= n) return;
    out[mine * blockDim.x + threadIdx.x] = 2.f * in[mine * blockDim.x + threadIdx.x];
  }
}

void runLoops(const float* in, float* out, int* next, int n) {
  softmaxOverwrites<<<64, 256>>>(in, out, n, n);
  softmaxWaits<<<64, 256>>>(in, out, n, n);
  doubleBuffer<<<1, 256>>>(in, out, n);
  doubleBufferStuck<<<1, 256>>>(in, out, n);
  doubleBufferNoBarrier<<<1, 256>>>(in, out, n);
  swapsPointers<<<1, 256>>>(in, out, n);
  relaxesInPlace<<<1, 256>>>(out, n);
  relaxes<<<1, 256>>>(out, n);
  takesItems<<<64, 256>>>(next, in, out, n);
  takesItemsInTurn<<<64, 256>>>(next, in, out, n);
}
