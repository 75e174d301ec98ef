// Transposes, from the naive one up. A mark names the rule that must speak of its line; nothing else may be
// found.
#define SIDE 32
#define STEP 8

__global__ void plainCopy(float* __restrict__ to, const float* __restrict__ from, int width) {
  int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP) to[(row + r) * width + column] = from[(row + r) * width + column];
}

__global__ void columnsOut(float* __restrict__ to, const float* __restrict__ from, int width, int height) {
  int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP)
    to[column * height + row + r] = from[(row + r) * width + column];  // <- cuda/uncoalesced-access
}

// A loop of one turn.
__global__ void oneTurn(float* __restrict__ to, const float* __restrict__ from, int width, int height) {
  int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += SIDE)
    to[column * height + row + r] = from[(row + r) * width + column];  // <- cuda/uncoalesced-access
}

__global__ void columnsIn(float* __restrict__ to, const float* __restrict__ from, int width, int height) {
  int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP)
    to[(row + r) * height + column] = from[column * width + row + r];  // <- cuda/uncoalesced-access
}

// The same variables, given anew for the second half.
__global__ void throughATile(float* __restrict__ to, const float* __restrict__ from, int width, int height) {
  __shared__ float tile[SIDE][SIDE];
  int column = blockIdx.x * SIDE + threadIdx.x;
  int row = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP) tile[threadIdx.y + r][threadIdx.x] = from[(row + r) * width + column];
  __syncthreads();
  column = blockIdx.y * SIDE + threadIdx.x;
  row = blockIdx.x * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP)
    to[(row + r) * height + column] = tile[threadIdx.x][threadIdx.y + r];  // <- cuda/bank-conflict
}

__global__ void tileForNothing(float* __restrict__ to, const float* __restrict__ from, int width,
                               int height) {
  __shared__ float tile[SIDE][SIDE + 1];
  int column = blockIdx.x * SIDE + threadIdx.x;
  int row = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP) tile[threadIdx.y + r][threadIdx.x] = from[(row + r) * width + column];
  __syncthreads();
  row = blockIdx.x * SIDE + threadIdx.x;
  column = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP)
    to[row * height + column + r] = tile[threadIdx.y + r][threadIdx.x];  // <- cuda/uncoalesced-access
}

__global__ void padded(float* __restrict__ to, const float* __restrict__ from, int width, int height) {
  __shared__ float tile[SIDE][SIDE + 1];
  int column = blockIdx.x * SIDE + threadIdx.x;
  int row = blockIdx.y * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP) tile[threadIdx.y + r][threadIdx.x] = from[(row + r) * width + column];
  __syncthreads();
  column = blockIdx.y * SIDE + threadIdx.x;
  row = blockIdx.x * SIDE + threadIdx.y;
  for (int r = 0; r < SIDE; r += STEP) to[(row + r) * height + column] = tile[threadIdx.x][threadIdx.y + r];
}

__global__ void turned(float* __restrict__ to, const float* __restrict__ from, int width, int height) {
  __shared__ float tile[SIDE * SIDE];
  int x = threadIdx.x, y = threadIdx.y;
  for (int r = y; r < SIDE; r += STEP)
    tile[r * SIDE + (x ^ r)] = from[(blockIdx.y * SIDE + r) * width + blockIdx.x * SIDE + x];
  __syncthreads();
  for (int r = y; r < SIDE; r += STEP)
    to[(blockIdx.x * SIDE + r) * height + blockIdx.y * SIDE + x] = tile[x * SIDE + (r ^ x)];
}

void run(float* a, float* b, int w, int h) {
  dim3 grid(w / SIDE, h / SIDE), block(SIDE, STEP);
  plainCopy<<<grid, block>>>(a, b, w);
  columnsOut<<<grid, block>>>(a, b, w, h);
  columnsIn<<<grid, block>>>(a, b, w, h);
  throughATile<<<grid, block>>>(a, b, w, h);
  tileForNothing<<<grid, block>>>(a, b, w, h);
  padded<<<grid, block>>>(a, b, w, h);
  turned<<<grid, block>>>(a, b, w, h);
}
